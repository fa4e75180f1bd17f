// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts answers by route and status.
final class RequestCounters: Sendable {
    struct Key: Hashable, Comparable {
        var method: String
        /// The route's pattern, so that ids do not make labels.
        var route: String
        var status: Int

        static func < (left: Key, right: Key) -> Bool {
            (left.route, left.method, left.status) < (right.route, right.method, right.status)
        }
    }

    private let counts = Mutex<[Key: UInt64]>([:])

    func count(_ method: String, _ route: String, _ status: Int) {
        counts.withLock { $0[Key(method: method, route: route, status: status), default: 0] += 1 }
    }

    var all: [(key: Key, count: UInt64)] {
        counts.withLock { $0.map { (key: $0.key, count: $0.value) } }.sorted { $0.key < $1.key }
    }
}
