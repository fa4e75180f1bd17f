// SPDX-License-Identifier: Apache-2.0

internal import Kernel
public import Playback

/// Opens `http:` and `https:` URLs with the first decoder that recognises the content, and anything else with another opener.
public struct NetworkMediaOpener: MediaOpener {
    private let transport: (any HTTPTransport)?
    private let limits: NetworkLimits
    private let cache: (any MediaCache)?
    private let cipher: (any SegmentCipher)?
    private let selection: MediaExaminer
    private let local: any MediaOpener
    /// Registers open streams.
    public var streams: OpenStreams?

    /// `transport`: nil if the network is off. `cache`: nil for no cache. `cipher`: nil if encrypted streams cannot be played.
    /// `factories` are asked in order.
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
        let address = try locator.webAddress()
        // A playlist's own loading progress is not reported.
        let isPlaylist = Monitor(false)
        var limits = limits
        if let timeout = locator.oneShot?.timeout {
            // A server may synthesize speech while it sends it, and a retry would start that again: wait as long as allowed.
            (limits.start, limits.stall) = (timeout, max(limits.stall, timeout))
        }
        let source = HTTPSource(
            address, fields: locator.fields, transport: transport, limits: limits, reach: locator.reach, cache: cache,
            piece: locator.oneShot.map { _ in NetworkPiece() }
        ) { loaded in
            if !isPlaylist.withLock({ $0 }) { loading(loaded) }
        }
        cancellation.onCancel { source.close() }
        cancellation.onInterrupt { source.interrupt($0) }
        let head = try source.bytes(at: 0, count: MediaExaminer.headSize)
        if MediaListFormat(head, isNamedList: false) == .hls {
            isPlaylist.withLock { $0 = true }
            let context = HLSContext(
                name: address.name, origin: address, fields: locator.fields, transport: transport, limits: limits,
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
        // Only media are cached.
        source.keep()
        return SettledDecoder(decoder, source, head: head, selection) ?? decoder
    }
}

extension MediaLocator {
    /// Throws `notFound` if the uri is not a web address.
    func webAddress() throws(MediaError) -> WebAddress {
        if let address = WebAddress(uri) { return address }
        throw MediaError(.notFound, "This is not a web address such as https://host/path.")
    }

    /// The item's header fields, in a fixed order.
    var fields: [TransferHeader] { headers.sorted { $0.key < $1.key }.map { TransferHeader($0.key, $0.value) } }
}

extension MediaError {
    static let networkOff = MediaError(
        .forbidden, "Network addresses are switched off on this server (--network off).")
}
