// SPDX-License-Identifier: Apache-2.0

/// New values for some settings. `patch.volume = 0.5` sets a value, nil removes it from the patch.
@dynamicMemberLookup
public struct SettingsPatch: Hashable, Sendable {
    public struct VolumeRamp: Hashable, Sendable {
        /// Final volume 0...1.
        public var to: Double
        /// 0...3600.
        public var seconds: Double

        public init(to: Double, seconds: Double) { (self.to, self.seconds) = (to, seconds) }
    }

    /// Added to the present level, -1...1, so that steps of several clients add up; the sum is clamped.
    public var levelBy: Double?
    /// Like `levelBy` for every player of the group; limited so that differences remain.
    public var groupLevelBy: Double?
    public var volumeRamp: VolumeRamp?
    /// `.some(nil)` cancels the loop.
    public var abLoop: ABLoop??
    /// Applied at once, and saved as soon as that succeeds: an alarm is heard even if the disk is full.
    public var isSavedLater = false
    /// Values by key.
    private var values: [String: SettingValue] = [:]

    public init() {}

    public subscript(setting: Setting) -> SettingValue? {
        get { values[setting.key] }
        set { values[setting.key] = newValue }
    }

    /// `path` must be in `PlayerSettings.table`. For an optional setting `.some(nil)` removes the value.
    public subscript<Value: SettingConvertible>(
        dynamicMember path: WritableKeyPath<PlayerSettings, Value>
    ) -> Value? {
        get { self[Self.setting(path)].flatMap { Value($0) } }
        set { self[Self.setting(path)] = newValue?.settingValue }
    }

    private static func setting(_ path: PartialKeyPath<PlayerSettings>) -> Setting {
        guard let setting = PlayerSettings.table.first(where: { $0.path == path }) else {
            preconditionFailure("\(path) is not in PlayerSettings.table")
        }
        return setting
    }

    var changesTempo: Bool {
        self.playbackRate != nil || self.musicRate != nil || self.speechRate != nil || self.pitch != nil
            || self.preservesPitch != nil
    }

    var changesVolume: Bool {
        self.volume != nil || self.level != nil || levelBy != nil || volumeRamp != nil
    }
}

extension PlayerSettings {
    /// The settings with the patch. Throws `out-of-range` with the member of a value that does not fit.
    func checked(_ patch: SettingsPatch) throws(PlaybackError) -> PlayerSettings {
        func check(_ value: Double?, _ range: ClosedRange<Double>, _ name: String) throws(PlaybackError) {
            if let value { try PlaybackError.check(value, range, name) }
        }
        for setting in Self.table {
            guard let value = patch[setting], !setting.accepts(value) else { continue }
            throw PlaybackError(.outOfRange, "\(setting.key) must be \(setting.form.requirement).", member: setting.key)
        }
        try check(patch.levelBy, -1...1, "levelBy")
        try check(patch.groupLevelBy, -1...1, "groupLevelBy")
        try check(patch.volumeRamp?.to, 0...1, "volumeRamp.to")
        try check(patch.volumeRamp?.seconds, 0...3600, "volumeRamp.seconds")
        let settings = applying(patch)
        guard !settings.remote.commands.skip || settings.remote.commands.skipInterval != nil else {
            throw PlaybackError(
                .outOfRange, "remoteCommands.skip needs remoteCommands.skipInterval to be set.",
                member: "remoteCommands.skip")
        }
        return settings
    }

    /// The patch must have been checked.
    func applying(_ patch: SettingsPatch) -> PlayerSettings {
        var settings = self
        for setting in Self.table { if let value = patch[setting] { setting.set(value, in: &settings) } }
        if let step = patch.levelBy { settings.level += step }
        if let ramp = patch.volumeRamp { settings.volume = ramp.to }
        if let abLoop = patch.abLoop { settings.abLoop = abLoop }
        if settings.leader != nil { settings.followOnly() }
        return settings
    }
}
