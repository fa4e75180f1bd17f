// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Kernel

/// Requests of other threads to the scanner, with a descriptor that wakes it.
final class ScannerSignals: Sendable {
    struct Wishes {
        var scan = false
        var rereads = false
        /// The database failed a reader: it is checked, and rebuilt when it is damaged.
        var check = false
        var end = false
    }

    private let wake: WakeSignal
    private let wishes = Mutex(Wishes())
    private let isEnding = Atomic(false)

    init() {
        guard let wake = WakeSignal() else { Shortage.endProcess("descriptors", for: "library-scan") }
        self.wake = wake
    }

    /// For poll: readable when there are wishes.
    var descriptor: Int32 { wake.descriptor }

    /// Also asked in the midst of a scan.
    var mustEnd: Bool { isEnding.load(ordering: .relaxed) }

    func wish(_ change: (inout Wishes) -> Void) {
        wishes.withLock { wishes in
            change(&wishes)
            if wishes.end { isEnding.store(true, ordering: .relaxed) }
        }
        wake.ring()
    }

    func take() -> Wishes {
        wake.reset()
        return wishes.withLock { wishes in
            defer { wishes = Wishes(end: wishes.end) }
            return wishes
        }
    }
}
