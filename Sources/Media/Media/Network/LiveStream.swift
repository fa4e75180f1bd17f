// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// What a live stream carries besides its sound, and from which byte of the sound on each title holds. Offsets count the
/// bytes of sound since it was opened, through all connections.
struct LiveStream {
    /// More titles than this ahead of the reader are noise.
    static let maximumMarks = 256

    private var station = Broadcast()
    private var demuxer: IcyDemuxer?
    private var marks: [(offset: Int64, programme: Broadcast.Programme)] = []
    /// Where the connection began, until its first title has come: that one was on the air already.
    private var joined: Int64?

    /// A connection begins with this head; its first byte of sound has that offset.
    mutating func join(_ head: TransferHead, at offset: Int64) {
        station.station = IcyMetadata.shown(head["icy-name"]) ?? station.station
        station.genre = IcyMetadata.shown(head["icy-genre"]) ?? station.genre
        station.about = IcyMetadata.shown(head["icy-description"]) ?? station.about
        station.homepage = IcyMetadata.shown(head["icy-url"]) ?? station.homepage
        // Some send one value for each of their sources.
        let kilobits = head["icy-br"].flatMap { Int($0.prefix { $0.isNumber }) }
        station.bitrate = kilobits.flatMap { (1...100_000).contains($0) ? $0 * 1_000 : nil } ?? station.bitrate
        demuxer = head["icy-metaint"].flatMap { Int($0.trimmedOfSpaces) }.flatMap { IcyDemuxer(interval: $0) }
        joined = offset
    }

    /// Which of the bytes are sound, in order; notes the titles between them. `place`: what is read now.
    mutating func take(_ bytes: UnsafeRawBufferPointer, at offset: Int64, place: Int64) -> [Range<Int>] {
        guard demuxer != nil else { return [0..<bytes.count] }
        var ranges: [Range<Int>] = []
        var offset = offset
        for piece in demuxer?.take(bytes) ?? [] {
            switch piece {
            case .sound(let range):
                ranges.append(range)
                offset += Int64(range.count)
            case .metadata(let block):
                guard let programme = IcyMetadata.programme(block) else { continue }
                note(programme, at: joined ?? offset, place: place)
                joined = nil
            }
        }
        return ranges
    }

    var markCount: Int { marks.count }

    /// What is known at this byte of sound.
    func broadcast(at offset: Int64) -> Broadcast {
        var known = station
        known.programme = marks.last { $0.offset <= offset }?.programme
        return known
    }

    private mutating func note(_ programme: Broadcast.Programme, at offset: Int64, place: Int64) {
        guard marks.last?.programme != programme else { return }
        // The decoder lags behind what is read by its own buffers.
        let heard = place - 256 << 10
        while marks.count > 1, marks[1].offset < heard || marks.count >= Self.maximumMarks { marks.removeFirst() }
        marks.append((offset, programme))
    }
}
