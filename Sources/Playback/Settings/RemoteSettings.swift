// SPDX-License-Identifier: Apache-2.0

/// Permissions of surfaces other than the API (media keys, lock screens, the desktop's player controls).
public struct RemoteSettings: Hashable, Sendable {
    /// The player has its name on the desktop's session bus.
    public var mpris = true
    /// Title, artist, picture and length are shown; without, only that something plays.
    public var showsMetadata = true
    /// The media's tags go before what the item was given; without, the item's own texts do.
    public var prefersTags = false
    public var commands = Commands()

    /// Commands of a surface. A command that is off has no effect, and its surface does not offer it.
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
