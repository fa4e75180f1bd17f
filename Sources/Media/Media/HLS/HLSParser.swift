// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// Parses a playlist. References are relative to its address.
struct HLSParser {
    enum Result {
        case media(HLSMediaPlaylist)
        case master(HLSMasterPlaylist)
    }

    static let largest = 4 << 20
    static let mostSegments = 50_000
    private static let longestSegment = 86_400.0

    /// Segments kept of a live playlist, counted from its end: no reader starts farther back.
    static let mostLive = 1_000

    private let base: HLSBase
    private let isEnded: Bool
    private var slots = HLSSlots()
    private var count = 0
    private var longest = 0.0
    private var variants: [HLSMasterPlaylist.Variant] = []
    private var renditions: [HLSMasterPlaylist.Rendition] = []
    private var target: Double?
    private var sequence: Int64 = 0
    private var discontinuity: Int64 = 0
    // Tags that apply to the next segment.
    private var duration: Double?
    private var length: Range<Int64>?
    private var isGap = false
    // Tags that apply to all following segments.
    private var map: HLSPart?
    private var key: HLSKey?
    private var pending: HLSAttributes?
    private var lastRange: (reference: String, end: Int64)?
    private var openRange: Int64?

    private static let end = Array("#EXT-X-ENDLIST".utf8)
    private static let length = Array("#EXTINF:".utf8)
    private static let tag = Array("#EXT".utf8)

    /// `text`: UTF-8, or Latin-1 from old servers. `reach`: where the playlist's references may lead.
    static func parse(_ text: [UInt8], at address: WebAddress, reach: NetworkReach) throws(MediaError) -> Result {
        // Looked up first: of a live playlist only the last segments are kept while parsing.
        let isEnded = HLSLines(text).contains { $0.elementsEqual(Self.end) }
        var parser = HLSParser(base: HLSBase(address, reach: reach), isEnded: isEnded)
        for line in HLSLines(text) {
            if line.starts(with: Self.length) {
                parser.duration = Self.seconds(
                    HLSLines.string(line[(line.startIndex + 8)...].prefix { $0 != 0x2C })[...])
            } else if line.starts(with: Self.tag) {
                if line.elementsEqual(Self.end) { break }
                try parser.tag(HLSLines.string(line)[...])
            } else if line.first != UInt8(ascii: "#") {
                try parser.reference(HLSLines.string(line))
            }
        }
        return try parser.result()
    }

    private func failure(_ problem: String) -> MediaError {
        MediaError(.unsupported, "\(base.address.name) cannot be played: \(problem).")
    }

    private func result() throws(MediaError) -> Result {
        if !variants.isEmpty { return .master(HLSMasterPlaylist(variants: variants, renditions: renditions)) }
        guard count > 0 || target != nil else {
            throw failure("its playlist contains no usable address")
        }
        var slots = slots
        if !isEnded { slots.keepLast(Self.mostLive) }
        let duration = max(1, target ?? longest.rounded(.up))
        return .media(HLSMediaPlaylist(targetDuration: duration, isEnded: isEnded, slots: slots))
    }

    // MARK: Lines

    private mutating func tag(_ line: Substring) throws(MediaError) {
        let name = line.prefix { $0 != ":" }
        let value = line.dropFirst(name.count + 1)
        switch name {
        case "#EXT-X-TARGETDURATION": target = Self.seconds(value)
        case "#EXT-X-MEDIA-SEQUENCE": if count == 0 { sequence = Self.number(value) ?? sequence }
        case "#EXT-X-DISCONTINUITY-SEQUENCE": if count == 0 { discontinuity = Self.number(value) ?? discontinuity }
        case "#EXT-X-DISCONTINUITY": discontinuity += 1
        case "#EXT-X-GAP": isGap = true
        case "#EXT-X-BYTERANGE": (length, openRange) = Self.range(value)
        case "#EXT-X-KEY": key = try key(HLSAttributes(value))
        case "#EXT-X-MAP": map = try map(HLSAttributes(value))
        case "#EXT-X-STREAM-INF": pending = HLSAttributes(value)
        case "#EXT-X-MEDIA": rendition(HLSAttributes(value))
        default: break
        }
    }

    private mutating func reference(_ text: String) throws(MediaError) {
        if let attributes = pending {
            pending = nil
            guard let address = base.address.redirected(to: text), variants.count < 200 else { return }
            let codecs = attributes["CODECS"]?.split(separator: ",").map { String($0.trimmingSpaces) } ?? []
            variants.append(
                HLSMasterPlaylist.Variant(
                    address: address, bandwidth: attributes.number("BANDWIDTH") ?? .max, codecs: codecs,
                    hasPicture: attributes["RESOLUTION"] != nil || attributes["VIDEO"] != nil,
                    audioGroup: attributes["AUDIO"]))
            return
        }
        // A URI without #EXTINF is not a segment.
        guard let duration else { return }
        guard count < Self.mostSegments else {
            throw failure("its playlist has more than \(Self.mostSegments) segments")
        }
        guard HLSReference.isFetched(text) else {
            throw failure("its playlist names a segment that is not a web address")
        }
        let media = HLSPart(reference: HLSReference(text, from: base), range: try takeRange(of: text), key: key)
        slots.append(
            HLSSegment(
                sequence: sequence, duration: duration, media: media, map: map, discontinuity: discontinuity,
                isGap: isGap))
        if !isEnded, slots.count >= 2 * Self.mostLive { slots.keepLast(Self.mostLive) }
        count += 1
        sequence += 1
        longest = max(longest, duration)
        (self.duration, isGap) = (nil, false)
    }

