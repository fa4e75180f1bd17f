// SPDX-License-Identifier: Apache-2.0

/// What other surfaces than the API (media keys, lock screens, the desktop's player controls) may show and do.
public struct RemoteSettings: Hashable, Sendable {
    /// The player has its name on the desktop's session bus.
    public var mpris = true
    /// Title, artist, picture and length are shown; without, only that something plays.
    public var showsMetadata = true
    /// The media's tags go before what the item was given; without, the item's own texts do.
    public var prefersTags = false
    public var commands = Commands()

    /// What a surface may ask for. A command that is off has no effect, and its surface does not offer it.
    public struct Commands: Hashable, Sendable {
        /// All of them at once; the others keep their values.
        public var enabled = true
        public var play = true
        public var pause = true
        public var next = true
        public var previous = true
        public var seek = true
        /// Next and previous move by `skipInterval` within the item; needs one.
        public var skip = false
        /// Seconds, above 0; there is no default.
        public var skipInterval: Double?

        public init() {}
    }

    public init() {}
}

/// New values for some of them; nil leaves a member alone.
public struct RemotePatch: Hashable, Sendable {
    /// Seconds that `skipInterval` may have.
    public static let intervals = 0.1...3600.0

    public var mpris: Bool?
    public var showsMetadata: Bool?
    public var prefersTags: Bool?
    public var enabled: Bool?
    public var play: Bool?
    public var pause: Bool?
    public var next: Bool?
    public var previous: Bool?
    public var seek: Bool?
    public var skip: Bool?
    /// `.some(nil)` removes it.
    public var skipInterval: Double??

    public init() {}
}

extension RemoteSettings {
    func applying(_ patch: RemotePatch) throws(PlaybackError) -> RemoteSettings {
        if let interval = patch.skipInterval ?? nil, !RemotePatch.intervals.contains(interval) {
            let range = RemotePatch.intervals
            throw PlaybackError(
                .outOfRange,
                "remoteCommands.skipInterval must be between \(range.lowerBound) and \(range.upperBound).",
                member: "remoteCommands.skipInterval")
        }
        var result = self
        result.mpris = patch.mpris ?? mpris
        result.showsMetadata = patch.showsMetadata ?? showsMetadata
        result.prefersTags = patch.prefersTags ?? prefersTags
        result.commands.enabled = patch.enabled ?? commands.enabled
        result.commands.play = patch.play ?? commands.play
        result.commands.pause = patch.pause ?? commands.pause
        result.commands.next = patch.next ?? commands.next
        result.commands.previous = patch.previous ?? commands.previous
        result.commands.seek = patch.seek ?? commands.seek
        result.commands.skip = patch.skip ?? commands.skip
        result.commands.skipInterval = patch.skipInterval ?? commands.skipInterval
        guard !result.commands.skip || result.commands.skipInterval != nil else {
            throw PlaybackError(
                .outOfRange, "remoteCommands.skip needs remoteCommands.skipInterval to be set.",
                member: "remoteCommands.skip")
        }
        return result
    }
}
