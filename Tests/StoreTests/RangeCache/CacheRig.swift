// SPDX-License-Identifier: Apache-2.0

import Kernel
import KernelTesting
import FoundationEssentials
import Logging
import Media

@testable import Store

/// A cache in its own directory, which is removed with the rig.
final class CacheRig {
    private let folder: TemporaryFolder
    var directory: String { folder.path }
    private(set) var cache: RangeCache

    init(
        limit: Int64 = 1 << 30, ignoring: [String]? = nil, sync: (@Sendable (Int32) -> Int32)? = nil
    ) throws {
        folder = try TemporaryFolder()
        var configuration = RangeCache.Configuration(directory: folder.path, limit: limit, ignoredParameters: ignoring)
        if let sync { configuration.sync = sync }
        self.configuration = configuration
        cache = try RangeCache(configuration, log: CacheRig.log)
    }

    deinit { cache.stop() }

    private let configuration: RangeCache.Configuration
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    static func address(_ path: String) throws -> WebAddress {
        guard let address = WebAddress("http://host/\(path)") else { throw CacheOpenError(description: path) }
        return address
    }

    /// Stores this part of a file of `size` bytes.
    @discardableResult
    func keep(_ range: Range<Int64>, of path: String, size: ByteCount?, tag: String? = "\"v1\"") throws
        -> any CachedMedia
    {
        let media = try media(path)
        media.describe(CachedFacts(size: size, entityTag: tag))
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 65_536) {
            MediaPattern.bytes(start..<range.upperBound).withUnsafeBytes { media.store($0, at: start) }
        }
        return media
    }

    func media(_ path: String) throws -> any CachedMedia {
        guard let media = cache.make(try Self.address(path)) else { throw CacheOpenError(description: "no \(path)") }
        return media
    }

    func find(_ path: String) throws -> (any CachedMedia)? { cache.find(try Self.address(path)) }

    func restart() throws {
        cache.stop()
        cache = try RangeCache(configuration, log: Self.log)
    }

    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter { !$0.hasPrefix("cache.sqlite") }.sorted()
    }

    static func holds(_ media: any CachedMedia, _ range: Range<Int64>) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let expected = MediaPattern.bytes(offset..<range.upperBound)
            var found = [UInt8](repeating: 0, count: expected.count)
            guard let count = found.withUnsafeMutableBytes({ media.read(into: $0, at: offset) }), count > 0,
                found.prefix(count) == expected.prefix(count)
            else { return false }
            offset += Int64(count)
        }
        return true
    }
}
