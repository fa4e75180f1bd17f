// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import MediaWorkerProtocol
internal import Playback
internal import Kernel

/// Sends requests about one source to a worker, and reads the source on its behalf. For one thread.
///
/// The worker is not trusted: a protocol violation, a timeout or the death of the process becomes an error of this source, and no further
/// requests are sent.
final class WorkerConversation {
    let process: WorkerProcess
    let source: any ByteSource
    private let limits: WorkerLimits
    /// Follows the source's name in error messages: "cannot be played".
    private let verdict: String
    /// The error that ended the conversation.
    private var end: MediaError?
    /// The error of the last failed read, which the worker does not get.
    private var sourceFailure: MediaError?

    /// Milliseconds between checks for a closed source while the worker is busy.
    private static let patience: Int32 = 50

    init(
        _ process: WorkerProcess, _ source: any ByteSource, _ limits: WorkerLimits,
        verdict: String = "cannot be played"
    ) {
        self.verdict = verdict
        self.process = process
        self.source = source
        self.limits = limits
    }

    /// Whether the worker can be used for another source.
    var isSound: Bool { end == nil }

    /// Returns the reply. Throws the source's error, the worker's, or `decoderFailed`.
    func ask(_ request: WorkerRequest) throws(MediaError) -> WorkerReply {
        let reply = try exchange(request)
        if case .failed(let failure) = reply { throw error(failure) }
        return reply
    }

    /// As `ask`; nil if the requested position is out of range.
    func askOrMiss(_ request: WorkerRequest) throws(MediaError) -> WorkerReply? {
        let reply = try exchange(request)
        guard case .failed(let failure) = reply else { return reply }
        if failure.code == .outOfRange { return nil }
        throw error(failure)
    }

    private func exchange(_ request: WorkerRequest) throws(MediaError) -> WorkerReply {
        if let end { throw end }
        switch request {
        // These start over. FFmpeg may report a failed read only at a later request.
        case .open, .seek, .thumbnail, .scale: sourceFailure = nil
        case .decode, .picture, .bytes: break
        }
        guard process.allowProcessorTime(limits.processor) else { throw broken("it \(process.endAndDescribe())") }
        try send(request)
        var until = MonotonicTime.now.advanced(bySeconds: limits.answer)
        while true {
            switch try receive(until) {
            case .ready: break
            case .read(let offset, let count):
                let began = MonotonicTime.now
                let bytes = read(offset, count)
                // Waiting for the source does not count as the worker's time.
                until = until.advanced(bySeconds: MonotonicTime.now.seconds(since: began))
                try send(.bytes(bytes))
            case let reply: return reply
            }
            // Also ends a worker that keeps sending without an answer.
            try checkPatience(until)
        }
    }

    func unexpected() -> MediaError { broken("its answer does not match the request") }

    private func read(_ offset: Int64, _ count: Int) -> Int? {
        do throws(MediaError) {
            return try source.read(into: UnsafeMutableRawBufferPointer(rebasing: process.input[..<count]), at: offset)
        } catch {
            sourceFailure = error
            return nil
        }
    }

    private func error(_ failure: WorkerFailure) -> MediaError {
        if let sourceFailure { return sourceFailure }
        let sentence = "\(source.name) \(verdict): \(failure.message)."
        return switch failure.code {
        case .unsupported: MediaError(.unsupported, sentence)
        case .empty: MediaError(.empty, sentence)
        case .source: MediaError(.unreadable, sentence)
        case .outOfRange: MediaError(.empty, "\(source.name): \(failure.message).")
        }
    }

    private func broken(_ problem: String) -> MediaError {
        let error = MediaError(
            .decoderFailed, "\(source.name) \(verdict): the decoder failed on it (\(problem)).")
        end = error
        return error
    }

    // MARK: Socket

    private func send(_ request: WorkerRequest) throws(MediaError) {
        let message = request.message()
        // The socket buffer holds many messages: a full one means that the worker is broken.
        let sent = message.withUnsafeBytes {
            Glibc.send(process.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        guard sent == message.count else { throw broken("it \(process.endAndDescribe())") }
    }

    private func receive(_ until: MonotonicTime) throws(MediaError) -> WorkerReply {
        let bytes = try receive(FrameHead.size, until)
        let head = try parsing { () throws(WireError) in try FrameHead(bytes) }
        let body = try receive(head.length, until)
        return try parsing { () throws(WireError) in try WorkerReply(kind: head.kind, body: body) }
    }

    private func parsing<Value>(_ body: () throws(WireError) -> Value) throws(MediaError) -> Value {
        do throws(WireError) {
            return try body()
        } catch {
            process.end()
            throw broken(error.problem)
        }
    }

    private func receive(_ count: Int, _ until: MonotonicTime) throws(MediaError) -> [UInt8] {
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes {
                recv(process.socket, $0.baseAddress! + filled, count - filled, Int32(MSG_DONTWAIT))
            }
            if got > 0 {
                filled += got
                if filled < count { try checkPatience(until) }
            } else if got < 0, errno == EAGAIN {
                var entry = pollfd(fd: process.socket, events: Int16(POLLIN), revents: 0)
                poll(&entry, 1, Self.patience)
                try checkPatience(until)
            } else if got == 0 || errno != EINTR {
                throw broken("it \(process.endAndDescribe())")
            }
        }
        return bytes
    }

    private func checkPatience(_ until: MonotonicTime) throws(MediaError) {
        if source.isClosed {
            let error = MediaError(.cancelled, "\(source.name) was closed.")
            end = error
            throw error
        }
        guard until > .now else {
            process.end()
            throw broken("no answer within \(Int(limits.answer)) s")
        }
    }
}
