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
    /// Bytes that a failure counts as: it keeps little more than its sentence.
    private static let failureSize = 1 << 10

    private let transport: (any HTTPTransport)?
    /// Pictures and failures.
    private let known = Mutex(
        RecentlyUsed<String, (result: Result<[UInt8], MediaError>, until: MonotonicTime)>(capacity: WebPictures.kept))

    /// `transport`: nil if the network is off.
    init(transport: (any HTTPTransport)?) { self.transport = transport }

    /// Blocks for up to 10 s, or until cancelled. Throws `unsupported` if the file is not a picture or is too large.
    func picture(at locator: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> [UInt8] {
        guard let transport else { throw .networkOff }
        guard let address = WebAddress(locator.uri) else {
            throw MediaError(.notFound, "artworkUri is not a web address such as https://host/path.")
        }
        // A picture fetched with a wider reach is not served to a caller with a narrower one.
        let key = "\(locator.reach.rawValue) \(address.url)"
        if let (result, until) = known.withLock({ $0[key] }), transport.now < until { return try result.get() }
        let result = Result { () throws(MediaError) in
            try fetch(address, locator.reach, transport, cancellation)
        }
        var (size, lifetime) = (Self.failureSize, Self.respite)
        switch result {
        case .success(let bytes): (size, lifetime) = (bytes.count, Self.freshness)
        case .failure(let error): if error.code == .cancelled { throw error }
        }
        let until = transport.now.advanced(bySeconds: lifetime)
        known.withLock { $0.insert((result, until), for: key, size: size) }
        return try result.get()
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
