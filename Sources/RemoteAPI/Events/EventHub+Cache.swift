// SPDX-License-Identifier: Apache-2.0

import Catalogue

extension EventHub {
    /// Called from the cache's thread, ten times a second at most. Only the latest state counts.
    func receive(_ cache: CacheStatus) {
        let everyone = everyone()
        guard !everyone.isEmpty else { return }
        let version = player.snapshot.version
        let frame = encoder.cache(cache, version: version, at: Moment(clock))
        for subscriber in everyone { subscriber.setState(.cache, frame, version: version) }
    }
}
