// SPDX-License-Identifier: Apache-2.0

/// The layout of the memory that both processes map, and the worker's initial descriptors.
///
/// It contains samples and source bytes only. A hostile process may change it at any time, so it never contains a length, an index or an
/// address.
public enum SharedMemory {
    /// Source bytes, written by the server in response to `WorkerReply.read`.
    public static let inputCapacity = 128 << 10
    /// Decoded samples, written by the worker before `WorkerReply.decoded`.
    public static let sampleCapacity = 128 << 10
    public static let samplesOffset = inputCapacity
    public static let size = inputCapacity + sampleCapacity * 4

    /// The worker's descriptors.
    public static let socketDescriptor: Int32 = 3
    public static let memoryDescriptor: Int32 = 4
}
