// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import Media
internal import Synchronization
public import Kernel

/// HTTP(S) by libcurl: all transfers on one thread and one multi handle. The library is loaded at the first transfer. If it is not
/// installed, each transfer fails with that reason.
///
/// Certificates are verified; proxies come from the environment (`http_proxy`, `https_proxy`, `no_proxy`); there are no
/// cookies, no redirects and no content codings.
public final class CurlTransport: HTTPTransport {
    public struct Configuration: Sendable {
        public var userAgent: String
        /// PEM file of certificate authorities in place of the system's.
        public var authorities: String?
        /// From the environment.
        var proxies: ProxySettings

        public init(
            userAgent: String, authorities: String? = nil,
            environment: [String: String] = ProcessInfo.processInfo.environment
        ) {
            self.userAgent = userAgent
            self.authorities = authorities
            proxies = ProxySettings(environment)
        }
    }

    private let inbox: Mailbox<NetworkCommand>
    private let thread: NamedThread
    private let isStopped = Atomic(false)

    /// Starts the thread, which sleeps while idle.
    public init(_ configuration: Configuration) {
        let inbox = Mailbox<NetworkCommand>(descriptorFor: "network")
        self.inbox = inbox
        thread = NamedThread("network") { NetworkLoop(inbox, configuration).run() }
    }

    public var now: MonotonicTime { .now }

    public func start(_ request: TransferRequest, id: TransferID, receiver: any TransferReceiver) {
        inbox.post(.start(request, id, receiver))
    }

    public func resume(_ id: TransferID) { inbox.post(.resume(id)) }

    public func cancel(_ id: TransferID) { inbox.post(.cancel(id)) }

    public func call(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void) {
        inbox.post(.call(time, body))
    }

    /// Aborts all transfers without notifying their receivers, and joins the thread, within 0.5 s. Idempotent.
    public func stop() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        inbox.post(.stop)
        thread.join(within: 0.5)
    }
}
