// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback
internal import Synchronization

/// Consecutive segments that one decoder can read, as one byte source.
///
/// `@unchecked Sendable` because one thread at a time touches the mutable state: the decode thread, or the thread that opens the
/// run ahead, until it is done. `close` and `isClosed` go to the stream; role and progress have a lock of their own, which is
/// only taken alone or within the stream's lock.
final class HLSRun: ByteSource, @unchecked Sendable {
    /// Why the run has ended.
    enum End {
        /// The stream has ended.
        case stream
        /// Another run begins with this segment.
        case run(Int64)
        /// As `run`, at another place in a live stream.
        case jump(Int64)
        /// This segment is missing. `isBegun`: some of its bytes were read before.
        case missing(HLSSchedule.Slot, MediaError, isBegun: Bool)
    }

    enum Role {
        /// The decoder reads this run; the stream loads ahead of it.
        case current
        /// Opened ahead of its turn.
        case ahead
        /// No longer wanted.
        case dropped
    }

    let name: String
    let size: ByteCount? = nil
    let isSeekable = false
    let isLocal = false
    private(set) var end: End?
    private(set) var first: HLSSchedule.Slot?
    /// Packed audio: clock time of the first frame, in seconds.
    private(set) var timestamp: Double?
    /// The segment being read.
    private(set) var sequence: Int64

    private let stream: HLSStream
    private let context: HLSContext
    private var segment: HLSSegmentReader?
    /// Some bytes of the current segment were returned.
    private var isBegun = false
    /// The first bytes, which may be read again.
    private var head: [UInt8] = []
    private var position: Int64 = 0
    /// The rest of the initialization section, which is read before the first segment.
    private var lead: ArraySlice<UInt8> = []

    private let progress: Mutex<Progress>

    private struct Progress {
        var role: Role
        /// Bytes read of the current segment.
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

    /// Makes this the current run; a blocked read may go on. Any thread may call this.
    func becomeCurrent() {
        stream.switchRun {
            progress.withLock { progress in
                progress.role = .current
                return progress.read
            }
        }
    }

    /// Drops a run that was opened ahead and ends its blocked reads. Does nothing once the run is current. Any thread may
    /// call this.
    func abandon() {
        stream.abandon {
            progress.withLock { progress in
                guard progress.role == .ahead else { return false }
                progress.role = .dropped
                return true
            }
        }
    }

    /// Audio without a container (RFC 8216, 3.4): its only clock is the timestamp tag.
    var isPacked: Bool {
        switch FileSignature(head) {
        case .transportStream, .mp4: false
        default: true
        }
    }

    func close() { stream.close() }

    /// Blocks until the first bytes have arrived. `end` is set if there are none.
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
            // A reader in order may still skip bytes.
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

    /// Goes on to the segment `next`. False if the run ends before it; `end` is the reason.
    private func enter(_ next: Int64) throws(MediaError) -> Bool {
        switch try stream.next(next, role: { role }) {
        case .end(let reason): end = reason
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

    /// Strips the ID3 tags of packed audio. Returns their timestamp in seconds.
    private static func takeTags(_ reader: inout HLSSegmentReader) throws(MediaError) -> Double? {
        var time: Double?
        for _ in 0..<4 {
            var tag = try bytes(10, of: &reader)
            guard let size = VersionTwoTag.size(tag), size <= TimestampTag.largest else {
                reader.putBack(tag)
                return time
            }
            tag += try bytes(Int(size) - 10, of: &reader)
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

    /// How the run ends when a segment fails. Throws errors that end the item or the wait.
    private func loss(of slot: HLSSchedule.Slot, _ error: MediaError) throws(MediaError) -> End {
        switch error.code {
        case .notFound, .forbidden, .privateAddress, .unsupported, .empty, .unreadable, .decoderFailed:
            return .missing(slot, error, isBegun: isBegun)
        // In a live stream, go on with a newer segment.
        case .network where stream.isLive: return .jump(slot.segment.sequence + 1)
        case .network, .cancelled: throw error
        }
    }
}

/// The next run, opened on a thread of its own while the current one plays: on a busy machine a worker takes longer to start than a
/// short segment lasts. There is one at most. It does not move the stream's cursor until it becomes the current run.
final class HLSAhead {
    /// The run's first segment.
    let first: Int64
    private let run: HLSRun
    /// nil while opening.
    private let result = Monitor<Opened?>(nil)

    /// A decoder; nil if the run ended before its first frame.
    typealias Opened = Result<(any AudioDecoder)?, MediaError>

    /// nil if no thread can be started.
    init?(_ stream: HLSStream, from first: Int64, _ context: HLSContext, _ selection: MediaExaminer) {
        self.first = first
        let run = HLSRun(stream, from: first, context, role: .ahead)
        self.run = run
        let thread = NamedThread(ifPossible: "decode-ahead") { [result] in
            let opened = Opened { () throws(MediaError) in
                try run.begin()
                return run.end == nil ? try selection.open(run) : nil
            }
            result.change { $0 = opened }
        }
        guard let thread else { return nil }
        thread.detach()
    }

    deinit { run.abandon() }

    /// Makes this the current run. Blocks until it is open; nil if it must be opened again.
    func adopt() -> (HLSRun, Opened)? {
        run.becomeCurrent()
        let opened = result.wait { $0 }
        if case .failure(let error) = opened, run.first == nil || ![.unsupported, .empty].contains(error.code) {
            return nil
        }
        return (run, opened)
    }
}
