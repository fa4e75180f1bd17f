// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// The metadata of a live stream, with the audio offset at which each title starts. Offsets count audio bytes since the stream was
/// opened, across reconnects.
struct LiveStream {
    /// Titles kept; the oldest are dropped.
    static let maximumMarks = 256

    private var station = Broadcast()
    private var demuxer: IcyDemuxer?
    private var marks: [(offset: Int64, programme: Broadcast.Programme)] = []
    /// Offset at which the connection began, until its first title arrives. That title was on the air at the start already.
    private var joined: Int64?

    /// A connection starts with this head; its first audio byte is at `offset`.
    mutating func join(_ head: TransferHead, at offset: Int64) {
        station.station = IcyMetadata.shown(head["icy-name"]) ?? station.station
        station.genre = IcyMetadata.shown(head["icy-genre"]) ?? station.genre
        station.about = IcyMetadata.shown(head["icy-description"]) ?? station.about
        station.homepage = IcyMetadata.shown(head["icy-url"]) ?? station.homepage
        // Some servers send one value for each source, separated by commas.
        let kilobits = head["icy-br"].flatMap { Int($0.prefix { $0.isNumber }) }
        station.bitrate = kilobits.flatMap { (1...100_000).contains($0) ? $0 * 1_000 : nil } ?? station.bitrate
        demuxer = head["icy-metaint"].flatMap { Int($0.trimmingSpaces) }.flatMap { IcyDemuxer(interval: $0) }
        joined = offset
    }

    /// Returns the audio ranges of `bytes` in order, and stores the titles between them. `place`: the read position.
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

    /// The metadata at this audio offset.
    func broadcast(at offset: Int64) -> Broadcast {
        var known = station
        known.programme = marks.last { $0.offset <= offset }?.programme
        return known
    }

    private mutating func note(_ programme: Broadcast.Programme, at offset: Int64, place: Int64) {
        guard marks.last?.programme != programme else { return }
        // The decoder's buffers lag behind the read position.
        let heard = place - 256 << 10
        while marks.count > 1, marks[1].offset < heard || marks.count >= Self.maximumMarks { marks.removeFirst() }
        marks.append((offset, programme))
    }
}

/// Separates a radio stream's metadata from its audio. After every `interval` bytes of audio, one byte gives the number of 16-byte
/// blocks of text that follow. The input may be cut anywhere.
struct IcyDemuxer {
    enum Piece: Equatable {
        /// This range of the input is audio.
        case sound(Range<Int>)
        case metadata([UInt8])
    }

    private enum State {
        case sound(left: Int)
        case length
        case metadata([UInt8], left: Int)
    }

    static let intervals = 1...(16 << 20)

    private let interval: Int
    private var state: State

    /// nil for an implausible interval.
    init?(interval: Int) {
        guard Self.intervals.contains(interval) else { return nil }
        self.interval = interval
        state = .sound(left: interval)
    }

    mutating func take(_ bytes: UnsafeRawBufferPointer) -> [Piece] {
        var pieces: [Piece] = []
        var index = 0
        while index < bytes.count {
            switch state {
            case .sound(let left):
                let count = min(left, bytes.count - index)
                pieces.append(.sound(index..<index + count))
                index += count
                state = left == count ? .length : .sound(left: left - count)
            case .length:
                let size = Int(bytes[index]) * 16
                index += 1
                state = size == 0 ? .sound(left: interval) : .metadata([], left: size)
            case .metadata(var text, let left):
                let count = min(left, bytes.count - index)
                text.append(contentsOf: bytes[index..<index + count])
                index += count
                if left == count {
                    pieces.append(.metadata(text))
                    state = .sound(left: interval)
                } else {
                    state = .metadata(text, left: left - count)
                }
            }
        }
        return pieces
    }
}

/// Parses a metadata block: `StreamTitle='...';StreamUrl='...';`, padded with zeros. No specification defines escapes for
/// quotation marks, so a value ends at `';` or at the end of the block.
enum IcyMetadata {
    /// nil when the block has neither field.
    static func programme(_ block: [UInt8]) -> Broadcast.Programme? {
        let text = String(foreign: block.prefix { $0 != 0 })
        let title = value("StreamTitle", in: text)
        let url = value("StreamUrl", in: text)
        guard title != nil || url != nil else { return nil }
        return Broadcast.Programme(title: shown(title), url: shown(url))
    }

    /// Without control characters and surrounding spaces; nil if nothing is left.
    static func shown(_ text: String?) -> String? {
        guard let text else { return nil }
        let scalars = text.streamSafe.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        let clean = String(String.UnicodeScalarView(scalars)).trimmingSpaces
        return clean.isEmpty ? nil : String(clean)
    }

    private static func value(_ name: String, in text: String) -> String? {
        // A name follows a semicolon, or begins the block.
        let bytes = Array(";\(text)".utf8)
        let key = Array(";\(name)='".utf8).map(lowercased)
        guard let start = bytes.map(lowercased).firstRange(of: key)?.upperBound else { return nil }
        var rest = bytes[start...]
        if let end = rest.firstRange(of: Array("';".utf8))?.lowerBound {
            rest = rest[..<end]
        } else if rest.last == UInt8(ascii: "'") {
            rest = rest.dropLast()
        }
        return String(decoding: rest, as: UTF8.self)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
