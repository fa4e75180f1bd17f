// SPDX-License-Identifier: Apache-2.0

import Kernel

extension NetworkReach {
    /// nil for the usual, so that most rows stay as short as they were.
    var saved: String? { self == .anywhere ? nil : rawValue }

    /// A value that makes no sense allows the least.
    init(saved text: String?) {
        self = text.map { NetworkReach(rawValue: $0) ?? .public } ?? .anywhere
    }
}
