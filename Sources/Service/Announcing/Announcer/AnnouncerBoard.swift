// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// The state that an announcer and its loop share.
typealias AnnouncerBoard = Published<AnnouncerShared, AnnouncementChange>

struct AnnouncerShared: Sendable {
    var status = AnnouncerStatus()
    /// The newest rules of the session. A running loop also gets each change as a message.
    var rules = SessionRules()
}

extension AnnouncerBoard {
    func publish(_ body: (inout AnnouncerStatus) -> Void) {
        change { shared in
            body(&shared.status)
            return nil
        }
    }
}
