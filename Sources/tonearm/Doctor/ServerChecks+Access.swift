// SPDX-License-Identifier: Apache-2.0

import Glibc

extension ServerChecks {
    /// Access to the server.
    static func mayUse(_ settings: ServerConfiguration) -> Finding {
        let name = "access"
        if settings.tokenFile != nil || !settings.isAnonymous, access(settings.tokenPath, F_OK) == 0 {
            do {
                _ = try AccessTokens.read(settings.tokenPath)
            } catch {
                return .problem(name, "\(error)", ["correct the file, or name another one with --token-file FILE"])
            }
        }
        switch settings.anonymous {
        case .everyone:
            return .note(
                name, "everybody who reaches the port may do everything (--anonymous)",
                "leave --anonymous out, and tonearm link prints the link with a token")
        case .nobody: return .ok(name, "a token is needed everywhere; tonearm link prints the link with it")
        case .loopback where settings.isLoopback:
            return .ok(
                name,
                "open to this machine; what comes through a proxy needs a token (tonearm link). A proxy that adds no header "
                    + "about it needs --token-file FILE, or --socket PATH and a user of its own")
        case .loopback:
            return .ok(name, "open to this machine; from elsewhere a token is needed (tonearm link)")
        }
    }
}
