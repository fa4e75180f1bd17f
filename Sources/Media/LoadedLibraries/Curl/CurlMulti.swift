// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Kernel

/// libcurl's multi handle: all transfers under way. Lives on the network thread.
final class CurlMulti {
    let library: CurlLibrary
    private let handle: UnsafeMutableRawPointer
    private var curl: ccurl { library.functions.pointee }

    init() throws(CurlLibrary.Missing) {
        library = try CurlLibrary.shared.get()
        guard let handle = library.functions.pointee.multi_init() else {
            throw CurlLibrary.Missing(reason: "out of memory")
        }
        self.handle = handle
    }

    /// Every transfer has left before.
    deinit { _ = curl.multi_cleanup(handle) }

    func add(_ transfer: CurlTransfer) {
        _ = curl.multi_add_handle(handle, transfer.easy)
    }

    func remove(_ transfer: CurlTransfer) {
        _ = curl.multi_remove_handle(handle, transfer.easy)
    }

    /// Does whatever can be done now; calls the transfers' receivers.
    func perform() {
        var running: Int32 = 0
        _ = curl.multi_perform(handle, &running)
    }

    /// The easy handle of a transfer that has ended since the last call, and how.
    func nextFinished() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var code = CURLE_OK
        return ccurl_next_finished(library.functions, handle, &code).map { ($0, code) }
    }

    /// Until a socket or `descriptor` is ready, libcurl has something due, or `seconds` have passed.
    func wait(_ seconds: Double, for descriptor: Int32) {
        var extra = curl_waitfd(fd: descriptor, events: Int16(ccurl_wait_readable), revents: 0)
        // Rounded up: a timer never fires early, nor is it polled for.
        _ = curl.multi_poll(handle, &extra, 1, Int32(clamping: (seconds * 1_000).rounded(.up)), nil)
    }
}
