// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback
internal import Synchronization

/// Segments that one decoder reads in one go, as bytes.
///
/// `@unchecked Sendable` because only one thread touches what changes: that of the decoder, or the one that opens it ahead
/// until it is done; `close` and `isClosed` are the stream's, and role and progress have a lock, which is
/// taken within the stream's.
final class HLSRun: ByteSource, @unchecked Sendable {
    /// Why it ends, once it has.
    enum End {
        /// The stream is over.
        case stream
        /// Another run begins with this segment.
        case run(Int64)
        /// The same, elsewhere in a live stream.
        case jump(Int64)
        /// This segment is not there, or not all of it.
        case missing(HLSSchedule.Slot, MediaError, isBegun: Bool)
    }

    /// Its role in the stream.
    enum Role {
        /// It is read, and the stream follows it.
        case current
        /// It is opened before its turn.
        case ahead
        /// Nobody wants it any more.
        case dropped
    }

    let name: String
    let size: ByteCount? = nil
    let isSeekable = false
    let isLocal = false
    private(set) var end: End?
    /// The segment that it begins with.
    private(set) var first: HLSSchedule.Slot?
    /// Of packed audio: seconds of its first frame.
    private(set) var timestamp: Double?
    /// The segment that is read.
    private(set) var sequence: Int64

    private let stream: HLSStream
    private let context: HLSContext
    private var segment: HLSSegmentReader?
    /// Some of the segment was handed out.
    private var isBegun = false
    /// The beginning, which may be read again.
    private var head: [UInt8] = []
    private var position: Int64 = 0
    /// A map, to be read before the first segment.
    private var lead: ArraySlice<UInt8> = []

    private let progress: Mutex<Progress>

    private struct Progress {
        var role: Role
        /// Bytes of a segment that were read.
        var read: (sequence: Int64, bytes: Int64)?
    }

    private static let headSize = 64 << 10

    init(_ stream: HLSStream, from sequence: Int64, _ context: HLSContext, role: Role = .current) {
        progress = Mutex(Progress(role: role))
        name = stream.name
        self.stream = stream
        self.context = context
        self.sequence = sequence
    }

    var isClosed: Bool { role == .dropped || stream.isClosed }

    private var role: Role { progress.withLock { $0.role } }

    /// Its turn has come: what it waits for, it may now have. From any thread.
    func begins() {
        stream.turn {
            progress.withLock { progress in
                progress.role = .current
                return progress.read
            }
        }
    }

    /// It is opened ahead for nothing: ends what it waits for. Changes nothing once its turn has come. From any thread.
    func abandon() {
        stream.abandon {
            progress.withLock { progress in
                guard progress.role == .ahead else { return false }
                progress.role = .dropped
                return true
            }
        }
    }

    /// Sound without a container, which has no clock but the tag's.
    var isPacked: Bool {
        switch FileSignature(head) {
        case .transportStream, .mp4: false
        default: true
        }
    }

    func close() { stream.close() }

