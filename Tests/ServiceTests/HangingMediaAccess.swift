// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Service
import ServiceTesting

/// A disk that hangs until its gate opens; `near.mp3` is in the kernel's caches.
final class HangingMediaAccess: MediaAccess {
    let gate = Mailbox<Void>()
    /// A message for each thread that waits.
    let waiting = Mailbox<Void>()

    func isFileAtHand(_ uri: String) -> Bool { uri == "near.mp3" }

    func places(of uris: [String], seconds: Double, cancellation: MediaCancellation) -> [Int: MediaPlace] {
        waiting.post(())
        _ = gate.take(until: nil)
        // For the next waiting thread.
        gate.post(())
        return [:]
    }

    func media(inFolder path: String, limit: Int) throws(MediaError) -> FolderContent {
        _ = places(of: [path], seconds: 0, cancellation: MediaCancellation())
        return FolderContent(uris: [path])
    }
}
