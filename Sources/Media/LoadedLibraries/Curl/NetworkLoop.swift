// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Media
internal import Kernel

enum NetworkCommand: Sendable {
    case start(TransferRequest, TransferID, any TransferReceiver)
    case resume(TransferID)
    case cancel(TransferID)
    case call(MonotonicTime, @Sendable () -> Void)
    case stop
}

/// The network thread's state and loop.
final class NetworkLoop {
    /// The longest sleep, in seconds.
    private static let longestSleep = 3_600.0

    private let inbox: Mailbox<NetworkCommand>
    private let configuration: CurlTransport.Configuration
    /// nil before the first transfer.
    private var multi: CurlMulti?
    private var transfers: [TransferID: CurlTransfer] = [:]
    /// Sorted by time.
    private var timers: [(time: MonotonicTime, body: () -> Void)] = []

    init(_ inbox: Mailbox<NetworkCommand>, _ configuration: CurlTransport.Configuration) {
        self.inbox = inbox
        self.configuration = configuration
    }

    func run() {
        while performCommands() {
            multi?.perform()
            reportFinished()
            fireTimers()
            sleep()
        }
        for transfer in transfers.values { multi?.remove(transfer) }
        transfers = [:]
    }

    /// False after `stop`.
    private func performCommands() -> Bool {
        for command in inbox.take() {
            switch command {
            case .start(let request, let id, let receiver): start(request, id, receiver)
            case .resume(let id): transfers[id]?.resume()
            case .cancel(let id): if let transfer = transfers.removeValue(forKey: id) { multi?.remove(transfer) }
            case .call(let time, let body):
                let index = timers.firstIndex { $0.time > time } ?? timers.endIndex
                timers.insert((time, body), at: index)
            case .stop: return false
            }
        }
        return true
    }

    private func start(_ request: TransferRequest, _ id: TransferID, _ receiver: any TransferReceiver) {
        do throws(MissingLibrary) {
            let loaded = if let multi { multi } else { try CurlMulti() }
            multi = loaded
            let transfer = try CurlTransfer(request, id: id, receiver: receiver, configuration, loaded.library)
            transfers[id] = transfer
            loaded.add(transfer)
        } catch {
            receiver.ended(
                .permanent("\(request.address.host): nothing can be fetched, as libcurl fails: \(error.reason)."),
                of: id)
        }
    }

    private func reportFinished() {
        while let (easy, code) = multi?.nextFinished() {
            guard let transfer = transfers.values.first(where: { $0.easy == easy }) else { continue }
            transfers.removeValue(forKey: transfer.id)
            multi?.remove(transfer)
            transfer.finished(code)
        }
    }

    private func fireTimers() {
        let now = MonotonicTime.now
        while let first = timers.first, first.time <= now {
            timers.removeFirst()
            first.body()
        }
    }

    private func sleep() {
        let seconds = timers.first.map { min(Self.longestSleep, max(0, $0.time.seconds(since: .now))) }
        if let multi {
            multi.wait(seconds ?? Self.longestSleep, for: inbox.descriptor)
        } else {
            var bell = pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&bell, 1, seconds.map { Int32(clamping: ($0 * 1_000).rounded(.up)) } ?? -1)
        }
    }
}
