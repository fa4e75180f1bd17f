// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback
internal import Synchronization

/// Fetches pictures that items name by a web address. The server does this, so that page and desktop contact no strangers, and
/// each picture is fetched once for all clients.
final class WebPictures: Sendable {
    /// Bytes of one picture.
    static let largest = 8 << 20
    /// Bytes of all pictures kept in memory.
    static let kept = 8 << 20
    /// Timeout for one picture, in seconds.
    static let patience = 10.0
    /// Seconds for which a picture is kept.
    static let freshness = 600.0
    /// Seconds before an address that has failed is fetched again.
    static let respite = 30.0
    private static let maximumFailures = 64

    private struct Known {
        var pictures = RecentlyUsed<String, (bytes: [UInt8], until: MonotonicTime)>(capacity: WebPictures.kept)
        var failures: [String: (error: MediaError, until: MonotonicTime)] = [:]
    }

    private let transport: (any HTTPTransport)?
    private let known = Mutex(Known())

    /// `transport`: nil if the network is off.
    init(transport: (any HTTPTransport)?) { self.transport = transport }

    /// Blocks for up to 10 s, or until cancelled. Throws `unsupported` if the file is not a picture or is too large.
    func picture(at locator: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> [UInt8] {
        guard let transport else { throw .networkOff }
        guard let address = WebAddress(locator.uri) else {
            throw MediaError(.notFound, "artworkUri is not a web address such as https://host/path.")
        }
        let now = transport.now
        // A picture fetched with a wider reach is not served to a caller with a narrower one.
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
            address, fields: [], transport: transport, limits: limits, reach: reach, piece: NetworkPiece())
        let deadline = transport.now.advanced(bySeconds: Self.patience)
        return try source.read(until: deadline, within: Self.patience, cancellation) { () throws(MediaError) in
            // Anything else is not loaded.
            guard PictureFormat(try source.bytes(at: 0, count: PictureFormat.headSize)) != nil else {
                throw MediaError(.unsupported, "\(address.name) is not a picture.")
            }
            if let size = source.size, size.bytes > Self.largest {
                throw .tooLarge(source.name, for: "a picture", limit: Self.largest)
            }
            return try source.whole(limit: Self.largest, as: "a picture")
        }
    }
}
