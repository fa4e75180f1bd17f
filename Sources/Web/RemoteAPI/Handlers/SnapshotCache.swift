// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Synchronization
import Kernel
import Service

/// The response of `GET /player`. It is reused until the next state, but at most 5 ms while the position advances, whose
/// time is `sampledAt`.
final class SnapshotCache: Sendable {
    static let seconds = 0.005

    private struct Entry {
        var version: UInt64
        var followers: [String]
        var at: MonotonicTime
        var response: HTTPResponse
    }

    private let entry = Mutex<Entry?>(nil)

    func response(in context: PlayerContext) -> HTTPResponse {
        let moment = Moment(context.clock)
        let (snapshot, followers, now) = (context.player.snapshot, context.followers.ids, moment.monotonic)
        if let last = entry.withLock({ $0 }), last.version == snapshot.version, last.followers == followers,
            snapshot.clock.rate == 0 || now.seconds(since: last.at) < Self.seconds
        {
            return last.response
        }
        // Shared, so that the server caches its own form of the response.
        var response = HTTPResponse.json([])
        response.body = .shared(SharedBytes(context.encode(snapshot, at: moment)))
        // A follower shows a part of its leader's state, which has other versions.
        guard snapshot.settings.leader == nil else { return response }
        entry.withLock {
            // A slower thread must not restore an older state.
            if let entry = $0, entry.version > snapshot.version || entry.at > now { return }
            $0 = Entry(version: snapshot.version, followers: followers, at: now, response: response)
        }
        return response
    }
}
