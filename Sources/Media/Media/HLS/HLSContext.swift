// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// The shared means of fetching one stream.
struct HLSContext: Sendable {
    let name: String
    /// Whose header fields these are.
    let origin: WebAddress
    let fields: [TransferHeader]
    let transport: any HTTPTransport
    let limits: NetworkLimits
    let hls: HLSLimits
    let cipher: (any SegmentCipher)?
    let report: @Sendable (MediaLoading) -> Void

    static let largestMap = 4 << 20

    /// Begins to load at once.
    func source(
        _ part: HLSPart, limits: NetworkLimits, report: @escaping @Sendable (MediaLoading) -> Void
    ) -> HTTPSource {
        let address = part.reference.address
        return HTTPSource(
            address, fields: address.mayReceiveFields(of: origin.origin) ? fields : [], transport: transport,
            limits: limits, reach: part.reference.base.reach, cache: nil, piece: NetworkPiece(range: part.range),
            report: report)
    }

    func playlist(in source: HTTPSource, from address: WebAddress) throws(MediaError) -> HLSParser.Result {
        let bytes = try Self.whole(source, from: 0, limit: HLSParser.largest)
        let head = ListText.decode(bytes.prefix(MediaExaminer.headSize))
        guard head.drop(while: { $0.isWhitespace || $0 == "\u{FEFF}" }).hasPrefix("#EXTM3U") else {
            throw MediaError(.unsupported, "\(name) cannot be played: its playlist is not an HLS playlist.")
        }
        return try HLSParser.parse(
            ListText.withoutUTF16(bytes), at: source.servedFrom ?? address, reach: source.servedReach)
    }

    func mediaPlaylist(in source: HTTPSource, from address: WebAddress) throws(MediaError) -> HLSMediaPlaylist {
        switch try playlist(in: source, from: address) {
        case .media(let playlist): return playlist
        case .master:
            throw MediaError(.unsupported, "\(name) cannot be played: its master playlist names another one.")
        }
    }

    static func whole(_ source: HTTPSource, from start: Int64, limit: Int) throws(MediaError) -> [UInt8] {
        if let bytes = try source.whole(from: start, limit: limit) { return bytes }
        throw MediaError(.unsupported, "\(source.name) is too large (\(limit) bytes at most).")
    }
}

/// How far an HLS stream is loaded ahead, and how long it is waited for. Seconds and bytes.
struct HLSLimits: Hashable {
    /// Ahead of what is read, in whole segments.
    var ahead = 30.0
    var aheadBytes: Int64 = 8 << 20
    /// Segments, that which is read among them: each costs something, however short it is.
    var aheadSegments = 100
    /// Before its turn, the next decoder is opened.
    var lead = 4.0
    /// For one playlist.
    var playlist = 20.0
    /// A live playlist that brings nothing new for three target durations, and at least so long, has ended.
    var stall = 20.0
    /// Target durations between the end of a live playlist and where it is joined.
    var edge = 3.0
    /// So much farther behind, at least, is too far: to wait until there is enough again takes most of it.
    var lag = 12.0
    /// Missing segments in a row that are borne.
    var missing = 3
    /// Seconds that they make, at most.
    var missingSeconds = 60.0
    /// Seconds in which more of a live stream may be missing.
    var missingLiveSeconds = 15.0

    /// Of one segment. Live there are others, which are worth more than a late one.
    static func segment(_ limits: NetworkLimits, isLive: Bool) -> NetworkLimits {
        var limits = limits
        limits.memory = min(limits.memory, 4 << 20)
        if isLive { (limits.retries, limits.stall) = (min(1, limits.retries), min(8, limits.stall)) }
        return limits
    }

    /// Of a playlist, all of which must fit.
    static func playlist(_ limits: NetworkLimits) -> NetworkLimits {
        var limits = limits
        limits.memory = 6 << 20
        limits.retries = 1
        return limits
    }
}
