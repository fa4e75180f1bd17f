// SPDX-License-Identifier: Apache-2.0

internal import CCurl
public import Media
internal import Synchronization
public import Threading

/// HTTP(S) through libcurl: all transfers on one thread and one multi handle.
///
/// Certificates are verified; proxies come from the environment (`http_proxy`, `https_proxy`, `no_proxy`); there are no
/// cookies, no redirects and no content codings.
public final class CurlTransport: HTTPTransport {
    public struct Configuration: Sendable {
        public var userAgent: String
        /// PEM file of certificate authorities in place of the system's.
        public var authorities: String?

        public init(userAgent: String, authorities: String? = nil) {
            self.userAgent = userAgent
            self.authorities = authorities
        }
    }

    private let inbox: NetworkInbox
    private let thread: NamedThread
    private let isStopped = Atomic(false)

    /// Starts the thread, which sleeps while there is nothing to fetch.
    public init(_ configuration: Configuration) {
        let inbox = NetworkInbox()
        self.inbox = inbox
        thread = NamedThread("network") { NetworkLoop(inbox, configuration).run() }
    }

    public var now: MonotonicTime { .now }

    public func start(_ request: TransferRequest, id: TransferID, receiver: any TransferReceiver) {
        inbox.post(.start(request, id, receiver))
    }

    public func resume(_ id: TransferID) {
        inbox.post(.resume(id))
    }

    public func cancel(_ id: TransferID) {
        inbox.post(.cancel(id))
    }

    public func call(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void) {
        inbox.post(.call(time, body))
    }

    /// Breaks off what is under way, without a word to its receivers, and joins the thread. Idempotent.
    public func stop() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        inbox.post(.stop)
        thread.join()
    }
}

/// What other threads ask of the network thread, and the way to wake it.
///
/// `@unchecked Sendable` because `multi` is a handle whose one use from outside, `curl_multi_wakeup`, is made for that;
/// everything else of it belongs to the loop.
final class NetworkInbox: @unchecked Sendable {
    enum Command: Sendable {
        case start(TransferRequest, TransferID, any TransferReceiver)
        case resume(TransferID)
        case cancel(TransferID)
        case call(MonotonicTime, @Sendable () -> Void)
        case stop
    }

    private struct State {
        var commands: [Command] = []
        var isClosed = false
    }

    private static let isLibraryReady = curl_global_init(Int(ccurl_global_all)) == CURLE_OK

    let multi: UnsafeMutableRawPointer
    private let state = Mutex(State())

    init() {
        guard Self.isLibraryReady, let multi = curl_multi_init() else {
            preconditionFailure("libcurl could not be initialised: out of memory")
        }
        self.multi = multi
    }

    func post(_ command: Command) {
        state.withLock { state in
            // After the end the handle is gone.
            guard !state.isClosed else { return }
            state.commands.append(command)
            curl_multi_wakeup(multi)
        }
    }

    func take() -> [Command] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// No wake-up comes from now on.
    func close() {
        state.withLock { $0.isClosed = true }
    }
}
