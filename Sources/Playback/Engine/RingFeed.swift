// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// Writes frames into the ring and waits for space. Mixes them over the previous item's end and holds back their own.
struct RingFeed {
    /// Seconds before an overlap at which holding back starts: in this time the end is found and the next item loads.
    static let holdingAhead = 2.0
    /// Seconds that must be unread, or at least not heard, while frames are held back.
    private static let leastUnreadSeconds = 0.5
    private static let isRevoked = MediaError(.cancelled, "The lease of the ring was revoked.")

    /// Set by `finish`: the index after the last frame.
    private(set) var end: FrameCount?
    let ring: FrameRing
    /// The sample rate of the item that is written.
    var sourceRate: Int
    /// Frames to skip in the next writes: converters start before the position.
    var lead = 0

    private let lease: FrameRing.Lease
    private let buffering: DecodeBuffering
    private let ahead: SharedSeconds
    private let cancellation: MediaCancellation
    /// Seconds of the end to hold back; nil: none, ever.
    private let overlapLimit: SharedSeconds?
    /// The ring's reader runs in real time.
    private let isPaced: Bool
    /// The ring index after the frames that were written.
    private var written: FrameCount
    /// The index and time of the first write.
    private var began: (index: FrameCount, time: MonotonicTime)?
    /// The held frames; nil until the end is near.
    private var tail: HeldTail?
    private var mixer: OverlapMixer?
    /// Set until the first frames have replaced older ones.
    var splicing: RingSplicing?

    init(
        _ ring: FrameRing, _ lease: FrameRing.Lease, buffering: DecodeBuffering, ahead: SharedSeconds = SharedSeconds(),
        overlapLimit: SharedSeconds? = nil, isPaced: Bool = true, cancellation: MediaCancellation
    ) {
        self.ring = ring
        self.lease = lease
        self.overlapLimit = overlapLimit
        self.isPaced = isPaced
        self.cancellation = cancellation
        self.buffering = buffering
        self.ahead = ahead
        sourceRate = ring.format.sampleRate
        written = ring.writeIndex
    }

    /// The index of the next frame.
    var writeIndex: FrameCount {
        splicing?.writeIndex ?? written + FrameCount((tail?.frames ?? 0) + (mixer?.pending ?? 0))
    }

    mutating func writeSilence(_ frames: FrameCount) throws(MediaError) {
        guard frames > 0 else { return }
        let channels = ring.format.channelCount
        let zeros = [Float](repeating: 0, count: 8_192 * channels)
        var rest = Int(frames) * channels
        while rest > 0 {
            try put(zeros.prefix(rest))
            rest -= min(rest, zeros.count)
        }
    }

    mutating func write(_ all: UnsafeBufferPointer<Float>) throws(MediaError) {
        let left = min(lead, all.count / ring.format.channelCount)
        lead -= left
        let samples = UnsafeBufferPointer(rebasing: all.dropFirst(left * ring.format.channelCount))
        guard mixer != nil else { return try keep(samples) }
        let mixed = mixer?.mix(samples) ?? []
        if mixer?.isOver == true { mixer = nil }
        try keep(mixed)
    }

    /// Mixes the next frames over the previous item's end. Frames of that end before the overlap are written at once.
    mutating func begin(over overlap: Overlap) throws(MediaError) {
        let rest = overlap.tail.take()
        let alone = max(0, rest.count - Int(overlap.frames) * ring.format.channelCount)
        try put(rest[..<alone])
        guard ring.begin(overlap.loudness, isInAlbum: overlap.isInAlbum, lease: lease) else { throw Self.isRevoked }
        guard alone < rest.count else { return }
        mixer = OverlapMixer(Array(rest[alone...]), gain: overlap.gain, ceiling: overlap.ceiling, format: ring.format)
    }

    /// The item ends after this many seconds.
    mutating func approach(end seconds: Double) {
        guard tail == nil, let wanted = overlapLimit?.seconds, wanted > 0, seconds <= wanted + Self.holdingAhead
        else { return }
        tail = HeldTail(channelCount: ring.format.channelCount)
    }

    /// The item ends within the overlap: mixes part of the tail with silence. Returns false when nothing is left.
    mutating func finishMixing() throws(MediaError) -> Bool {
        guard var mixer else { return false }
        let silence = min(mixer.tailLeft, 4_096) * ring.format.channelCount
        let rest =
            silence > 0
            ? [Float](repeating: 0, count: silence).withUnsafeBufferPointer { mixer.mix($0) } : mixer.finish()
        self.mixer = silence > 0 ? mixer : nil
        try keep(rest)
        return silence > 0
    }

    /// `held` receives held frames and the index after them. They are then written as slowly as the sink allows.
    mutating func finish(held: (HeldTail, FrameCount) -> Void) throws(MediaError) {
        while try finishMixing() {}
        while splicing != nil { try splice() }
        if let tail, tail.frames > 0 {
            held(tail, writeIndex)
            try settle(tail)
        }
        tail = nil
        end = writeIndex
    }

    /// The media ended early: writes all decoded frames.
    mutating func giveUp() throws(MediaError) {
        while try finishMixing() {}
        while splicing != nil { try splice() }
        guard let rest = takeTail()?.take() else { return }
        try put(rest[...])
    }

