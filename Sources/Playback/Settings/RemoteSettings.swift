// SPDX-License-Identifier: Apache-2.0

/// Permissions of controls other than the API (media keys, lock screens, the desktop's player controls).
public struct RemoteSettings: Hashable, Sendable {
    /// The player registers on the desktop's session bus.
    public var mpris = true
    /// Shows title, artist, picture and length; if false, only the playback state.
    public var showsMetadata = true
    /// Tags of the media take precedence over the item's own texts.
    public var prefersTags = false
    public var commands = Commands()

    /// The commands that are allowed. A command that is off has no effect and is not offered.
    public struct Commands: Hashable, Sendable {
        /// Allows or disables all commands; the others keep their values.
        public var enabled = true
        public var play = true
        public var pause = true
        public var next = true
        public var previous = true
        public var seek = true
        /// `next` and `previous` skip by `skipInterval` within the item; requires an interval.
        public var skip = false
        /// Seconds, above 0; no default.
        public var skipInterval: Double?
    }
}
