// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Kernel

/// libcurl's functions, loaded with it.
///
/// The library is loaded when something is first fetched: it brings forty others, which together take as much memory and
/// time at the start as the rest of the server does, and many a server never plays from the network.
final class CurlLibrary: Sendable {
    typealias Missing = MissingLibrary

    /// Loads on the first use, which takes some 20 ms; every use gets the same.
    static let shared = Result { () throws(Missing) in try CurlLibrary() }

    private let library: LoadedLibrary<ccurl>

    /// For as long as the program runs.
    var functions: UnsafePointer<ccurl> { library.functions }

    private init() throws(Missing) {
        library = try LoadedLibrary(ccurl(), ccurl_load)
        let code = library.functions.pointee.global_init(Int(ccurl_global_all))
        guard code == CURLE_OK else { throw Missing(reason: Self.text(of: code, library.functions)) }
    }

    func text(of code: CURLcode) -> String { Self.text(of: code, functions) }

    private static func text(of code: CURLcode, _ functions: UnsafePointer<ccurl>) -> String {
        functions.pointee.easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    }
}
