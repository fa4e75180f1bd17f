// SPDX-License-Identifier: Apache-2.0

import Kernel

/// Whether this process may have some more threads. What must have one ends the process without (`NamedThread`); who
/// starts such a thing for a client looks first.
enum SpareThreads {
    static func exist(_ count: Int) -> Bool {
        var started: [(thread: NamedThread, gate: Mailbox<Void>)] = []
        while started.count < count {
            let gate = Mailbox<Void>()
            guard let thread = NamedThread(ifPossible: "spare", { _ = gate.take(until: nil) }) else { break }
            started.append((thread, gate))
        }
        for (thread, gate) in started {
            gate.post(())
            thread.join()
        }
        return started.count == count
    }
}
