// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import MediaWorkerProtocol

/// The worker's end of the socket and shared memory. Any error means that the server is gone, and ends the worker.
final class ServerLink: SourceBytes {
    private let socket = SharedMemory.socketDescriptor
    private let memory: UnsafeMutableRawPointer

    /// The samples in shared memory.
    var samples: UnsafeMutablePointer<Float> {
        (memory + SharedMemory.samplesOffset).assumingMemoryBound(to: Float.self)
    }

    /// nil if the descriptors are not a worker's.
    init?() {
        let descriptor = SharedMemory.memoryDescriptor
        let mapped = mmap(nil, SharedMemory.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        close(descriptor)
        memory = mapped
    }

    func receive() -> WorkerRequest {
        do throws(WireError) {
            let head = try FrameHead(receive(FrameHead.size))
            return try WorkerRequest(kind: head.kind, body: receive(head.length))
        } catch {
            end()
        }
    }

    func send(_ reply: WorkerReply) {
        var message = reply.message()[...]
        while !message.isEmpty {
            let sent = message.withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
            if sent < 0, errno == EINTR { continue }
            guard sent > 0 else { end() }
            message = message.dropFirst(sent)
        }
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let wanted = min(buffer.count, SharedMemory.inputCapacity)
        send(.read(offset: offset, count: wanted))
        guard case .bytes(let answer) = receive() else { end() }
        guard let count = answer, count <= wanted else { return nil }
        buffer.copyMemory(from: UnsafeRawBufferPointer(start: memory, count: count))
        return count
    }

    private func receive(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes { Glibc.read(socket, $0.baseAddress! + filled, count - filled) }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { end() }
            filled += got
        }
        return bytes
    }

    private func end() -> Never { _exit(0) }
}
