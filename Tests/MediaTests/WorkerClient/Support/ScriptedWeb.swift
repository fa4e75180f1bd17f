// SPDX-License-Identifier: Apache-2.0

import Foundation
import Media
import Synchronization
import Kernel

/// A web server for files in memory, on a thread of its own: with ranges, and 404 for missing files.
final class ScriptedWeb: HTTPTransport {
    private struct State {
        var files: [String: [UInt8]] = [:]
        var requests: [String] = []
    }

    private enum Job: Sendable {
        case run(MonotonicTime, @Sendable () -> Void)
        case send(TransferRequest, TransferID, any TransferReceiver)
        case resume(TransferID)
        case cancel(TransferID)
        case end
    }

    private let state = Mutex(State())
    private let jobs = Mailbox<Job>()

    init() {
        let jobs = jobs
        let files: @Sendable (String) -> [UInt8]? = { [weak self] path in self?.state.withLock { $0.files[path] } }
        NamedThread("scripted-web") { Self.serve(jobs, files) }.detach()
    }

    deinit { jobs.post(.end) }

    subscript(path: String) -> [UInt8]? {
        get { state.withLock { $0.files[path] } }
        set { state.withLock { $0.files[path] = newValue } }
    }

    var requests: [String] { state.withLock { $0.requests } }

    var now: MonotonicTime { .now }

    func start(_ request: TransferRequest, id: TransferID, receiver: any TransferReceiver) {
        state.withLock { $0.requests.append(Self.path(request.address)) }
        jobs.post(.send(request, id, receiver))
    }

    func resume(_ id: TransferID) { jobs.post(.resume(id)) }
    func cancel(_ id: TransferID) { jobs.post(.cancel(id)) }
    func call(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void) { jobs.post(.run(time, body)) }

    private static func path(_ address: WebAddress) -> String {
        "/" + address.url.split(separator: "/", maxSplits: 2).last!.split(separator: "/", maxSplits: 1).last!
    }

    /// A transfer paused by its receiver.
    private struct Paused {
        let body: [UInt8]
        let receiver: any TransferReceiver
    }

    private static func serve(_ jobs: Mailbox<Job>, _ file: (String) -> [UInt8]?) {
        var timers: [(time: MonotonicTime, body: @Sendable () -> Void)] = []
        var paused: [TransferID: Paused] = [:]
        var cancelled: Set<TransferID> = []
        while true {
            for job in jobs.take(until: timers.map(\.time).min()) {
                switch job {
                case .run(let time, let body): timers.append((time, body))
                case .cancel(let id):
                    cancelled.insert(id)
                    paused[id] = nil
                case .resume(let id):
                    guard let transfer = paused.removeValue(forKey: id) else { continue }
                    paused[id] = deliver(transfer, id, cancelled)
                case .send(let request, let id, let receiver):
                    guard !cancelled.contains(id) else { continue }
                    let (head, body) = answer(request, file(path(request.address)))
                    receiver.head(head, of: id)
                    paused[id] = deliver(Paused(body: body, receiver: receiver), id, cancelled)
                case .end: return
                }
            }
            let due = timers.filter { $0.time <= .now }
            timers.removeAll { timer in timer.time <= .now && due.contains { $0.time == timer.time } }
            for timer in due { timer.body() }
        }
    }

    private static func deliver(_ transfer: Paused, _ id: TransferID, _ cancelled: Set<TransferID>) -> Paused? {
        var rest = transfer.body[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(16_384))
            let verdict = piece.withUnsafeBytes { transfer.receiver.body($0, of: id) }
            if case .pause = verdict { return Paused(body: Array(rest), receiver: transfer.receiver) }
            rest = rest.dropFirst(piece.count)
        }
        transfer.receiver.ended(nil, of: id)
        return nil
    }

    private static func answer(_ request: TransferRequest, _ content: [UInt8]?) -> (TransferHead, [UInt8]) {
        guard let content else { return (TransferHead(status: 404), []) }
        let range = request.headers.first { $0.name == "Range" }?.value.dropFirst("bytes=".count)
        guard let range else {
            return (TransferHead(status: 200, headers: [TransferHeader("Content-Length", "\(content.count)")]), content)
        }
        let bounds = range.split(separator: "-").compactMap { Int($0) }
        let end = min(content.count, bounds.count > 1 ? bounds[1] + 1 : content.count)
        let fields = [TransferHeader("Content-Range", "bytes \(bounds[0])-\(end - 1)/\(content.count)")]
        return (TransferHead(status: 206, headers: fields), Array(content[bounds[0]..<end]))
    }
}
