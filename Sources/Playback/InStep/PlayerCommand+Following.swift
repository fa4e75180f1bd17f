// SPDX-License-Identifier: Apache-2.0

extension PlayerCore {
    /// The error for a command that only the leader may receive; nil if this player may perform it.
    func refusalOfFollower(_ command: PlayerCommand) -> PlaybackError? {
        guard let leader = settings.leader, command.split.leaders != nil else { return nil }
        return PlaybackError(
            .following, "This player follows \(leader): ask that one, or set leader to null.")
    }
}

extension PlayerCommand {
    /// Splits a command for a follower into the leader's part and the follower's own part.
    public var split: (leaders: PlayerCommand?, own: PlayerCommand?) {
        switch self {
        case .play, .start, .cancelStart, .prime, .pause, .pauseWithLeader, .toggle, .stop, .next, .previous, .seek,
            .scan, .endScan, .edit, .shift, .adapt, .sleep:
            return (self, nil)
        case .apply(let patch):
            let (leaders, own) = patch.split
            // With another leader, or none, the queue changes as well.
            guard patch.leader == nil, leaders != SettingsPatch() else { return (nil, self) }
            return (.apply(leaders), own == SettingsPatch() ? nil : .apply(own))
        case .selectOutput, .borrowOutput, .changeEffects, .interruption, .applyRules, .rise, .note: return (nil, self)
        }
    }
}

extension SettingsPatch {
    var split: (leaders: SettingsPatch, own: SettingsPatch) {
        var (leaders, own) = (SettingsPatch(), self)
        for setting in PlayerSettings.table where setting.sharing == .leaders {
            leaders[setting] = self[setting]
            own[setting] = nil
        }
        (leaders.abLoop, own.abLoop) = (abLoop, nil)
        return (leaders, own)
    }
}

extension PlayerSettings {
    /// The settings that followers take from their leader.
    public var shared: SettingsPatch {
        var patch = SettingsPatch()
        for setting in Self.table where setting.sharing == .leaders { patch[setting] = setting.value(in: self) }
        return patch
    }

    /// A follower's settings, as clients see them.
    public func following(_ leader: PlayerSettings) -> PlayerSettings {
        var settings = self
        for setting in Self.table where setting.sharing == .leaders {
            setting.set(setting.value(in: leader), in: &settings)
        }
        (settings.abLoop, settings.playsSpeech) = (leader.abLoop, leader.playsSpeech)
        return settings
    }
}

extension PlayerSnapshot {
    /// A follower's snapshot, as clients see it: queue and order are the leader's.
    public func following(_ leader: PlayerSnapshot) -> PlayerSnapshot {
        var snapshot = self
        snapshot.settings = settings.following(leader.settings)
        (snapshot.queueLength, snapshot.queueRevision) = (leader.queueLength, leader.queueRevision)
        (snapshot.canUndo, snapshot.canRedo) = (leader.canUndo, leader.canRedo)
        snapshot.item = leader.item(of: item)
        // In the leader's queue, the follower's id names another item or none.
        if let id = item?.item.leaders, error?.itemID == item?.item.id { snapshot.error?.itemID = id }
        // A silent follower shows its leader's position, which does not advance for it.
        if clock.rate == 0, leader.item == nil || item?.item.leaders == nil || !leader.playWhenReady {
            snapshot.clock = leader.clock
            snapshot.clock.rate = 0
        }
        return snapshot
    }

    /// A follower's item, as clients see it: the leader's, until the follower has it.
    public func item(of follower: CurrentItem?) -> CurrentItem? {
        guard let item, var shown = follower, let id = shown.item.leaders else { return self.item }
        shown.item = QueueItem(id: id, draft: shown.item.draft)
        shown.error?.itemID = id
        shown.index = item.index
        return shown
    }
}

extension QueueItem {
    /// In a follower's queue: the id of the leader's item.
    public var leaders: ItemID? { draft.reference.map(ItemID.init(number:)) }
}
