// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel
internal import Logging

/// The user of one connection to a bus. Belongs to one thread.
protocol BusClient: AnyObject {
    var bus: Bus { get }
}

/// Keeps a client connected. Reconnects 0.5 s after the connection is lost; the delay doubles up to 30 s. The owner's thread
/// calls `turn` and `wait` in a loop.
final class BusLink<Client: BusClient> {
    private static var firstRetry: Double { 0.5 }
    private static var longestRetry: Double { 30 }

    private enum State {
        case off
        case connected(Client)
        case waiting(until: MonotonicTime)
        /// libsystemd is missing.
        case impossible
    }

    private let name: String
    private let log: Logger
    private let make: (BusLibrary) throws(BusFailure) -> Client
    private var library: BusLibrary?
    private var state = State.off
    private var retryDelay = firstRetry
    /// Handled in the next `turn`: a connection must not be freed within its own callback.
    private var failure: BusFailure?

    /// `name` is for the log. `make` begins to connect; the client calls `confirm` once it is connected.
    init(_ name: String, log: Logger, make: @escaping (BusLibrary) throws(BusFailure) -> Client) {
        self.name = name
        self.log = log
        self.make = make
    }

    var client: Client? { if case .connected(let client) = state { client } else { nil } }
    var isOff: Bool { if case .off = state { true } else { false } }

    func connect() {
        do throws(MissingLibrary) {
            if library == nil { library = try BusLibrary() }
            guard let library else { return }
            do throws(BusFailure) {
                let client = try make(library)
                client.bus.onFailure = { [unowned self] in failure = failure ?? $0 }
                state = .connected(client)
            } catch {
                retry(after: error)
            }
        } catch {
            log.notice("no \(name): libsystemd cannot be loaded", metadata: ["reason": "\(error.reason)"])
            state = .impossible
        }
    }

    func disconnect() {
        failure = nil
        state = .off
    }

    /// The connection works: the next reconnection begins with the short delay.
    func confirm() { retryDelay = Self.firstRetry }

    /// Calls `body` with the client if it is connected; a failure ends the connection.
    func attempt(_ body: (Client) throws(BusFailure) -> Void) {
        guard failure == nil, let client else { return }
        do throws(BusFailure) { try body(client) } catch { failure = error }
    }

    /// Processes the connection's work, or connects when that is due. True if the connection was lost.
    func turn() -> Bool {
        attempt { client throws(BusFailure) in try client.bus.process() }
        if let failure {
            retry(after: failure)
            return true
        }
        if case .waiting(let until) = state, until <= .now { connect() }
        return false
    }

    /// Waits for the bus, `descriptor` or `deadline`.
    func wait(_ descriptor: Int32, until deadline: MonotonicTime? = nil) {
        var deadlines = [deadline]
        var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        switch state {
        case .connected:
            attempt { client throws(BusFailure) in
                descriptors.append(pollfd(fd: client.bus.descriptor, events: try client.bus.events(), revents: 0))
                deadlines.append(client.bus.deadline)
            }
            if failure != nil { return }
        case .waiting(let until): deadlines.append(until)
        case .off, .impossible: break
        }
        let first = deadlines.compactMap { $0 }.min()
        let timeout = first.map { Int32(clamping: max(0, min(60_000, $0.seconds(since: .now) * 1000 + 1))) } ?? -1
        _ = poll(&descriptors, nfds_t(descriptors.count), timeout)
    }

    private func retry(after failure: BusFailure) {
        self.failure = nil
        let reason = String(cString: strerror(-failure.code))
        log.debug("no \(name)", metadata: ["call": "\(failure.call)", "reason": "\(reason)"])
        state = .waiting(until: .now.advanced(bySeconds: retryDelay))
        retryDelay = min(Self.longestRetry, retryDelay * 2)
    }
}
