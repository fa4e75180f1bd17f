// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// A checked command whose change must be saved before it takes effect. Only an alarm's edit takes effect unsaved, on a full
/// disk.
struct PreparedChange {
    enum Effect {
        /// `Proposal` nil: the queue does not change.
        case queue(QueueEdit, Queue.Proposal?, play: Bool)
        case settings(SettingsPatch)
        case output(String?)
        /// The settings with new effects; no other setting changes.
        case effects(PlayerSettings)
        /// Only saved, not used by the player.
        case note
    }

    var command: PlayerCommand
    var effect: Effect
    /// Changes to save first; empty if nothing changes.
    var saves: [SavedChange] = []
    /// The store has refused `saves`.
    var isUnsaved = false
    /// The numbers of the ids of new items.
    var inserted: Range<UInt64>?
}

/// Saved state changes by `prepare`, save, `commit`. Between these, no other command that is saved first may run.
extension PlayerCore {
    mutating func prepare(_ command: PlayerCommand) throws(PlaybackError) -> PreparedChange {
        switch command {
        case .edit(let edit, let expected, let play):
            try check(expected: expected, play: play)
            return try prepare(command, edit, play: play)
        case .apply(let patch):
            let new = try settings.checked(patch)
            if case .some(let abLoop?) = patch.abLoop { try check(abLoop) }
            return prepared(command, .settings(patch), new)
        case .selectOutput(let device):
            if let device, !output.devices.devices.contains(where: { $0.id == device }) {
                throw PlaybackError(.unknownOutput, "There is no output \(device.prefix(100)).", member: "id")
            }
            var new = settings
            new.outputDevice = device
            return prepared(command, .output(device), new)
        case .changeEffects(let change):
            let new = try settings.applying(change)
            return prepared(command, .effects(new), new)
        case .note(let name, let text):
            return PreparedChange(command: command, effect: .note, saves: [.note(name, text)])
        default: preconditionFailure("\(command) is not saved first")
        }
    }

    private func prepared(
        _ command: PlayerCommand, _ effect: PreparedChange.Effect, _ new: PlayerSettings
    ) -> PreparedChange {
        PreparedChange(command: command, effect: effect, saves: new == settings ? [] : [.settings(new)])
    }

    private mutating func prepare(
        _ command: PlayerCommand, _ edit: QueueEdit, play: Bool
    ) throws(PlaybackError) -> PreparedChange {
        let firstNumber = queue.nextItemNumber
        var edit = edit
        // Items that were queued as next follow the new item.
        if play, case .insert(let drafts, .next) = edit { edit = .insert(drafts, at: .now) }
        let proposal = try queue.propose(edit, using: &random)
        var prepared = PreparedChange(command: command, effect: .queue(edit, proposal, play: play))
        prepared.saves = unsavedQueue
        if let proposal {
            prepared.saves.append(
                .queue(proposal.change, revision: queue.revision + 1, nextItemNumber: queue.nextItemNumber))
            let next = queue.nextItemNumber
            prepared.inserted = next > firstNumber ? firstNumber..<next : nil
        }
        return prepared
    }

    mutating func commit(_ prepared: PreparedChange) {
        switch prepared.effect {
        case .queue(let edit, let proposal, let play):
            if play { dropTimedStart() }
            let waiting = current == nil ? queue.current : nil
            let wasUnsaved = saving.queueIsUnsaved
            saving.queueIsUnsaved = prepared.isUnsaved
            if let proposal {
                queue.commit(proposal)
                emit(
                    .queue(
                        revision: queue.revision, length: queue.count, change: proposal.change, canUndo: queue.canUndo,
                        canRedo: queue.canRedo))
                follow(edit, proposal.change, play: play)
            }
            // Clients see an item that waits unloaded, after `stopAfterCurrent`.
            if let waiting, current == nil, queue.item(waiting.id) !== waiting { emit(.item(currentItem)) }
            if wasUnsaved { saveSucceeded() }
        case .settings(let patch):
            let new = settings.applying(patch)
            let isNew = new != settings
            let repeatsElse = new.abLoop != settings.abLoop
            if new.leader != settings.leader { leaderPlayback = nil }
            settings = new
            if repeatsElse { repeatPart() }
            // A follower sleeps with its leader's timer.
            if new.leader != nil, sleep != nil { sleep(nil) }
            // Even without a change: a ramp to this volume may be running.
            if patch.changesVolume { applyVolume(over: patch.volumeRamp?.seconds ?? 0) }
            if patch.muted != nil || patch.balance != nil { applyBalance() }
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

    /// The player may have changed `stopAfterCurrent` itself meanwhile: the saved settings are then outdated.
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
        // There may be room for small changes, but not for the queue.
        guard !saving.queueIsUnsaved, saving.succeeded() else { return }
        saveOwn()
    }

    mutating func checkSaving() {
        if status == .playing, saving.positionTime(every: clockInterval) <= now { savePosition() }
        if saving.takeRetry(now) { saveOwn() }
    }

    /// Saves the changes that the player made without a command.
    private mutating func saveOwn() {
        // An edit, even an empty one, saves the whole queue in its turn. The rest follows once that is saved.
        if saving.queueIsUnsaved { return actions.append(.request(.edit(.insert([], at: .end)))) }
        savePosition()
        actions.append(.save(.settings(settings)))
    }

    /// The whole queue, if the store has another one.
    private var unsavedQueue: [SavedChange] {
        guard saving.queueIsUnsaved else { return [] }
        let change = QueueChange.replaced(old: queue.contents, new: queue.contents)
        return [.queue(change, revision: queue.revision, nextItemNumber: queue.nextItemNumber)]
    }
}
