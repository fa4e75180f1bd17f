// SPDX-License-Identifier: Apache-2.0

/// What a client may do; each scope includes those before it.
public enum AccessScope: String, Comparable, CaseIterable, Sendable {
    case read, control, admin

    public static func < (left: AccessScope, right: AccessScope) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int { Self.allCases.firstIndex(of: self)! }
}

/// A secret that gives a scope.
public struct AccessToken: Sendable {
    public var secret: String
    public var scope: AccessScope

    public init(secret: String, scope: AccessScope) {
        self.secret = secret
        self.scope = scope
    }

    /// Compares in a time that depends on the candidate's length only, not on where the two differ.
    func matches(_ candidate: String) -> Bool {
        let secret = Array(secret.utf8)
        guard !secret.isEmpty else { return false }
        var difference: UInt8 = 0
        var count = 0
        for byte in candidate.utf8 {
            difference |= byte ^ secret[count % secret.count]
            count += 1
        }
        return difference == 0 && count == secret.count
    }
}

extension [AccessToken] {
    /// The highest scope that the candidate gives. Looks at every token, whichever matches.
    func scope(of candidate: String) -> AccessScope? {
        reduce(nil) { found, token in
            guard token.matches(candidate) else { return found }
            return Swift.max(found ?? .read, token.scope)
        }
    }
}
