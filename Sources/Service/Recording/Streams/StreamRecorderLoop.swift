// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The loop of the stream recorder: pulls the received bytes and writes them. Lives on the recorder's thread.
final class StreamRecorderLoop {
    private static let chunk = 64 << 10
    /// Chunks of one recording before the next recording gets its turn.
    private static let turn = 16
    /// Seconds for writing the rest at the end of a recording; less than the command waits.
    private static let lastSeconds = 0.5

    private final class Take {
        var stream: any RecordableStream
        let writer: any StreamWriter
        var position: Int64
        var current: StreamRecordingStatus.Current
        var bell: Bell
        /// The station was reopened, and none of its bytes have arrived yet.
        var isRejoined = false
        /// From its time limit.
        let deadline: MonotonicTime?

        init(
            _ stream: any RecordableStream, _ writer: any StreamWriter, from position: Int64, _ bell: Bell,
            _ limits: StreamLimits
        ) {
            self.stream = stream
            self.writer = writer
            self.position = position
            self.bell = bell
            current = StreamRecordingStatus.Current(id: writer.id, item: stream.item, size: stream.size, limits: limits)
            deadline = limits.seconds.map { MonotonicTime.now.advanced(bySeconds: $0) }
        }

        /// Bytes that the file may still receive.
        var room: Int64 { current.limits.bytes.map { $0 - writer.count } ?? .max }
    }

    /// Rung by a stream when there may be more bytes: posts a message, unless one waits already.
    private struct Bell: Sendable {
        let generation: Int
        let player: String
        let mailbox: Mailbox<StreamMessage>

        func ring() {
            mailbox.post(.arrived(player, generation: generation)) {
                if case .arrived(player, generation: generation) = $0 { true } else { false }
            }
        }
    }

    private enum Pulled {
        case all
        case more
        case over(StreamEndReason, String?)
    }

