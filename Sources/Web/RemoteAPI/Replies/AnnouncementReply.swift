// SPDX-License-Identifier: Apache-2.0

import Service
import Playback

extension JSONWriter {
    /// `Announcement` in openapi.yaml.
    mutating func members(of announcement: Announcement) {
        identity(of: announcement)
        member("state", announcement.state.rawValue)
    }

    /// `EndedAnnouncement` in openapi.yaml.
    mutating func members(of announcement: Announcement, _ end: SoundEnd) {
        identity(of: announcement)
        members(of: end)
    }

    private mutating func identity(of announcement: Announcement) {
        let request = announcement.request
        member("id", announcement.id.description)
        members(of: request.sound)
        switch request.music {
        case .duck(let decibels):
            member("music", "duck")
            member("duck", decibels)
        case .pause:
            member("music", "pause")
            member("duck", nil as Double?)
        }
        member("priority", request.priority.rawValue)
        member("output", request.output)
    }

    /// The data of an `announcement` event.
    mutating func members(of change: AnnouncementChange) {
        identity(of: change.announcement)
        let (type, end): (String, SoundEnd?) =
            switch change.kind {
            case .began: ("began", nil)
            case .setAside: ("set-aside", nil)
            case .resumed: ("resumed", nil)
            case .ended(let how): ("ended", how)
            }
        member("type", type)
        members(of: end)
    }

    /// `Announcements` in openapi.yaml.
    mutating func announcements(of status: AnnouncerStatus) {
        member("announcements", objects: status.announcements) { $0.members(of: $1) }
        member("ended", objects: status.endedAnnouncements) { $0.members(of: $1.announcement, $1.end) }
    }

    /// `SoundEffect` in openapi.yaml.
    mutating func members(of effect: SoundEffect) {
        member("id", effect.id.description)
        members(of: effect.sound)
        member("state", effect.state.rawValue)
    }

    /// `SoundEffects` in openapi.yaml.
    mutating func effects(of status: AnnouncerStatus) {
        member("effects", objects: status.effects) { $0.members(of: $1) }
        member("ended", objects: status.endedEffects) { writer, ended in
            writer.member("id", ended.effect.id.description)
            writer.members(of: ended.effect.sound)
            writer.members(of: ended.end)
        }
    }

    private mutating func members(of sound: Sound) {
        member("uri", PublicURI.text(sound.uri))
        member("parts", texts: ([sound.uri] + sound.following).map { PublicURI.text($0) })
        member("chime", sound.chime.map { PublicURI.text($0) })
        member("timeout", sound.patience)
        member("volume", sound.volume)
    }

    private mutating func members(of end: SoundEnd?) {
        member("reason", end?.reason.rawValue)
        member("error", end?.error) { writer, error in
            writer.member("code", error.code.rawValue)
            writer.member("message", error.message)
        }
    }
}
