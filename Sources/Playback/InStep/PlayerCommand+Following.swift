// SPDX-License-Identifier: Apache-2.0

/// A follower plays its leader's queue.
extension PlayerCore {
    /// nil when the command is not the leader's matter, or there is no leader.
    func refusalOfFollower(_ command: PlayerCommand) -> PlaybackError? {
        guard let leader = settings.leader, command.split.leaders != nil else { return nil }
        return PlaybackError(
            .following, "This player follows \(leader): ask that one, or set leader to null.")
    }
}

extension PlayerCommand {
    /// The part of a follower's command that is its leader's, and the part that is its own.
    public var split: (leaders: PlayerCommand?, own: PlayerCommand?) {
        switch self {
        case .play, .start, .prime, .pause, .pauseWithLeader, .toggle, .stop, .next, .previous, .seek, .scan, .endScan,
            .edit, .shift, .adapt, .sleep:
            return (self, nil)
        case .apply(let patch):
            let (leaders, own) = patch.split
            // With another leader, or none, the queue is another one.
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
    /// The settings that a group takes from its leader.
    public var shared: SettingsPatch {
        var patch = SettingsPatch()
        for setting in Self.table where setting.sharing == .leaders { patch[setting] = setting.value(in: self) }
        return patch
    }

    /// A follower's as its clients see them.
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
    /// A follower as its clients see it: queue and order are the leader's.
    public func following(_ leader: PlayerSnapshot) -> PlayerSnapshot {
        var snapshot = self
        snapshot.settings = settings.following(leader.settings)
        (snapshot.queueLength, snapshot.queueRevision) = (leader.queueLength, leader.queueRevision)
        (snapshot.canUndo, snapshot.canRedo) = (leader.canUndo, leader.canRedo)
        snapshot.item = leader.item(of: item)
        // Silent, it is where its leader is.
        if leader.item == nil || item?.item.leaders == nil || !leader.playWhenReady { snapshot.clock = leader.clock }
        return snapshot
    }

    /// A follower's item as its clients see it: the leader's, until the follower has it.
    public func item(of follower: CurrentItem?) -> CurrentItem? {
        guard item != nil, let follower, follower.item.leaders != nil else { return item }
        return follower.following(self)
    }
}

extension CurrentItem {
    /// With the leader's id and index.
    public func following(_ leader: PlayerSnapshot) -> CurrentItem {
        var shown = self
        if let id = item.leaders { shown.item = QueueItem(id: id, draft: item.draft) }
        shown.index = leader.item?.index ?? 0
        return shown
    }
}

extension QueueItem {
    /// In a follower's queue: the leader's item that it stands for.
    public var leaders: ItemID? { draft.reference.map(ItemID.init(number:)) }
}
