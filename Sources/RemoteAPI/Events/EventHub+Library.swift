// SPDX-License-Identifier: Apache-2.0

import Catalogue

extension EventHub {
    /// Called from the library's thread, as seldom as clients should hear of it. Only the latest state counts.
    func receive(_ library: LibraryStatus) {
        let everyone = everyone()
        guard !everyone.isEmpty else { return }
        let version = player.snapshot.version
        let frame = encoder.library(library, version: version, at: Moment(clock))
        for subscriber in everyone { subscriber.setState(.library, frame, version: version) }
    }
}
