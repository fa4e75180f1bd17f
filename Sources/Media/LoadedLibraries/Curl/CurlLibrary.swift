// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Kernel

/// libcurl's functions.
///
/// The library is loaded at the first transfer. It depends on forty others, which together need as much memory and start-up time as the
/// rest of the server, and many servers never play from the network.
final class CurlLibrary: Sendable {
    /// Loaded on first use, in about 20 ms.
    static let shared = Result { () throws(MissingLibrary) in try CurlLibrary() }

    private let library: LoadedLibrary<ccurl>

    /// Valid as long as the program runs.
    var functions: UnsafePointer<ccurl> { library.functions }

    private init() throws(MissingLibrary) {
        library = try LoadedLibrary(ccurl(), ccurl_load)
        let code = library.functions.pointee.global_init(Int(ccurl_global_all))
        guard code == CURLE_OK else { throw MissingLibrary(reason: text(of: code)) }
    }

    func text(of code: CURLcode) -> String {
        functions.pointee.easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    }
}

/// libcurl's multi handle: all transfers under way. Lives on the network thread.
final class CurlMulti {
    let library: CurlLibrary
    private let handle: UnsafeMutableRawPointer
    private var curl: ccurl { library.functions.pointee }

    init() throws(MissingLibrary) {
        library = try CurlLibrary.shared.get()
        guard let handle = library.functions.pointee.multi_init() else {
            throw MissingLibrary(reason: "out of memory")
        }
        self.handle = handle
    }

    /// All transfers have been removed before.
    deinit { _ = curl.multi_cleanup(handle) }

    func add(_ transfer: CurlTransfer) { _ = curl.multi_add_handle(handle, transfer.easy) }

    func remove(_ transfer: CurlTransfer) { _ = curl.multi_remove_handle(handle, transfer.easy) }

    /// Performs all transfers as far as possible without blocking. Calls their receivers.
    func perform() {
        var running: Int32 = 0
        _ = curl.multi_perform(handle, &running)
    }

    /// A finished transfer's easy handle and result; nil if there is none.
    func nextFinished() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var code = CURLE_OK
        return ccurl_next_finished(library.functions, handle, &code).map { ($0, code) }
    }

    /// Waits until a socket or `descriptor` is ready, libcurl has work to do, or `seconds` have passed.
    func wait(_ seconds: Double, for descriptor: Int32) {
        var extra = curl_waitfd(fd: descriptor, events: Int16(ccurl_wait_readable), revents: 0)
        // Rounded up, so that a timer neither fires early nor causes polling.
        _ = curl.multi_poll(handle, &extra, 1, Int32(clamping: (seconds * 1_000).rounded(.up)), nil)
    }
}
