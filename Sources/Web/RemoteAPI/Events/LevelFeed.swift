// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Service
import Synchronization

/// The `levels` and `spectrum` events of one player. Nothing is allocated, copied or computed without a subscriber. Any
/// thread; measures on the thread of the event channel.
final class LevelFeed: Sendable {
    private let player: any PlayerControl
    private let meter = Mutex<SoundMeter?>(nil)

    init(_ player: any PlayerControl) {
        self.player = player
    }

    /// Starts or stops measuring.
    func listen(_ isWanted: Bool) {
        meter.withLock { meter in
            guard isWanted != (meter != nil) else { return }
            meter = isWanted ? SoundMeter() : nil
            player.listen(meter?.tap)
        }
    }

    /// `groups`: clients with the same interval. Sends nothing before the first measurement.
    func send(to groups: [[Subscriber]], _ snapshot: PlayerSnapshot, _ encoder: EventEncoder, at moment: Moment) {
        let frames = meter.withLock { meter -> [(Subscriber, EventFrame)] in
            guard let behind = meter?.advance(player.outputClock, now: moment.monotonic) else { return [] }
            let position = max(0, snapshot.clock.position(at: moment.monotonic) - behind * snapshot.clock.rate)
            func frame(_ name: EventName, _ data: (inout JSONWriter) -> Void) -> EventFrame {
                let bytes = JSONWriter.object { writer in
                    writer.member("position", position)
                    data(&writer)
                }
                return encoder.frame(name, at: moment.wallMilliseconds, version: snapshot.version, data: bytes)
            }
            var frames: [(Subscriber, EventFrame)] = []
            // Each event is encoded once.
            for group in groups {
                let listeners = group.filter { $0.selection.contains(.levels) }
                guard let interval = listeners.first?.subscription.levelsInterval else { continue }
                let levels = frame(.levels) { $0.levelMembers(of: meter, ofLast: interval) }
                frames += listeners.map { ($0, levels) }
            }
            let viewers = groups.joined().filter { $0.selection.contains(.spectrum) }
            for (number, viewers) in Dictionary(grouping: viewers, by: \.subscription.bands) {
                guard let bands = meter?.spectrum(bands: number) else { continue }
                let spectrum = frame(.spectrum) { $0.member("bands", array: bands) { $0.value(rounded($1)) } }
                frames += viewers.map { ($0, spectrum) }
            }
            return frames
        }
        for (subscriber, frame) in frames { subscriber.set(frame) }
    }
}

extension JSONWriter {
    fileprivate mutating func levelMembers(of meter: SoundMeter?, ofLast seconds: Double) {
        member("channels", objects: meter?.channels(ofLast: seconds) ?? []) { writer, channel in
            writer.member("average", rounded(channel.average))
            writer.member("peak", rounded(channel.peak))
            writer.member("truePeak", rounded(channel.truePeak))
        }
        member("loudness", meter.map { rounded($0.shortTermLoudness) })
    }
}

/// To a hundredth of a dB.
private func rounded(_ decibels: Double) -> Double { (decibels * 100).rounded() / 100 }
