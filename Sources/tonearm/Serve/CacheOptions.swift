// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Logging
import Store

struct CacheOptions: ParsableArguments {
    @Option(
        onOff:
            "Whether files from web servers are kept on disk for the next time; radio stations and HLS streams never are (default off).",
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

    /// The configuration of the cache; nil if it is off.
    func configuration(_ values: OptionValues, data: String) throws -> RangeCache.Configuration? {
        let isOn = try values.flag("cache", isOn, default: false)
        let directory = try values.text("cache-dir", directory) ?? data + "/cache"
        let megabytes = try values.number("cache-limit", limit, in: 1...10_000_000) ?? 256
        let ignored = try values.list("cache-ignore", ignored)
        guard isOn else { return nil }
        return RangeCache.Configuration(
            directory: directory, limit: Int64(megabytes) * 1_000_000,
            ignoredParameters: ignored.isEmpty ? nil : ignored)
    }
}

extension Server {
    /// nil if the cache or the network is off.
    static func cache(_ configuration: ServerConfiguration, _ log: Logger) throws -> RangeCache? {
        guard let cache = configuration.cache, configuration.usesNetwork else { return nil }
        return try Failure.unless("cache:", "; name another directory with --cache-dir DIR.") {
            try RangeCache(cache, log: log)
        }
    }
}
