// SPDX-License-Identifier: Apache-2.0

import Playback

/// Item ids as D-Bus object paths: an item keeps its path for good, as `mpris:trackid` must.
enum TrackPath {
    /// The specification's word for no track.
    static let none = "/org/mpris/MediaPlayer2/TrackList/NoTrack"
    private static let prefix = "/org/tonearm/track/"

    static func text(_ id: ItemID) -> String { prefix + id.description }

    static func item(_ path: String) -> ItemID? {
        path.hasPrefix(prefix) ? ItemID(path.dropFirst(prefix.count)) : nil
    }
}
