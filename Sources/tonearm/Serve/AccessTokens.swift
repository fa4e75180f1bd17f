// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
import RemoteAPI

/// The token file: a line for each token, `SECRET` or `SECRET SCOPE`; `#` begins a comment.
struct AccessTokens {
    var tokens: [AccessToken]
    /// Created here and never printed.
    var isUnshown = false

    /// The token of the widest scope, for the link.
    var highest: String? { tokens.max { $0.scope < $1.scope }?.secret }

    /// Bytes. A request's head has little more room.
    private static let longestSecret = 4_096

    /// Reads the file. Creates it if missing, readable by its owner only, with one new token of scope admin.
    /// `setting`: the setting that determines the path.
    static func load(_ path: String, setting: String = "token-file") throws -> AccessTokens {
        if access(path, F_OK) != 0 { try create(path, setting) }
        var loaded = try read(path)
        loaded.isUnshown = access(mark(path), F_OK) == 0
        return loaded
    }

    /// A link with the token was printed. If the mark cannot be removed, the next start prints the link again.
    static func noteShown(_ path: String) { unlink(mark(path)) }

    /// A separate empty file, because other programs read the token file as a whole.
    private static func mark(_ path: String) -> String { path + ".unshown" }

    static func read(_ path: String) throws -> AccessTokens {
        func invalid(_ problem: String) -> Failure { .configuration("token-file: " + problem) }
        let text = String(
            decoding: try ConfigurationFile.read(path, setting: "token-file", isSecret: true), as: UTF8.self)
        let tokens = try text.split(whereSeparator: \.isNewline).compactMap { line -> AccessToken? in
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard let secret = words.first else { return nil }
            guard secret.utf8.count >= 16 else { throw invalid("a token in \(path) is shorter than 16 characters") }
            guard secret.utf8.count <= longestSecret else {
                throw invalid("a token in \(path) is longer than \(longestSecret) characters")
            }
            let name = words.count > 1 ? String(words[1]) : AccessScope.admin.rawValue
            guard let scope = AccessScope(rawValue: name) else {
                throw invalid("\(name) in \(path) is not one of read, control, admin")
            }
            return AccessToken(secret: String(secret), scope: scope)
        }
        guard Set(tokens.map(\.secret)).count == tokens.count else {
            throw invalid("a token in \(path) is listed twice")
        }
        guard !tokens.isEmpty else { throw invalid("\(path) contains no token") }
        return AccessTokens(tokens: tokens)
    }

    private static func create(_ path: String, _ setting: String) throws {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789")
        let secret = String((0..<32).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] })
        try Failure.unless("\(setting): cannot create") {
            try WholeFile.write([], to: mark(path))
            try WholeFile.write((secret + "\n").utf8, to: path)
        }
    }
}
