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
            throw MediaError(.unsupported, "\(name) cannot be played: what should be its playlist is none.")
        }
        return try HLSParser.parse(
            ListText.withoutUTF16(bytes), at: source.servedFrom ?? address, reach: source.servedReach)
    }

    func mediaPlaylist(in source: HTTPSource, from address: WebAddress) throws(MediaError) -> HLSMediaPlaylist {
        switch try playlist(in: source, from: address) {
        case .media(let playlist): return playlist
        case .master:
            throw MediaError(.unsupported, "\(name) cannot be played: its playlists choose among playlists.")
        }
    }

    static func whole(_ source: HTTPSource, from start: Int64, limit: Int) throws(MediaError) -> [UInt8] {
        if let bytes = try source.whole(from: start, limit: limit) { return bytes }
        throw MediaError(.unsupported, "\(source.name) is too large (\(limit) bytes at most).")
    }
}
