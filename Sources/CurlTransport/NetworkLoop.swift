// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Media
internal import Threading

/// The inside of the network thread. Lives on it alone.
final class NetworkLoop {
    /// Without a timer and a transfer it sleeps this long: until woken, in effect.
    private static let longestSleep = 3_600.0

    private let inbox: NetworkInbox
    private let configuration: CurlTransport.Configuration
    private var transfers: [TransferID: CurlTransfer] = [:]
    /// By time.
    private var timers: [(time: MonotonicTime, body: () -> Void)] = []

    init(_ inbox: NetworkInbox, _ configuration: CurlTransport.Configuration) {
        self.inbox = inbox
        self.configuration = configuration
    }

    func run() {
        while obey() {
            var running: Int32 = 0
            curl_multi_perform(inbox.multi, &running)
            reportFinished()
            fireTimers()
            let sleep = timers.first.map { min(Self.longestSleep, max(0, $0.time.seconds(since: .now))) }
            // Rounded up: a timer never fires early, nor is it polled for.
            curl_multi_poll(inbox.multi, nil, 0, Int32(((sleep ?? Self.longestSleep) * 1_000).rounded(.up)), nil)
        }
        inbox.close()
        for transfer in transfers.values { transfer.leave(inbox.multi) }
        transfers = [:]
        curl_multi_cleanup(inbox.multi)
    }

    /// False when the end has come.
    private func obey() -> Bool {
        for command in inbox.take() {
            switch command {
            case .start(let request, let id, let receiver): start(request, id, receiver)
            case .resume(let id): transfers[id]?.resume()
            case .cancel(let id): transfers.removeValue(forKey: id)?.leave(inbox.multi)
            case .call(let time, let body):
                let index = timers.firstIndex { $0.time > time } ?? timers.endIndex
                timers.insert((time, body), at: index)
            case .stop: return false
            }
        }
        return true
    }

    private func start(_ request: TransferRequest, _ id: TransferID, _ receiver: any TransferReceiver) {
        guard let transfer = CurlTransfer(request, id: id, receiver: receiver, configuration) else {
            receiver.ended(
                .permanent("\(request.address.host): the request could not be made (out of memory)."), of: id)
            return
        }
        transfers[id] = transfer
        transfer.join(inbox.multi)
    }

    private func reportFinished() {
        var code = CURLE_OK
        while let easy = ccurl_next_finished(inbox.multi, &code) {
            guard let transfer = transfers.values.first(where: { $0.easy == easy }) else { continue }
            transfers.removeValue(forKey: transfer.id)
            transfer.leave(inbox.multi)
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
}
