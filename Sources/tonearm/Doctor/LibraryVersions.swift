// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The versions of the libraries at run time, which may differ from those at build time.
///
/// Found by name through the dynamic linker, because only the adapters import the C libraries. Each of these functions takes
/// no arguments and returns a constant text.
enum LibraryVersions {
    private typealias Version = @convention(c) () -> UnsafePointer<CChar>?

    private static let linked = [
        ("libmicrohttpd", "MHD_get_version"), ("libwebsockets", "lws_get_library_version"),
        ("libpulse", "pa_get_library_version"), ("libsndfile", "sf_version_string"),
        ("SQLite", "sqlite3_libversion"), ("zlib", "zlibVersion"),
    ]

    /// A library that the server loads on demand.
    private struct Loaded {
        var name: String
        var file: String
        /// Returns the version; nil if the library's function takes arguments.
        var function: String?
        var package: String
        /// The consequence if it is missing.
        var without: String
    }

    private static let loaded = [
        Loaded(
            name: "libsoxr", file: "libsoxr.so.0", function: "soxr_version", package: "libsoxr0",
            without: "sample rates are not converted"),
        Loaded(
            name: "SoundTouch", file: "libSoundTouchDll.so.1", function: "soundtouch_getVersionString",
            package: "libsoundtouch1", without: "speed and pitch cannot be changed"),
        Loaded(
            name: "libexpat", file: "libexpat.so.1", function: "XML_ExpatVersion", package: "libexpat1",
            without: "playlists in XML are not read"),
        Loaded(
            name: "libebur128", file: "libebur128.so.1", package: "libebur128-1", without: "loudness is not measured"),
        Loaded(
            name: "libcurl", file: "libcurl.so.4", function: "curl_version", package: "libcurl4",
            without: "network items do not play"),
    ]

    private static func version(_ function: String, in library: UnsafeMutableRawPointer?) -> Substring? {
        guard let symbol = dlsym(library, function) else { return nil }
        return unsafeBitCast(symbol, to: Version.self)().flatMap { number(in: String(cString: $0)) }
    }

    /// The first number with points: `8.5.0` of `libcurl/8.5.0 OpenSSL/3.0`, `4.1.6` of `4.1.6-`.
    static func number(in text: String) -> Substring? {
        let number = text.drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." }
        return number.isEmpty ? nil : number
    }

    /// The versions, and a note for each missing library.
    static var findings: [Finding] {
        let program = dlopen(nil, RTLD_LAZY)
        defer { if let program { dlclose(program) } }
        var parts = ["tonearm \(ServerVersion.text)"]
        var missing: [Finding] = []
        for (library, function) in linked {
            if let number = version(function, in: program) { parts.append("\(library) \(number)") }
        }
        for entry in loaded {
            guard let library = dlopen(entry.file, RTLD_LAZY) else {
                let advice = "sudo apt-get install \(entry.package)"
                missing.append(.note(entry.name, "is missing: \(entry.without)", advice))
                continue
            }
            guard let function = entry.function else {
                parts.append(entry.name)
                continue
            }
            parts.append("\(entry.name) \(version(function, in: library) ?? "of an unknown version")")
        }
        return [.ok("versions", parts.joined(separator: ", "))] + missing
    }
}
