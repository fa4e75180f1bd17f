// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import MediaWorkerProtocol
internal import Playback
internal import Kernel

/// Asks a worker about one source, and reads the source for it meanwhile. Lives on one thread.
///
/// What comes from the worker is not trusted: whatever breaks the protocol, takes too long or ends the process becomes
/// one error of this source, and nothing more is asked.
final class WorkerConversation {
    let process: WorkerProcess
    let source: any ByteSource
    private let limits: WorkerLimits
    /// The name of the source in a sentence about a failure, before the reason.
    private let verdict: String
    /// Why nothing more can be asked.
    private var end: MediaError?
    /// Why the source could not be read, which the worker does not learn.
    private var sourceFailure: MediaError?

    /// Between looks at whether the source was closed meanwhile, while a worker is busy.
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

    /// Whether the worker can be asked about another source.
    var isSound: Bool { end == nil }

    /// The answer. Throws the source's error, the worker's, or `decoderFailed`.
    func ask(_ request: WorkerRequest) throws(MediaError) -> WorkerReply {
        let reply = try exchange(request)
        if case .failed(let failure) = reply { throw error(failure) }
        return reply
    }

    /// As `ask`; nil when there is nothing at the place that was asked for.
    func askOrMiss(_ request: WorkerRequest) throws(MediaError) -> WorkerReply? {
        let reply = try exchange(request)
        guard case .failed(let failure) = reply else { return reply }
        if failure.code == .outOfRange { return nil }
        throw error(failure)
    }

    private func exchange(_ request: WorkerRequest) throws(MediaError) -> WorkerReply {
        if let end { throw end }
        switch request {
        // A new beginning. FFmpeg may report a failed read only when it is asked for more.
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
                // Waiting for the source is not the worker's time.
                until = until.advanced(bySeconds: MonotonicTime.now.seconds(since: began))
                try send(.bytes(bytes))
            case let reply: return reply
            }
            // One that never stops sending ends as one that is silent does.
            try checkPatience(until)
        }
    }

    /// The reply is none that answers the request.
    func unexpected(_ reply: WorkerReply) -> MediaError { broken("its answer does not match the request") }

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
        // Its buffer holds many of them; a worker that does not empty it is broken.
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
