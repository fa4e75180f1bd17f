// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// A command whose effect must survive, checked and not in force yet.
struct PreparedChange {
    enum Effect {
        /// nil: the queue stays as it is.
        case queue(QueueEdit, Queue.Proposal?, play: Bool)
        case settings(SettingsPatch)
        case output(String?)
        /// As they will be; of the rest, nothing changes.
        case effects(PlayerSettings)
        /// Not the player's own.
        case note
    }

    var command: PlayerCommand
    var effect: Effect
    /// Changes to be saved before; none when nothing changes.
    var saves: [SavedChange] = []
    /// Numbers of the ids of new items.
    var inserted: Range<UInt64>?
}

/// What must survive comes into force only when it is saved: `prepare`, save, `commit`. Between the two no other
/// command that is saved may come; everything else may.
extension PlayerCore {
    mutating func prepare(_ command: PlayerCommand) throws(PlaybackError) -> PreparedChange {
        switch command {
        case .edit(let edit, let expected, let play):
            try check(expected: expected, play: play)
            return try prepare(command, edit, play: play)
        case .apply(let patch):
            let new = try settings.checked(patch)
            if case .some(let abLoop?) = patch.abLoop { try check(abLoop) }
            return PreparedChange(
                command: command, effect: .settings(patch), saves: new == settings ? [] : [.settings(new)])
        case .selectOutput(let device):
            if let device, !output.devices.devices.contains(where: { $0.id == device }) {
                throw PlaybackError(.unknownOutput, "There is no output \(device.prefix(100)).", member: "id")
            }
            var new = settings
            new.outputDevice = device
            return PreparedChange(
                command: command, effect: .output(device), saves: new == settings ? [] : [.settings(new)])
        case .changeEffects(let change):
            let new = try settings.applying(change)
            return PreparedChange(
                command: command, effect: .effects(new), saves: new == settings ? [] : [.settings(new)])
        case .note(let name, let text):
            return PreparedChange(command: command, effect: .note, saves: [.note(name, text)])
        case .play, .start, .prime, .pause, .pauseWithLeader, .toggle, .stop, .next, .previous, .seek, .scan, .endScan,
            .borrowOutput, .interruption, .applyRules, .shift, .adapt, .sleep, .rise:
            preconditionFailure("\(command) is not saved first")
        }
    }

    private mutating func prepare(
        _ command: PlayerCommand, _ edit: QueueEdit, play: Bool
    ) throws(PlaybackError) -> PreparedChange {
        let firstNumber = queue.nextItemNumber
        var edit = edit
        // What was queued as next follows it, instead of being skipped.
        if play, case .insert(let drafts, .next) = edit { edit = .insert(drafts, at: .now) }
        let proposal: Queue.Proposal?
        do {
            proposal = try queue.propose(edit, using: &random)
        } catch {
            throw PlaybackError(error)
        }
        var prepared = PreparedChange(command: command, effect: .queue(edit, proposal, play: play))
        if let proposal {
            prepared.saves = [
                .queue(proposal.change, revision: queue.revision + 1, nextItemNumber: queue.nextItemNumber)
            ]
            let next = queue.nextItemNumber
            prepared.inserted = next > firstNumber ? firstNumber..<next : nil
        }
        return prepared
    }

    mutating func commit(_ prepared: PreparedChange) {
        switch prepared.effect {
        case .queue(let edit, let proposal, let play):
            if let proposal {
                queue.commit(proposal)
                emit(
                    .queue(
                        revision: queue.revision, length: queue.count, change: proposal.change, canUndo: queue.canUndo,
                        canRedo: queue.canRedo))
            }
            follow(edit, proposal?.change, play: play)
        case .settings(let patch):
            let new = settings.applying(patch)
            let isNew = new != settings
            let repeatsElse = new.abLoop != settings.abLoop
            if new.leader != settings.leader { leaders = nil }
            settings = new
            if repeatsElse { repeatPart() }
            // Its leader's sleep timer counts.
            if new.leader != nil, sleep != nil { sleep(nil) }
            // Also when nothing is new: a ramp may be on its way to just that volume.
            if patch.changesGain { applyGains(over: patch.volumeRamp?.seconds ?? 0) }
            if isNew { settingsChanged(prepared) }
            interruptionPolicyChanged()
            routePolicyChanged()
        case .output(let device):
            settings.outputDevice = device
            outputChosen(device)
            settingsChanged(prepared)
        case .effects(let new): commit(effects: new, prepared)
        case .note: break
        }
    }

    /// The player itself may have changed another setting since (`stopAfterCurrent` is over): then what was saved is
    /// older than what holds now.
    mutating func saveAgainIfOlder(_ prepared: PreparedChange) {
        if case .settings(let saved)? = prepared.saves.last, saved != settings {
            actions.append(.save(.settings(settings)))
        }
    }

    private mutating func settingsChanged(_ prepared: PreparedChange) {
        saveAgainIfOlder(prepared)
        emit(.settings(settings))
    }

    // MARK: When it fails

    mutating func saveFailed(_ failure: SaveFailure) {
        if saving.failed(failure.reason, now) { emit(.error(PlaybackError(failure))) }
    }

    mutating func saveSucceeded() {
        if saving.succeeded() { saveOwn() }
    }

    mutating func checkSaving() {
        if status == .playing, saving.positionTime(every: clockInterval) <= now { savePosition() }
        if saving.takeRetry(now) { saveOwn() }
    }

    /// Changes without a command, in force whether saved or not.
    private mutating func saveOwn() {
        savePosition()
        actions.append(.save(.settings(settings)))
    }
}
