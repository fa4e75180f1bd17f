// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback

/// A URI without the secrets of web addresses.
enum PublicURI {
    /// Words in the names of query parameters whose values grant access.
    private static let secretWords: Set<Substring> = [
        "token", "key", "apikey", "sig", "signature", "auth", "authorization", "password", "passwd", "pass", "pwd",
        "secret", "credential", "credentials", "session", "sid", "hmac", "jwt", "ticket",
    ]
    private static let hidden = "***"

    /// `uri` itself if it has no secret; local paths always.
    static func text(_ uri: String) -> String {
        guard MediaLocator.isNetwork(uri), let start = uri.firstRange(of: "//")?.upperBound else { return uri }
        let end = uri[start...].firstIndex { "/?#".contains($0) } ?? uri.endIndex
        var result = String(uri[..<start])
        if let at = uri[start..<end].utf8.lastIndex(of: UInt8(ascii: "@")) {
            result += hidden + uri[at..<end]
        } else {
            result += uri[start..<end]
        }
        guard let query = uri[end...].firstIndex(of: "?") else { return result + uri[end...] }
        let queryEnd = uri[query...].firstIndex(of: "#") ?? uri.endIndex
        let pairs = uri[uri.index(after: query)..<queryEnd].split(separator: "&", omittingEmptySubsequences: false)
        return result + uri[end...query] + pairs.map(shown).joined(separator: "&") + uri[queryEnd...]
    }

    private static func shown(_ pair: Substring) -> String {
        guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
        return isSecret(pair[..<equals]) ? pair[...equals] + hidden : String(pair)
    }

    /// `access_token`, `X-Amz-Signature`, `accessToken`, `%74oken`.
    private static func isSecret(_ name: Substring) -> Bool {
        var words: [Substring] = []
        var word = ""
        func end() {
            if !word.isEmpty { words.append(Substring(word.lowercased())) }
            word = ""
        }
        for character in PercentEncoding.decode(name) ?? String(name) {
            if !character.isLetter || (character.isUppercase && word.last?.isLowercase == true) { end() }
            if character.isLetter { word.append(character) }
        }
        end()
        return words.contains { secretWords.contains($0) }
    }
}