    private let environment: StreamRecorder.Environment
    private let mailbox: Mailbox<StreamMessage>
    private let board: StreamRecorder.Board
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 16)
    private var takes: [String: Take] = [:]
    private var generation = 0

    init(_ environment: StreamRecorder.Environment, _ mailbox: Mailbox<StreamMessage>, _ board: StreamRecorder.Board) {
        self.environment = environment
        self.mailbox = mailbox
        self.board = board
    }

    deinit { buffer.deallocate() }

    func run() {
        while true {
            for message in mailbox.take(until: takes.values.compactMap(\.deadline).min()) {
                if case .shutdown = message {
                    let deadline = MonotonicTime.now.advanced(bySeconds: Self.lastSeconds)
                    for player in takes.keys.sorted() { end(player, .shutdown, until: deadline) }
                    return
                }
                receive(message)
            }
            let now = MonotonicTime.now
            for (player, take) in takes.sorted(by: { $0.key < $1.key }) where take.deadline.map({ $0 <= now }) == true {
                end(player, .timeLimit)
            }
        }
    }

    func receive(_ message: StreamMessage) {
        switch message {
        case .start(let player, let name, let limits, let reply):
            do throws(RecordingError) {
                let isNew = try start(player, name, limits)
                reply(.success((board.status(of: player), isNew)))
                if isNew { pull(player) }
            } catch {
                reply(.failure(error))
            }
        case .stop(let player, let reply):
            guard takes[player] != nil else { return reply(.failure(.notRecording)) }
            end(player, .user)
            reply(.success(board.status(of: player)))
        case .arrived(let player, let generation):
            if takes[player]?.bell.generation == generation { pull(player) }
        case .changed(let player):
            guard let take = takes[player] else { return }
            if environment.item(player)?.id == take.stream.item { pull(player) } else { end(player, .item) }
        case .forget(let player, let done):
            end(player, .player)
            board.update { $0[player] = nil }
            done()
        case .shutdown: break
        }
    }

    // MARK: Begin

    /// False if a file is in progress.
    private func start(_ player: String, _ name: String?, _ limits: StreamLimits) throws(RecordingError) -> Bool {
        guard takes[player] == nil else { return false }
        let (stream, bell) = (try environment.stream(player), bell(of: player))
        let position = try stream.begin { bell.ring() }
        do throws(RecordingError) {
            let writer = try environment.store.createStream(name: name, stream.format)
            let take = Take(stream, writer, from: position, bell, limits)
            takes[player] = take
            publish(player, take, isEvent: true)
        } catch {
            stream.end()
            throw error
        }
        return true
    }

    private func bell(of player: String) -> Bell {
        generation += 1
        return Bell(generation: generation, player: player, mailbox: mailbox)
    }

    // MARK: End of the source

    /// The item or the player left the source, or the source is being reopened; in the last case the file continues.
    private func left(_ player: String, _ take: Take) {
        guard let item = environment.item(player), item.id == take.stream.item else {
            return finish(player, take, .item, nil)
        }
        guard item.isHeld else { return finish(player, take, .left, nil) }
        let next: any RecordableStream
        do throws(RecordingError) {
            next = try environment.stream(player)
        } catch {
            // Not open yet. Its opening, or that of another source, will be reported, as the player waits for neither
            // without limit.
            return publish(player, take, isEvent: false)
        }
        if goOn(player, take, with: next) { pull(player) } else { finish(player, take, .left, nil) }
    }

    /// Continues with a reopened source: a station at its live position, a file only if its bytes continue those in the
    /// file; else false.
    private func goOn(_ player: String, _ take: Take, with next: any RecordableStream) -> Bool {
        guard next.isLive == take.stream.isLive, next.size == take.stream.size, next.format == take.stream.format else {
            return false
        }
        let bell = bell(of: player)
        do throws(RecordingError) {
            let start = try next.begin { bell.ring() }
            if next.isLive { (take.position, take.isRejoined) = (start, true) }
        } catch {
            return false
        }
        take.stream.end()
        (take.stream, take.bell) = (next, bell)
        return true
    }

    // MARK: Bytes

    private func pull(_ player: String) {
        guard let take = takes[player] else { return }
        switch pull(player, take, while: { $0 < Self.turn }) {
        case .all: publish(player, take, isEvent: false)
        case .more:
            publish(player, take, isEvent: false)
            take.bell.ring()
        case .over(.left, _): left(player, take)
        case .over(let reason, let message): finish(player, take, reason, message)
        }
    }

    private func pull(_ player: String, _ take: Take, while goesOn: (_ chunks: Int) -> Bool) -> Pulled {
        var chunks = 0
        while goesOn(chunks) {
            chunks += 1
            switch take.stream.take(at: take.position, into: buffer) {
            case .bytes(let count, let isAfterGap):
                let fitting = Int(min(Int64(count), take.room))
                guard fitting > 0 else { return .over(.sizeLimit, nil) }
                take.current.size = take.stream.size
                if isAfterGap || take.isRejoined {
                    take.isRejoined = false
                    take.current.gaps += 1
                    publish(player, take, isEvent: true)
                }
                do throws(RecordingError) {
                    try take.writer.write(UnsafeRawBufferPointer(rebasing: buffer[..<fitting]))
                } catch {
                    if case .diskFull = error { return .over(.diskFull, error.sentence) }
                    return .over(.writeError, error.sentence)
                }
                // A stream of exactly the maximum size ends regularly, not by its limit.
                if fitting < count { return .over(.sizeLimit, nil) }
                take.position += Int64(count)
            case .nothingYet: return .all
            case .over(let reason, let message): return .over(reason, message)
            }
        }
        return .more
    }

    // MARK: End

    /// Bytes received by now belong to the file.
    private func end(_ player: String, _ reason: StreamEndReason, until deadline: MonotonicTime? = nil) {
        guard let take = takes[player] else { return }
        // Includes all cached bytes of a whole file; a disk that is too slow ends it.
        let deadline = deadline ?? .now.advanced(bySeconds: Self.lastSeconds)
        switch pull(player, take, while: { _ in .now < deadline }) {
        case .all, .more, .over(.left, _), .over(.seek, _): finish(player, take, reason, nil)
        case .over(let other, let message): finish(player, take, other, message)
        }
    }

    private func finish(_ player: String, _ take: Take, _ reason: StreamEndReason, _ message: String?) {
        takes[player] = nil
        let isLive = take.stream.isLive
        take.stream.end()
        var result = StreamRecordingStatus.Finished(
            id: take.writer.id, item: take.current.item, successfully: isLive ? take.current.gaps == 0 : reason == .end,
            reason: reason, bytes: take.writer.count, gaps: take.current.gaps, message: message)
        switch reason {
        case .network, .tooSlow, .diskFull, .writeError: result.successfully = false
        case .user, .end, .item, .left, .seek, .timeLimit, .sizeLimit, .player, .shutdown: break
        }
        do throws(RecordingError) {
            try take.writer.finish()
        } catch {
            result.successfully = false
            if case .diskFull = error { result.reason = .diskFull } else { result.reason = .writeError }
            result.message = error.sentence
        }
        if !result.successfully, result.message == nil { result.message = Self.sentence(result, take, isLive) }
        var status = StreamRecordingStatus()
        status.last = result
        board.publish(status, of: player, isEvent: true)
    }

    private static func sentence(_ result: StreamRecordingStatus.Finished, _ take: Take, _ isLive: Bool) -> String {
        if isLive {
            let times = result.gaps == 1 ? "once" : "\(result.gaps) times"
            return "The station was reconnected \(times); sound is missing there."
        }
        if let size = take.current.size { return "It contains \(result.bytes) of \(size) bytes." }
        return "It is incomplete."
    }

    private func publish(_ player: String, _ take: Take, isEvent: Bool) {
        var status = board.status(of: player)
        status.state = .recording
        take.current.bytes = take.writer.count
        status.current = take.current
        board.publish(status, of: player, isEvent: isEvent)
    }
}
