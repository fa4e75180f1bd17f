// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback
internal import Synchronization

/// Pictures that items name by a web address: fetched by the server, so that neither page nor desktop asks strangers, and
/// each only once by however many look at it.
final class WebPictures: Sendable {
    /// Bytes of one picture.
    static let largest = 8 << 20
    /// Bytes of all that are kept, in memory.
    static let kept = 8 << 20
    /// Seconds for one.
    static let patience = 10.0
    /// Seconds for which a picture counts as what the address still holds.
    static let freshness = 600.0
    /// Seconds in which an address that has failed is not asked again.
    static let respite = 30.0
    private static let maximumFailures = 64

    private struct Known {
        var pictures = RecentlyUsed<String, (bytes: [UInt8], until: MonotonicTime)>(capacity: WebPictures.kept)
        var failures: [String: (error: MediaError, until: MonotonicTime)] = [:]
    }

    private let transport: (any HTTPTransport)?
    private let known = Mutex(Known())

    /// `transport`: nil where nothing may be fetched.
    init(transport: (any HTTPTransport)?) { self.transport = transport }

    /// Blocks, for 10 s at most, or until it is cancelled. Throws `unsupported` for what is no picture, or too large a one.
    func picture(
        at locator: MediaLocator, cancellation: MediaCancellation = MediaCancellation()
    ) throws(MediaError) -> [UInt8] {
        guard let transport else { throw .networkOff }
        guard let address = WebAddress(locator.uri) else {
            throw MediaError(.notFound, "artworkUri is not a web address such as https://host/path.")
        }
        let now = transport.now
        // A picture that somebody else may not reach is none for them.
        let key = "\(locator.reach.rawValue) \(address.url)"
        let (picture, failure) = known.withLock { known in
            (known.pictures[key], known.failures[key])
        }
        if let picture, now < picture.until { return picture.bytes }
        if let failure, now < failure.until { throw failure.error }
        do throws(MediaError) {
            let bytes = try fetch(address, locator.reach, transport, cancellation)
            known.withLock { known in
                known.failures[key] = nil
                let until = transport.now.advanced(bySeconds: Self.freshness)
                known.pictures.insert((bytes, until), for: key, size: bytes.count)
            }
            return bytes
        } catch {
            if error.code != .cancelled { remember(error, of: key, now: transport.now) }
            throw error
        }
    }

    private func remember(_ error: MediaError, of key: String, now: MonotonicTime) {
        known.withLock { known in
            if known.failures.count >= Self.maximumFailures {
                known.failures = known.failures.filter { now < $0.value.until }
            }
            guard known.failures.count < Self.maximumFailures else { return }
            known.failures[key] = (error, now.advanced(bySeconds: Self.respite))
        }
    }

    private func fetch(
        _ address: WebAddress, _ reach: NetworkReach, _ transport: any HTTPTransport, _ cancellation: MediaCancellation
    ) throws(MediaError) -> [UInt8] {
        var limits = NetworkLimits()
        limits.start = Self.patience
        limits.retries = 1
        limits.memory = 256 << 10
        let source = HTTPSource(
            address, fields: [], transport: transport, limits: limits, reach: reach, cache: nil, piece: NetworkPiece()
        ) { _ in }
        defer { source.close() }
        cancellation.onCancel { source.close() }
        transport.call(at: transport.now.advanced(bySeconds: Self.patience)) { [weak source] in source?.close() }
        do throws(MediaError) {
            // Whatever else it is, it is not loaded.
            guard PictureFormat(try source.bytes(at: 0, count: PictureFormat.headSize)) != nil else {
                throw MediaError(.unsupported, "\(address.name) is not a picture.")
            }
            return try Self.whole(source)
        } catch {
            guard error.code == .cancelled, !cancellation.isCancelled else { throw error }
            throw MediaError(.network, "\(address.name) did not arrive within \(Int(clamping: Self.patience)) s.")
        }
    }

    private static func whole(_ source: any ByteSource) throws(MediaError) -> [UInt8] {
        let mayFit = source.size.map { $0.bytes <= largest } ?? true
        if mayFit, let bytes = try source.whole(limit: largest) { return bytes }
        throw MediaError(.unsupported, "\(source.name) is too large for a picture (\(largest >> 20) MB at most).")
    }
}
