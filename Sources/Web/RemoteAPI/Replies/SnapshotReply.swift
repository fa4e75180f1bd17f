// SPDX-License-Identifier: Apache-2.0

import Playback
import Kernel

/// One moment on both clocks, so that a position has the wall-clock time at which it holds.
struct Moment {
    var monotonic: MonotonicTime
    var wallMilliseconds: Int64

    init(_ clock: any PlayerClock) {
        monotonic = clock.now
        wallMilliseconds = clock.wallMilliseconds
    }
}

extension JSONWriter {
    /// The members of `GET /player` (`Player` in openapi.yaml), at one moment.
    mutating func members(of snapshot: PlayerSnapshot, _ links: ItemLinks, followers: [String], at moment: Moment) {
        let clock = snapshot.clock
        member("id", links.path.id)
        member("version", snapshot.version)
        member("status", snapshot.status.rawValue)
        member("reason", snapshot.reason?.rawValue)
        member("playWhenReady", snapshot.playWhenReady)
        member("item", snapshot.item) { $0.members(of: $1, links) }
        member("queueIndex", snapshot.item?.index)
        members(of: clock, duration: snapshot.item?.duration, at: moment.monotonic)
        member("listenedTime", clock.listenedTime(at: moment.monotonic))
        member("sampledAt", moment.wallMilliseconds)
        member("rate", clock.rate)
        member("latency", clock.latency)
        members(of: LoadedMedia(snapshot))
        settingsMembers(of: snapshot.settings, followers: followers)
        member("queue") { writer in
            writer.member("length", snapshot.queueLength)
            writer.member("revision", snapshot.queueRevision)
            writer.member("canUndo", snapshot.canUndo)
            writer.member("canRedo", snapshot.canRedo)
        }
        member("output") { $0.members(of: snapshot.output) }
        member("error", snapshot.error) { $0.members(of: $1) }
    }

    /// `position`, `duration` and `progress`; the last two are null when unknown.
    mutating func members(of clock: PositionClock, duration: Double?, at time: MonotonicTime) {
        let duration = duration ?? clock.duration
        let position = clock.position(at: time)
        member("position", position)
        member("duration", duration)
        member("progress", duration.map { $0 > 0 ? min(1, max(0, position / $0)) : 0 })
    }

    mutating func members(of error: PlaybackError) {
        member("code", error.code.rawValue)
        member("message", error.message)
        member("itemId", error.itemID?.description)
    }

    mutating func members(of loaded: LoadedMedia) {
        member("loadedRanges", objects: loaded.part.ranges) { writer, range in
            writer.member("start", range.lowerBound)
            writer.member("duration", range.upperBound - range.lowerBound)
        }
        member("loadedTime", loaded.isKnown ? loaded.part.end : nil)
        member("bufferProgress", loaded.part.progress)
        member("bufferedAhead", loaded.part.ahead)
    }
}

/// The loaded part of the current media. A local file is loaded completely once it is open.
struct LoadedMedia: Equatable {
    var itemID: ItemID?
    /// In seconds. A local file has the speed 0 and never stalls.
    private(set) var part: LoadedTime
    /// If false, only `part.ahead` is known.
    private(set) var isKnown = true

    init(_ snapshot: PlayerSnapshot) {
        itemID = snapshot.item?.item.id
        part = snapshot.loaded ?? LoadedTime()
        part.ahead += snapshot.statistics.bufferedAhead
        part.bytesPerSecond.round()
        guard snapshot.loaded == nil else { return }
        isKnown = false
        guard let item = snapshot.item, item.media != nil, let duration = item.duration else { return }
        isKnown = true
        (part.ranges, part.end, part.progress) = ([0..<max(0, duration)], duration, 1)
    }

    /// Whether it differs visibly from `other`.
    func isNews(after other: LoadedMedia?) -> Bool {
        guard let other, itemID == other.itemID else { return isKnown }
        return part.ranges != other.part.ranges || part.isStalled != other.part.isStalled
            || part.progress != other.part.progress
    }
}
