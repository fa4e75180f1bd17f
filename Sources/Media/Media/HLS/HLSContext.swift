// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// Everything that fetching one HLS stream needs.
struct HLSContext: Sendable {
    let name: String
    /// The address that `fields` were given for; they are sent to its origin only.
    let origin: WebAddress
    let fields: [TransferHeader]
    let transport: any HTTPTransport
    let limits: NetworkLimits
    let hls: HLSLimits
    let cipher: (any SegmentCipher)?
    let report: @Sendable (MediaLoading) -> Void

    static let largestMap = 4 << 20

    /// Starts to load at once.
    func source(
        _ part: HLSPart, limits: NetworkLimits, report: @escaping @Sendable (MediaLoading) -> Void = { _ in }
    ) -> HTTPSource {
        let address = part.reference.address
        return HTTPSource(
            address, fields: address.mayReceiveFields(of: origin) ? fields : [], transport: transport,
            limits: limits, reach: part.reference.base.reach, piece: NetworkPiece(range: part.range), report: report)
    }

    func playlist(in source: HTTPSource, from address: WebAddress) throws(MediaError) -> HLSParser.Result {
        let bytes = try source.whole(limit: HLSParser.largest, as: "a playlist")
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
}

/// How far ahead an HLS stream is loaded, and its timeouts. Seconds and bytes.
struct HLSLimits: Hashable {
    /// Loaded ahead of the reader, in whole segments.
    var ahead = 30.0
    var aheadBytes: Int64 = 8 << 20
    /// Segments, including the current one: each has a fixed cost, however short it is.
    var aheadSegments = 100
    /// How long before its start the next run is opened.
    var lead = 4.0
    /// Timeout for one playlist.
    var playlist = 20.0
    /// A live playlist without a new segment for this long, and for three target durations, has failed.
    var stall = 20.0
    /// Distance between the join point and the end of a live playlist, in target durations.
    var edge = 3.0
    /// The least extra distance behind the join point at which the reader jumps forward. A rebuffering wait uses up most of it.
    var lag = 12.0
    /// Consecutive missing segments that are replaced by silence.
    var missing = 3
    /// Their total duration, at most.
    var missingSeconds = 60.0
    /// In a live stream, more segments than that may be missing within this duration.
    var missingLiveSeconds = 15.0

    /// Limits for one segment. In a live stream, newer segments are worth more than a late one.
    static func segment(_ limits: NetworkLimits, isLive: Bool) -> NetworkLimits {
        var limits = limits
        limits.memory = min(limits.memory, 4 << 20)
        if isLive { (limits.retries, limits.stall) = (min(1, limits.retries), min(8, limits.stall)) }
        return limits
    }

    /// Limits for a playlist, which must fit into memory as a whole.
    static func playlist(_ limits: NetworkLimits) -> NetworkLimits {
        var limits = limits
        limits.memory = 6 << 20
        limits.retries = 1
        return limits
    }
}
