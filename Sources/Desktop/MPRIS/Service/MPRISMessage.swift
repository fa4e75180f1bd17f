// SPDX-License-Identifier: Apache-2.0

import Playback
import Service

/// A message of other threads to the bus's thread.
enum MPRISMessage: Sendable {
    /// The player; however often, it is looked at once.
    case changed
    /// nil: done.
    case answered(UInt64, Problem?)
    case artwork(ItemID, String?)
    case stop
}
