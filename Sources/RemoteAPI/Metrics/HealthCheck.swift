// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import Threading

/// Whether the player lives and keeps its promise. Asks its thread for a sign, since the published state of a thread that
/// hangs looks as good as ever; asks only when someone wants to know.
final class HealthCheck: Sendable {
    typealias Answer = @Sendable (_ trouble: String?) -> Void

    /// Seconds that the player's thread has to answer.
    static let patience = 2.0

    private let player: any PlayerControl
    private let clock: any PlayerClock
    private let patience: Double
    private let watch = Mutex(PlaybackWatch())
    /// Those who asked while the sign was awaited share it.
    private let waiting = Mutex<[Answer]>([])
    /// Waits for the sign; nothing else does.
    private let worker = BackgroundWorker("health")

    init(player: any PlayerControl, clock: any PlayerClock, patience: Double = HealthCheck.patience) {
        self.player = player
        self.clock = clock
        self.patience = patience
    }

    /// `answer` comes from another thread, within the patience: a sentence when something is wrong.
    func look(_ answer: @escaping Answer) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(answer)
            return waiting.count == 1
        }
        guard isFirst else { return }
        if !worker.submit({ [self] in examine() }) { tellAll("The server is going down.") }
    }

    func stop() { worker.stop() }

    private func examine() {
        let sign = Mailbox<Void>()
        let isUp = player.giveSign { sign.post(()) }
        guard isUp else { return tellAll("The player is going down.") }
        guard !sign.take(until: .now.advanced(bySeconds: patience)).isEmpty else {
            return tellAll("The player's thread has not answered for \(patience) s.")
        }
        let now = clock.now
        tellAll(watch.withLock { $0.look(player.snapshot, now: now) })
    }

    private func tellAll(_ trouble: String?) {
        let answers = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for answer in answers { answer(trouble) }
    }
}