    /// For a caller that never waits: returns the held end, once `finishMixing` is done.
    mutating func takeTail() -> HeldTail? {
        defer { tail = nil }
        return tail
    }

    // MARK: Into the ring

    private mutating func put(_ samples: ArraySlice<Float>) throws(MediaError) {
        try samples.withUnsafeBufferPointer { samples throws(MediaError) in try put(samples) }
    }

    /// Throws `cancelled` if the lease is revoked.
    private mutating func put(_ samples: UnsafeBufferPointer<Float>) throws(MediaError) {
        let channels = ring.format.channelCount
        var rest = samples
        while !rest.isEmpty {
            let room = max(0, limit - ring.unread)
            let part = UnsafeBufferPointer(rebasing: rest.prefix(room * channels))
            let frames = try note(ring.write(part, lease: lease))
            rest = UnsafeBufferPointer(rebasing: rest.dropFirst(frames * channels))
            if !rest.isEmpty { try waitForSpace(limit) }
        }
    }

    private mutating func note(_ outcome: FrameRing.WriteOutcome) throws(MediaError) -> Int {
        guard case .wrote(let frames, let start) = outcome else { throw Self.isRevoked }
        if began == nil, frames > 0 { began = (start, .now) }
        written = start + FrameCount(frames)
        return frames
    }

    /// Waits until half of `unread` is free, so that the thread wakes rarely.
    private func waitForSpace(_ unread: Int) throws(MediaError) {
        guard ring.waitForSpace(ring.capacity - unread / 2, lease: lease) else { throw Self.isRevoked }
    }

    // MARK: Splicing

    private var isWanted: Bool {
        guard case .wrote = ring.write(UnsafeBufferPointer(start: nil, count: 0), lease: lease) else { return false }
        return !cancellation.isCancelled
    }

    /// Makes one attempt.
    private mutating func splice() throws(MediaError) {
        guard var pending = splicing else { return }
        let rest = pending.splice(into: ring, lease) { splice in
            while isWanted {
                if let answer = splice.answer(by: .now.advanced(bySeconds: 0.05)) { return answer }
            }
            return nil
        }
        guard isWanted else { throw Self.isRevoked }
        splicing = pending
        guard let rest else { return }
        splicing = nil
        written = ring.writeIndex
        try keep(rest)
    }

    // MARK: Holding back

    private mutating func keep(_ samples: [Float]) throws(MediaError) {
        try samples.withUnsafeBufferPointer { samples throws(MediaError) in try keep(samples) }
    }

    private mutating func keep(_ samples: UnsafeBufferPointer<Float>) throws(MediaError) {
        if splicing != nil {
            splicing?.append(samples)
            while splicing?.hasEnough == true { try splice() }
            return
        }
        guard let tail else { return try put(samples) }
        tail.append(samples)
        try pour(tail)
        if cancellation.isCancelled { throw Self.isRevoked }
    }

    /// Writes held frames beyond the overlap, and within it those that the sink needs. Waits only if far too many are
    /// held.
    private mutating func pour(_ tail: HeldTail) throws(MediaError) {
        while true {
            let surplus = tail.frames - kept
            let room = surplus > 0 ? limit - ring.unread : leastUnread - unheard
            if room > 0, tail.frames > 0 {
                _ = try note(tail.write(min(room, surplus > 0 ? surplus : tail.frames), to: ring, lease: lease))
            } else if surplus > Int(ring.format.frames(2 * Self.holdingAhead)) {
                try waitForSpace(limit)
            } else {
                return
            }
        }
    }

    /// Writes until nothing is left or the next item has taken the tail.
    private mutating func settle(_ tail: HeldTail) throws(MediaError) {
        while true {
            try pour(tail)
            if tail.isTaken || cancellation.isCancelled { throw Self.isRevoked }
            guard tail.frames > 0 else { return }
            if tail.frames <= kept, ring.unread <= leastUnread / 2, unheard > leastUnread / 2 {
                _ = try note(tail.write(0, to: ring, lease: lease))
                tail.waitUntilTaken(.now.advanced(bySeconds: 0.01))
            } else {
                try waitForSpace(tail.frames > kept ? limit : leastUnread)
            }
        }
    }

    /// Frames to hold back, once the end is found.
    private var kept: Int {
        let most = HeldTail.mostBytes / (4 * ring.format.channelCount)
        return min(most, Int(ring.format.frames(overlapLimit?.seconds ?? 0)))
    }

    /// The limit of unread frames. A change applies from the next write on.
    private var limit: Int { buffering.limit(in: ring, sampleRate: sourceRate, seconds: ahead.seconds) }

    /// The frames not heard, at least. A sink may take all frames at once: at first, the elapsed time is a better
    /// measure.
    private var unheard: Int {
        guard let began else { return ring.unread }
        let seconds = MonotonicTime.now.seconds(since: began.time)
        guard seconds < Self.leastUnreadSeconds else { return ring.unread }
        return max(ring.unread, Int(written - began.index - ring.format.frames(seconds)))
    }

    private var leastUnread: Int {
        isPaced ? min(limit, Int(ring.format.frames(Self.leastUnreadSeconds))) : 0
    }
}
