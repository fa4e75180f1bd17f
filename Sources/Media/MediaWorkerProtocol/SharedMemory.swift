// SPDX-License-Identifier: Apache-2.0

/// Where things lie in the memory that both processes map, and which descriptors the worker is born with.
///
/// Only samples and source bytes are in there. Either side may find it changed under its feet by a hostile other one, so
/// nothing in it is ever a length, an index or an address.
public enum SharedMemory {
    /// Source bytes, written by the server as answer to `WorkerReply.read`.
    public static let inputCapacity = 128 << 10
    /// Decoded samples, written by the worker before `WorkerReply.decoded`.
    public static let sampleCapacity = 128 << 10
    public static let samplesOffset = inputCapacity
    public static let size = inputCapacity + sampleCapacity * 4

    /// Descriptors of the worker.
    public static let socketDescriptor: Int32 = 3
    public static let memoryDescriptor: Int32 = 4
}