    /// Blocks until its first bytes are there; afterwards `end` shows whether there are any.
    func begin() throws(MediaError) {
        guard try enter(sequence), let slot = first else { return }
        if let map = slot.segment.map { lead = try context.map(map, of: stream)[...] }
        do throws(MediaError) {
            guard var reader = segment else { return }
            let bytes = try reader.next(16)
            reader.putBack(Array(bytes))
            segment = reader
            if bytes.isEmpty { throw MediaError(.empty, "\(name): a segment of it is empty.") }
        } catch {
            end = try loss(of: slot, error)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) -> Int {
        if offset < head.count {
            let part = head[Int(offset)..<min(head.count, Int(offset) + buffer.count)]
            buffer.copyBytes(from: part)
            return part.count
        }
        while true {
            // Whoever reads in order may still leave something out.
            let skipped = offset - position
            let bytes = try next(skipped > 0 ? Int(min(skipped, 32 << 10)) : buffer.count)
            guard !bytes.isEmpty else { return 0 }
            if head.count < Self.headSize { head += bytes.prefix(Self.headSize - head.count) }
            position += Int64(bytes.count)
            guard skipped > 0 else {
                buffer.copyBytes(from: bytes)
                return bytes.count
            }
        }
    }

    // MARK: Segments

    private func next(_ count: Int) throws(MediaError) -> ArraySlice<UInt8> {
        if !lead.isEmpty {
            defer { lead = lead.dropFirst(count) }
            return lead.prefix(count)
        }
        while end == nil, var reader = segment {
            do throws(MediaError) {
                let bytes = try reader.next(count)
                segment = reader
                if !bytes.isEmpty {
                    isBegun = true
                    let read = (sequence, reader.consumed)
                    progress.withLock { $0.read = read }
                    stream.hasRead(sequence, bytes: reader.consumed) { role }
                    return bytes
                }
            } catch {
                end = try loss(of: reader.slot, error)
                return []
            }
            segment = nil
            _ = try enter(sequence + 1)
        }
        return []
    }

    /// False when the run does not go on there: `end` is the reason.
    private func enter(_ next: Int64) throws(MediaError) -> Bool {
        switch try stream.next(next, role: { role }) {
        case .end: end = .stream
        case .jump(let place): end = .jump(place)
        case .gap(let slot):
            let error = MediaError(.notFound, "\(name): its server lacks a part of it.")
            end = .missing(slot, error, isBegun: false)
        case .segment(let slot, let source):
            if let first, !slot.segment.joins(first.segment) {
                end = .run(next)
                return false
            }
            (sequence, isBegun) = (next, false)
            do throws(MediaError) {
                var reader = try HLSSegmentReader(slot, source, of: stream, context)
                let time = try Self.takeTags(&reader)
                if first == nil { (first, timestamp) = (slot, time) }
                segment = reader
                return true
            } catch {
                end = try loss(of: slot, error)
            }
        }
        return false
    }

    /// Takes the tags of packed audio off; the time that they hold.
    private static func takeTags(_ reader: inout HLSSegmentReader) throws(MediaError) -> Double? {
        var time: Double?
        for _ in 0..<4 {
            var tag = try bytes(10, of: &reader)
            guard let found = TimestampTag(tag), found.size <= TimestampTag.largest else {
                reader.putBack(tag)
                return time
            }
            tag += try bytes(found.size - 10, of: &reader)
            time = time ?? TimestampTag.seconds(in: tag)
        }
        return time
    }

    private static func bytes(_ count: Int, of reader: inout HLSSegmentReader) throws(MediaError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let part = try reader.next(count - bytes.count)
            if part.isEmpty { break }
            bytes += part
        }
        return bytes
    }

    /// What becomes of a segment that cannot be had. Throws what ends the item, or the wait.
    private func loss(of slot: HLSSchedule.Slot, _ error: MediaError) throws(MediaError) -> End {
        switch error.code {
        case .notFound, .forbidden, .privateAddress, .unsupported, .empty, .unreadable, .decoderFailed:
            return .missing(slot, error, isBegun: isBegun)
        // The next ones are nearer to what is on the air.
        case .network where stream.isLive: return .jump(slot.segment.sequence + 1)
        case .network, .cancelled: throw error
        }
    }
}

/// The next run, opened on a thread of its own while the present one still plays: its worker takes longer to start on a busy
/// machine than a short segment lasts. There is one at most; it moves nothing in the stream until its turn has come.
final class HLSAhead {
    /// The segment that it begins with.
    let first: Int64
    private let run: HLSRun
    private let state = Monitor(State.opening)

    /// What an opening came to: nothing when the run has ended before its first frame, or could not begin.
    typealias Opened = Result<any AudioDecoder, MediaError>?

    private enum State {
        case opening
        case opened(any AudioDecoder)
        /// Its run has ended before the first frame.
        case nothing
        case failed(MediaError)
    }

    /// nil when there can be no thread.
    init?(_ stream: HLSStream, from first: Int64, _ context: HLSContext, _ selection: MediaExaminer) {
        self.first = first
        let run = HLSRun(stream, from: first, context, role: .ahead)
        self.run = run
        let thread = NamedThread(ifPossible: "decode-ahead") { [state] in
            let result: State
            do throws(MediaError) {
                try run.begin()
                result = run.end == nil ? .opened(try selection.open(run)) : .nothing
            } catch {
                result = .failed(error)
            }
            state.change { $0 = result }
        }
        guard let thread else { return nil }
        thread.detach()
    }

    deinit { run.abandon() }

    /// Its turn has come. Blocks until it is open; nil when it must be opened anew.
    func adopt() -> (HLSRun, Opened)? {
        run.begins()
        let state: State = state.wait { if case .opening = $0 { nil } else { $0 } }
        switch state {
        case .opened(let decoder): return (run, .success(decoder))
        case .nothing: return (run, nil)
        case .failed(let error):
            return run.first != nil && [.unsupported, .empty].contains(error.code) ? (run, .failure(error)) : nil
        case .opening: return nil
        }
    }
}
