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
        var isRunning: Bool
        var at: MonotonicTime
        var response: HTTPResponse

        func usable(for version: UInt64, _ followers: [String], at now: MonotonicTime) -> HTTPResponse? {
            guard version == self.version, followers == self.followers,
                !isRunning || now.seconds(since: at) < SnapshotCache.seconds
            else {
                return nil
            }
            return response
        }
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
        if let response = entry.withLock({ $0?.usable(for: snapshot.version, followers, at: now) }) { return response }
        let body = JSONWriter.document(of: snapshot, links, followers: followers, at: Moment(clock))
        // Shared: the server caches its own form of it for the following answers.
        var response = HTTPResponse.json([])
        response.body = .shared(SharedBytes(body))
        // Part of a follower's state is its leader's, which has other versions.
        guard snapshot.settings.leader == nil else { return response }
        entry.withLock {
            // A slower thread must not restore an older state.
            if let entry = $0, entry.version > snapshot.version { return }
            $0 = Entry(
                version: snapshot.version, followers: followers, isRunning: snapshot.clock.rate != 0, at: now,
                response: response)
        }
        return response
    }
}
