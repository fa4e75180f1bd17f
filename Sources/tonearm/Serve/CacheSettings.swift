// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Logging
import Store

struct CacheOptions: ParsableArguments {
    @Option(
        onOff:
            "Whether files from web servers are kept on disk, to be played again; stations and HLS streams are not (default off).",
        name: .customLong("cache"))
    var isOn: String?

    @Option(
        value: "directory", "Directory of the cache (default: DATA/cache).", name: .customLong("cache-dir"),
        completion: .directory)
    var directory: String?

    @Option(value: "n", "Size limit in megabytes, 1 to 10000000 (default 256).", name: .customLong("cache-limit"))
    var limit: String?

    @Option(
        value: "name",
        "Query parameter that does not distinguish media, * for all others; may be given several times (default: token, signature and similar ones).",
        name: .customLong("cache-ignore"))
    var ignored: [String] = []
}

/// Whether and how media from the network are kept.
struct CacheSettings: Equatable {
    var isOn = false
    var directory = ""
    var limit: Int64 = 256 << 20
    /// nil: the usual ones.
    var ignored: [String]?

    init() {}

    init(_ values: OptionValues, _ options: CacheOptions, data: String) throws {
        isOn = try values.flag("cache", options.isOn, default: false)
        directory = try values.text("cache-dir", options.directory) ?? data + "/cache"
        limit = try values.number("cache-limit", options.limit, in: 1...10_000_000).map { Int64($0) << 20 } ?? limit
        let names = try values.list("cache-ignore", options.ignored)
        ignored = names.isEmpty ? nil : names
    }
}

extension Server {
    /// nil when nothing is to be kept.
    static func cache(_ configuration: ServerConfiguration, _ log: Logger) throws -> RangeCache? {
        let settings = configuration.cache
        guard settings.isOn, configuration.usesNetwork else { return nil }
        return try Failure.unless("cache:", "; name another directory with --cache-dir DIR.") {
            try RangeCache(
                RangeCache.Configuration(
                    directory: settings.directory, limit: settings.limit, ignoredParameters: settings.ignored),
                log: log)
        }
    }
}
