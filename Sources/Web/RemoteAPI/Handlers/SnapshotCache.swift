// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Synchronization
import Kernel
import Service

/// The answer of `GET /player`, encoded once for each state: reused for up to 5 ms while the position advances
/// (`sampledAt` is its time), and until the next state while it does not.
final class SnapshotCache: Sendable {
    static let seconds = 0.005

    private struct Entry {
        var version: UInt64
        var followers: [String]
        var at: MonotonicTime
        var response: HTTPResponse
    }

    private let links: ItemLinks
    private let player: any PlayerControl
    private let followers: FollowerList
    private let clock: any PlayerClock
    private let entry = Mutex<Entry?>(nil)

    init(_ links: ItemLinks, player: any PlayerControl, followers: FollowerList, clock: any PlayerClock) {
        self.links = links
        self.player = player
        self.followers = followers
        self.clock = clock
    }

    var response: HTTPResponse {
        let snapshot = player.snapshot
        let followers = followers.ids
        let now = clock.now
        if let last = entry.withLock({ $0 }), last.version == snapshot.version, last.followers == followers,
            snapshot.clock.rate == 0 || now.seconds(since: last.at) < Self.seconds
        {
            return last.response
        }
        let body = JSONWriter.document(of: snapshot, links, followers: followers, at: Moment(clock))
        // Shared: the server caches its own form of it for the following answers.
        var response = HTTPResponse.json([])
        response.body = .shared(SharedBytes(body))
        // Part of a follower's state is its leader's, which has other versions.
        guard snapshot.settings.leader == nil else { return response }
        entry.withLock {
            // A slower thread must not restore an older state.
            if let entry = $0, entry.version > snapshot.version { return }
            $0 = Entry(version: snapshot.version, followers: followers, at: now, response: response)
        }
        return response
    }
}
