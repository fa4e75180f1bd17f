// SPDX-License-Identifier: Apache-2.0

internal import CCurl

/// libcurl's functions, loaded with it.
///
/// The library is loaded when something is first fetched: it brings forty others, which together take as much memory and
/// time at the start as the rest of the server does, and many a server never plays from the network.
///
/// `@unchecked Sendable` because the table never changes once it is filled.
final class CurlLibrary: @unchecked Sendable {
    /// Why it cannot be had, for a sentence's end.
    struct Missing: Error {
        let reason: String
    }

    /// Loads on the first use, which takes some 20 ms; every use gets the same.
    static let shared = Result { () throws(Missing) in try CurlLibrary() }

    /// For as long as the program runs.
    let functions: UnsafePointer<ccurl>

    private init() throws(Missing) {
        let table = UnsafeMutablePointer<ccurl>.allocate(capacity: 1)
        table.initialize(to: ccurl())
        if let problem = ccurl_load(table) {
            let reason = String(cString: problem)
            table.deallocate()
            throw Missing(reason: reason)
        }
        let code = table.pointee.global_init(Int(ccurl_global_all))
        guard code == CURLE_OK else {
            throw Missing(reason: Self.text(of: code, table))
        }
        functions = UnsafePointer(table)
    }

    func text(of code: CURLcode) -> String { Self.text(of: code, functions) }

    private static func text(of code: CURLcode, _ functions: UnsafePointer<ccurl>) -> String {
        functions.pointee.easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    }
}
