// SPDX-License-Identifier: Apache-2.0

internal import Media

/// Under which name an address is kept: without what changes from one visit to the next.
struct CacheKey: Sendable {
    /// Query parameters that name the client, not the content. A `*` at the end stands for any rest.
    static let usuallyIgnored = [
        "token", "access_token", "auth", "sig", "signature", "expires", "session", "sid", "x-amz-*", "x-goog-*",
    ]

    private let names: Set<String>
    private let prefixes: [String]

    init(ignoring parameters: [String]) {
        let lower = parameters.map { $0.lowercased() }
        names = Set(lower.filter { !$0.hasSuffix("*") })
        prefixes = lower.filter { $0.hasSuffix("*") }.map { String($0.dropLast()) }
    }

    func name(_ address: WebAddress) -> String {
        let url = address.url
        guard let query = url.firstIndex(of: "?") else { return url }
        let kept = url[url.index(after: query)...].split(separator: "&").filter { pair in
            let name = pair.prefix { $0 != "=" }.lowercased()
            return !names.contains(name) && !prefixes.contains { name.hasPrefix($0) }
        }
        return url[..<query] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    }
}
