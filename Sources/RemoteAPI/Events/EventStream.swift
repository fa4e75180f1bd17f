// SPDX-License-Identifier: Apache-2.0

import HTTP

/// The event channel as Server-Sent Events: the same subscriber behind a streamed body.
final class EventStream: HTTPBodyStream {
    /// Bytes handed over at once, roughly.
    private static let chunkBytes = 32 * 1024

    private let hub: EventHub
    private let resume: ResumePoint?
    private let subscriber: Subscriber

    init(_ request: EventRequest, hub: EventHub) {
        self.hub = hub
        resume = request.resume
        subscriber = Subscriber(request.subscription, wantsHeartbeat: true)
    }

    func begin(wake: @escaping @Sendable () -> Void) {
        subscriber.setWake(wake)
        hub.connect(subscriber, resume: resume)
    }

    func next() -> HTTPBodyChunk {
        if subscriber.isEnding { return .finished }
        let isParting = subscriber.parting != nil
        var text: [UInt8] = []
        loop: while text.count < Self.chunkBytes {
            switch hub.next(for: subscriber) {
            case .frame(let frame): frame.serverSentEvent(epoch: hub.encoder.epoch, into: &text)
            case .heartbeat: text.append(contentsOf: ":\n\n".utf8)
            case .resync, .none: break loop
            }
        }
        if text.isEmpty { return isParting ? .finished : .wait }
        return .bytes(text)
    }

    func end() {
        hub.disconnect(subscriber)
    }
}
