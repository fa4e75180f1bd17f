// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// Reads what a playlist's text says. References start from where it lies.
struct HLSParser {
    enum Result: Hashable {
        case media(HLSMediaPlaylist)
        case master(HLSMasterPlaylist)
    }

    static let largest = 4 << 20
    static let mostSegments = 50_000
    private static let longestSegment = 86_400.0

    private let base: WebAddress
    private var segments: [HLSSegment] = []
    private var variants: [HLSMasterPlaylist.Variant] = []
    private var renditions: [HLSMasterPlaylist.Rendition] = []
    private var target: Double?
    private var sequence: Int64 = 0
    private var discontinuity: Int64 = 0
    private var isEnded = false
    // Of the next piece.
    private var duration: Double?
    private var title: String?
    private var length: Range<Int64>?
    private var isGap = false
    // Of all pieces from here on.
    private var map: HLSPart?
    private var key: Key?
    private var pending: HLSAttributes?
    private var lastRange: (address: WebAddress, end: Int64)?
    private var openRange: Int64?

    private struct Key {
        var address: WebAddress
        /// nil: the piece's number.
        var vector: [UInt8]?
    }

    static func parse(_ text: String, at base: WebAddress) throws(MediaError) -> Result {
        var parser = HLSParser(base: base)
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = String(Substring(line)).trimmedOfSpaces
            if line.hasPrefix("#EXT") {
                try parser.tag(line)
            } else if !line.hasPrefix("#"), !line.isEmpty {
                try parser.reference(line)
            }
            if parser.isEnded { break }
        }
        return try parser.result()
    }

    private init(base: WebAddress) {
        self.base = base
    }

    private func failure(_ problem: String) -> MediaError {
        MediaError(.unsupported, "\(base.name) cannot be played: \(problem).")
    }

    private func result() throws(MediaError) -> Result {
        if !variants.isEmpty { return .master(HLSMasterPlaylist(variants: variants, renditions: renditions)) }
        let longest = segments.lazy.map(\.duration).max() ?? 0
        guard !segments.isEmpty || target != nil else {
            throw failure("its playlist names nothing that can be fetched")
        }
        let duration = max(1, target ?? longest.rounded(.up))
        return .media(HLSMediaPlaylist(targetDuration: duration, isEnded: isEnded, segments: segments))
    }

    // MARK: Lines

    private mutating func tag(_ line: Substring) throws(MediaError) {
        let name = line.prefix { $0 != ":" }
        let value = line.dropFirst(name.count + 1)
        switch name {
        case "#EXTINF":
            let parts = value.split(separator: ",", maxSplits: 1)
            duration = parts.first.flatMap { Self.seconds($0) }
            title = parts.count > 1 ? String(parts[1]) : nil
        case "#EXT-X-TARGETDURATION": target = Self.seconds(value)
        case "#EXT-X-MEDIA-SEQUENCE":
            if segments.isEmpty, let number = Int64(value), (0..<1 << 60).contains(number) { sequence = number }
        case "#EXT-X-DISCONTINUITY-SEQUENCE":
            if segments.isEmpty, let number = Int64(value), (0..<1 << 60).contains(number) { discontinuity = number }
        case "#EXT-X-DISCONTINUITY": discontinuity += 1
        case "#EXT-X-ENDLIST": isEnded = true
        case "#EXT-X-GAP": isGap = true
        case "#EXT-X-BYTERANGE": (length, openRange) = Self.range(value)
        case "#EXT-X-KEY": key = try key(HLSAttributes(value))
        case "#EXT-X-MAP": map = try map(HLSAttributes(value))
        case "#EXT-X-STREAM-INF": pending = HLSAttributes(value)
        case "#EXT-X-MEDIA": rendition(HLSAttributes(value))
        default: break
        }
    }

    private mutating func reference(_ line: Substring) throws(MediaError) {
        let address = base.redirected(to: String(line))
        if let attributes = pending {
            pending = nil
            guard let address, variants.count < 200 else { return }
            let codecs = attributes["CODECS"]?.split(separator: ",").map { String(String($0).trimmedOfSpaces) } ?? []
            variants.append(
                HLSMasterPlaylist.Variant(
                    address: address, bandwidth: attributes.number("BANDWIDTH") ?? .max, codecs: codecs,
                    hasPicture: attributes["RESOLUTION"] != nil || attributes["VIDEO"] != nil,
                    audioGroup: attributes["AUDIO"]))
            return
        }
        // Without a length it is no piece; lists of other things have such lines.
        guard let duration else { return }
        guard segments.count < Self.mostSegments else {
            throw failure("its playlist has more than \(Self.mostSegments) pieces")
        }
        let range = try takeRange(of: address)
        if let address {
            segments.append(
                HLSSegment(
                    sequence: sequence, duration: duration, title: title,
                    media: HLSPart(address: address, range: range, key: key(of: sequence)), map: map,
                    discontinuity: discontinuity, isGap: isGap))
        } else {
            throw failure("its playlist names a piece that is no web address")
        }
        sequence += 1
        (self.duration, title, isGap) = (nil, nil, false)
    }

    private mutating func takeRange(of address: WebAddress?) throws(MediaError) -> Range<Int64>? {
        defer { (length, openRange) = (nil, nil) }
        guard let address else { return nil }
        var range = length
        if let count = openRange {
            // It goes on where the last one of the same address has ended.
            guard let lastRange, lastRange.address == address, lastRange.end < 1 << 60 else {
                throw failure("its playlist has a part that begins nowhere")
            }
            range = lastRange.end..<lastRange.end + count
        }
        lastRange = range.map { (address, $0.upperBound) }
        return range
    }

    // MARK: Keys and maps

    private func key(_ attributes: HLSAttributes) throws(MediaError) -> Key? {
        let method = attributes["METHOD"] ?? ""
        if method == "NONE" { return nil }
        guard method == "AES-128", (attributes["KEYFORMAT"] ?? "identity") == "identity" else {
            throw failure("it is ciphered with \(method.prefix(24)), which is not played here")
        }
        guard let address = attributes["URI"].flatMap({ base.redirected(to: $0) }) else {
            throw failure("the key of its pieces is not at a web address")
        }
        return Key(address: address, vector: attributes.vector("IV"))
    }

    private func key(of sequence: Int64) -> HLSKey? {
        guard let key else { return nil }
        let number =
            [UInt8](repeating: 0, count: 8) + (0..<8).reversed().map { UInt8(truncatingIfNeeded: sequence >> ($0 * 8)) }
        return HLSKey(address: key.address, vector: key.vector ?? number)
    }

    private func map(_ attributes: HLSAttributes) throws(MediaError) -> HLSPart {
        guard let address = attributes["URI"].flatMap({ base.redirected(to: $0) }) else {
            throw failure("the beginning of its pieces is not at a web address")
        }
        var range: Range<Int64>?
        if let text = attributes["BYTERANGE"] {
            let (whole, open) = Self.range(text[...])
            range = whole ?? open.map { 0..<$0 }
        }
        return HLSPart(
            address: address, range: range,
            key: key.map { HLSKey(address: $0.address, vector: $0.vector ?? [UInt8](repeating: 0, count: 16)) })
    }

    private mutating func rendition(_ attributes: HLSAttributes) {
        guard attributes["TYPE"] == "AUDIO", let group = attributes["GROUP-ID"], renditions.count < 200,
            let address = attributes["URI"].flatMap({ base.redirected(to: $0) })
        else { return }
        renditions.append(
            HLSMasterPlaylist.Rendition(group: group, address: address, isDefault: attributes["DEFAULT"] == "YES"))
    }

    // MARK: Values

    private static func seconds(_ text: Substring) -> Double? {
        Double(String(text).trimmedOfSpaces).flatMap { $0 >= 0 && $0 <= longestSegment ? $0 : nil }
    }

    /// `length@offset`, or only the length.
    private static func range(_ text: Substring) -> (Range<Int64>?, Int64?) {
        let parts = text.split(separator: "@", maxSplits: 1).map { Int64($0) }
        guard let length = parts.first ?? nil, (1..<1 << 40).contains(length) else { return (nil, nil) }
        guard parts.count > 1 else { return (nil, length) }
        guard let offset = parts[1], (0..<1 << 60).contains(offset) else { return (nil, nil) }
        return (offset..<offset + length, nil)
    }
}
