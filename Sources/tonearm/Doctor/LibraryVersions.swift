// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Versions of the libraries as they are loaded, which need not be those that the program was built with.
///
/// Asked through the dynamic linker by name: the C libraries belong to their adapters, and each of these functions takes
/// nothing and gives a constant text.
enum LibraryVersions {
    private typealias Version = @convention(c) () -> UnsafePointer<CChar>?

    private static let functions = [
        ("libmicrohttpd", "MHD_get_version"), ("libwebsockets", "lws_get_library_version"),
        ("libpulse", "pa_get_library_version"), ("libsoxr", "soxr_version"), ("libsndfile", "sf_version_string"),
        ("sqlite", "sqlite3_libversion"), ("zlib", "zlibVersion"),
    ]

    /// Loaded by the server when something is fetched.
    private static var curl: String {
        guard let library = dlopen("libcurl.so.4", RTLD_LAZY) else {
            return "libcurl missing (nothing plays over the network)"
        }
        guard let symbol = dlsym(library, "curl_version"), let version = unsafeBitCast(symbol, to: Version.self)()
        else {
            return "libcurl of an unknown version"
        }
        // libcurl/8.5.0 and then all that it was built with
        return String(cString: version).split(separator: " ")[0].split(separator: "/").joined(separator: " ")
    }

    static var text: String {
        let program = dlopen(nil, RTLD_LAZY)
        defer { if let program { dlclose(program) } }
        var parts = ["tonearm \(ServerVersion.text)"]
        for (library, function) in functions {
            guard let symbol = dlsym(program, function),
                let version = unsafeBitCast(symbol, to: Version.self)()
            else { continue }
            let text = String(cString: version)
            parts.append(text.hasPrefix("lib") ? text : "\(library) \(text)")
        }
        parts.append(curl)
        return parts.joined(separator: ", ")
    }
}
