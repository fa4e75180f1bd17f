// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization

/// What other threads want from the scanner, with a descriptor that wakes it.
final class ScannerSignals: Sendable {
    struct Wishes {
        var scan = false
        var rereads = false
        /// The database failed a reader: it is checked, and rebuilt when it is damaged.
        var check = false
        var end = false
    }

    /// For poll: readable when there are wishes.
    let descriptor: Int32
    private let wishes = Mutex(Wishes())
    private let isEnding = Atomic(false)

    init() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        precondition(descriptor >= 0, "eventfd failed with \(errno)")
    }

    deinit { close(descriptor) }

    /// Also asked in the midst of a scan.
    var mustEnd: Bool { isEnding.load(ordering: .relaxed) }

    func wish(_ change: (inout Wishes) -> Void) {
        wishes.withLock { wishes in
            change(&wishes)
            if wishes.end { isEnding.store(true, ordering: .relaxed) }
        }
        var one: UInt64 = 1
        // It fails only when it is signalled already.
        _ = write(descriptor, &one, 8)
    }

    func take() -> Wishes {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
        return wishes.withLock { wishes in
            defer { wishes = Wishes(end: wishes.end) }
            return wishes
        }
    }
}
