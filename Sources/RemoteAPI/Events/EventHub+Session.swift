// SPDX-License-Identifier: Apache-2.0

import Session

extension EventHub {
    /// Called from the session's thread. Only the latest state counts.
    func receive(_ session: SessionStatus) {
        let everyone = everyone()
        guard !everyone.isEmpty else { return }
        let moment = Moment(clock)
        let version = player.snapshot.version
        let frame = encoder.frame(
            EventName.session.rawValue, sequence: nil, at: moment.wallMilliseconds, version: version
        ) { $0.members(of: session) }
        for subscriber in everyone { subscriber.setState(.session, frame, version: version) }
    }
}
