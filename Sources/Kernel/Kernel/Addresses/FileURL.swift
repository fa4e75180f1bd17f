// SPDX-License-Identifier: Apache-2.0

/// `file:` URLs (RFC 8089) of this machine.
public enum FileURL {
    /// The URL of an absolute path.
    public static func text(_ path: String) -> String { "file://" + PercentEncoding.encode(path, keeping: "-._~/") }

    /// nil if the URL names another machine or has no absolute path.
    public static func path(_ url: String) -> String? {
        var rest = url.dropFirst(5)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            if rest.hasPrefix("localhost/") { rest = rest.dropFirst(9) }
        }
        return rest.hasPrefix("/") ? PercentEncoding.decode(rest) : nil
    }
}
