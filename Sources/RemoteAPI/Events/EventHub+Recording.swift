// SPDX-License-Identifier: Apache-2.0

import Recording

extension EventHub {
    /// Called from the recorder's thread. What is recorded in the journal is told from the player's, as all of that is,
    /// so that every client hears it in the same order; when that thread is down there is nobody left to tell.
    func receive(_ event: Recorder.Event, stream: () -> StreamRecordingStatus) {
        switch event {
        case .status(let status): tell { (status, stream()) }
        case .levels(let id, let levels):
            let everyone = everyone()
            guard !everyone.isEmpty else { return }
            let moment = Moment(clock)
            let version = player.snapshot.version
            let frame = encoder.frame(
                EventName.recordLevel.rawValue, sequence: nil, at: moment.wallMilliseconds,
                version: version
            ) { writer in
                writer.member("id", id)
                writer.member("channels", array: levels) { writer, level in
                    writer.object {
                        $0.member("average", level.average)
                        $0.member("peak", level.peak)
                        $0.member("averageNormalized", ChannelLevel.normalized(level.average))
                        $0.member("peakNormalized", ChannelLevel.normalized(level.peak))
                    }
                }
            }
            for subscriber in everyone { subscriber.setState(.recordLevel, frame, version: version) }
        }
    }

    /// Called from the thread of the one of the two that has changed; `states` reads the other one. Both wait in line under
    /// one lock, so that no later event holds an older state.
    func tell(_ states: () -> (RecordingStatus, StreamRecordingStatus)) {
        recordingOrder.withLock { _ in
            let (status, stream) = states()
            _ = player.giveSign { [self] in
                let moment = Moment(clock)
                record(.recording, at: moment.wallMilliseconds, version: player.snapshot.version) { writer in
                    writer.members(of: status)
                    writer.member("stream") { $0.members(of: stream) }
                }
            }
        }
    }
}
