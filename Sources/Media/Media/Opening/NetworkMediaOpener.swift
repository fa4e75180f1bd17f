// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization

/// Opens `http:` and `https:` URLs with the first decoder that recognises what comes, and anything else with another
/// opener.
public struct NetworkMediaOpener: MediaOpener {
    private let transport: (any HTTPTransport)?
    private let limits: NetworkLimits
    private let cache: (any MediaCache)?
    private let cipher: (any SegmentCipher)?
    private let selection: MediaExaminer
    private let local: any MediaOpener
    /// Where it is noted what is open; nil: nowhere.
    public var streams: OpenStreams?

    /// `transport`: nil where nothing may be fetched. `cache`: nil where nothing is kept. `cipher`: nil where ciphered
    /// streams cannot be played. `factories` are asked in order.
    public init(
        transport: (any HTTPTransport)?, limits: NetworkLimits, cache: (any MediaCache)? = nil,
        cipher: (any SegmentCipher)? = nil, factories: [any DecoderFactory], local: any MediaOpener
    ) {
        self.cache = cache
        self.cipher = cipher
        self.transport = transport
        self.limits = limits
        selection = MediaExaminer(factories: factories)
        self.local = local
    }

    public func open(
        _ locator: MediaLocator, cancellation: MediaCancellation, loading: @escaping @Sendable (MediaLoading) -> Void
    ) throws(MediaError) -> any AudioDecoder {
        guard locator.isNetwork else {
            return try local.open(locator, cancellation: cancellation, loading: loading)
        }
        guard let transport else { throw .networkOff }
        guard let address = WebAddress(locator.uri) else {
            throw MediaError(.notFound, "This is not a web address such as https://host/path.")
        }
        let fields = locator.headers.sorted { $0.key < $1.key }.map { TransferHeader($0.key, $0.value) }
        let isPlaylist = PlaylistFlag()
        var limits = limits
        if let timeout = locator.oneShot?.timeout {
            // A server makes speech while it sends it: a second request begins it anew.
            (limits.start, limits.stall) = (timeout, max(limits.stall, timeout))
        }
        let source = HTTPSource(
            address, fields: fields, transport: transport, limits: limits, reach: locator.reach, cache: cache,
            piece: locator.oneShot.map { _ in NetworkPiece() }
        ) { loaded in
            if !isPlaylist.value.load(ordering: .relaxed) { loading(loaded) }
        }
        cancellation.onCancel { source.close() }
        cancellation.onInterrupt { source.interrupt($0) }
        let head = try source.bytes(at: 0, count: MediaExaminer.headSize)
        if HLSOpening.isPlaylist(head) {
            isPlaylist.value.store(true, ordering: .relaxed)
            let context = HLSContext(
                name: address.name, origin: address, fields: fields, transport: transport, limits: limits,
                hls: HLSLimits(), cipher: cipher, report: loading)
            let decoder = try HLSOpening(
                context: context, selection: selection, cancellation: cancellation,
                refusesLive: locator.oneShot != nil
            )
            .open(source, from: address)
            streams?.note(nil, of: locator.item)
            return decoder
        }
        if HTTPSource.hasIndexLast(head), !source.isSeekable { try source.loadWhole() }
        let decoder = try selection.open(source)
        streams?.note(source, of: locator.item)
        guard source.broadcast(at: 0) == nil else { return LiveDecoder(decoder, source) }
        // Only of what is music.
        source.keep()
        return SettledDecoder(decoder, source, head: head, selection) ?? decoder
    }

    /// What has come of a playlist is not of the media that it names.
    private final class PlaylistFlag: Sendable {
        let value = Atomic(false)
    }
}

extension MediaError {
    static let networkOff = MediaError(
        .forbidden, "Network addresses are switched off on this server (--network off).")
}