    private mutating func takeRange(of reference: String) throws(MediaError) -> Range<Int64>? {
        defer { (length, openRange) = (nil, nil) }
        var range = length
        if let count = openRange {
            // RFC 8216, 4.3.2.2: the range continues the previous one of the same file.
            guard let lastRange, lastRange.reference == reference,
                let end = ByteCount(lastRange.end + count)?.bytes
            else {
                throw failure("its playlist has a byte range without a start")
            }
            range = lastRange.end..<end
        }
        lastRange = range.map { (reference, $0.upperBound) }
        return range
    }

    // MARK: Keys and maps

    private func key(_ attributes: HLSAttributes) throws(MediaError) -> HLSKey? {
        let method = attributes["METHOD"] ?? ""
        if method == "NONE" { return nil }
        guard method == "AES-128", (attributes["KEYFORMAT"] ?? "identity") == "identity" else {
            throw failure("its encryption \(Substring(method.unicodeScalars.prefix(24))) is not supported")
        }
        guard let uri = attributes["URI"], HLSReference.isFetched(uri) else {
            throw failure("the key of its segments is not at a web address")
        }
        return HLSKey(reference: HLSReference(uri, from: base), vector: attributes.vector("IV"))
    }

    private func map(_ attributes: HLSAttributes) throws(MediaError) -> HLSPart {
        guard let uri = attributes["URI"], HLSReference.isFetched(uri) else {
            throw failure("the beginning of its segments is not at a web address")
        }
        var range: Range<Int64>?
        if let text = attributes["BYTERANGE"] {
            let (whole, open) = Self.range(text[...])
            range = whole ?? open.map { 0..<$0 }
        }
        return HLSPart(reference: HLSReference(uri, from: base), range: range, key: key)
    }

    private mutating func rendition(_ attributes: HLSAttributes) {
        guard attributes["TYPE"] == "AUDIO", let group = attributes["GROUP-ID"], renditions.count < 200 else { return }
        let uri = attributes["URI"]
        let address = uri.flatMap { base.address.redirected(to: $0) }
        guard address != nil || uri == nil else { return }
        renditions.append(
            HLSMasterPlaylist.Rendition(group: group, address: address, isDefault: attributes["DEFAULT"] == "YES"))
    }

    // MARK: Values

    /// A sequence number to which every segment's index can be added.
    private static func number(_ text: Substring) -> Int64? {
        Int64(text.trimmingSpaces).flatMap { (0..<1 << 60).contains($0) ? $0 : nil }
    }

    private static func seconds(_ text: Substring) -> Double? {
        Double(String(text).trimmingSpaces).flatMap { $0 >= 0 && $0 <= longestSegment ? $0 : nil }
    }

    /// `length@offset`, or only the length.
    private static func range(_ text: Substring) -> (Range<Int64>?, Int64?) {
        let parts = text.split(separator: "@", maxSplits: 1).map { ByteCount(digits: $0.trimmingSpaces) }
        guard let length = parts.first ?? nil, length > 0 else { return (nil, nil) }
        guard parts.count > 1 else { return (nil, length.bytes) }
        guard let offset = parts[1], let end = ByteCount(offset.bytes + length.bytes) else { return (nil, nil) }
        return (offset.bytes..<end.bytes, nil)
    }
}

/// `NAME=value,NAME="quoted, value"` (RFC 8216, section 4.2).
struct HLSAttributes {
    private var values: [Substring: Substring] = [:]

    init(_ text: Substring) {
        var rest = text
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].drop { $0 == " " || $0 == "," }
            rest = rest[rest.index(after: equals)...]
            if rest.first == "\"" {
                rest.removeFirst()
                values[name] = rest.prefix { $0 != "\"" }
                rest = rest.drop { $0 != "\"" }.dropFirst()
            } else {
                values[name] = rest.prefix { $0 != "," }
            }
            rest = rest.drop { $0 != "," }.dropFirst()
        }
    }

    subscript(name: Substring) -> String? { values[name].map(String.init) }

    func number(_ name: Substring) -> Int? { values[name].flatMap { Int($0) } }

    /// `0x` and 1 to 32 hexadecimal digits, as 16 bytes.
    func vector(_ name: Substring) -> [UInt8]? {
        guard let text = values[name], text.lowercased().hasPrefix("0x") else { return nil }
        let digits = text.dropFirst(2).utf8.compactMap(PercentEncoding.hexadecimal)
        guard (1...32).contains(digits.count), digits.count == text.utf8.count - 2 else { return nil }
        let padded = [UInt8](repeating: 0, count: 32 - digits.count) + digits
        return stride(from: 0, to: 32, by: 2).map { padded[$0] << 4 | padded[$0 + 1] }
    }
}

/// The non-empty lines of a playlist, trimmed.
struct HLSLines: Sequence, IteratorProtocol {
    private let text: [UInt8]
    private var place = 0

    init(_ text: [UInt8]) { self.text = text }

    mutating func next() -> ArraySlice<UInt8>? {
        while place < text.count {
            var start = place
            while place < text.count, text[place] != 0x0A, text[place] != 0x0D { place += 1 }
            var end = place
            place += 1
            while start < end, Self.isBlank(text[start]) { start += 1 }
            while start < end, Self.isBlank(text[end - 1]) { end -= 1 }
            if start < end { return text[start..<end] }
        }
        return nil
    }

    /// UTF-8, else Latin-1.
    static func string(_ line: ArraySlice<UInt8>) -> String {
        String(foreign: line).streamSafe
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
