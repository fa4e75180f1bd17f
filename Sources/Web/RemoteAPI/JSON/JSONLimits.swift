// SPDX-License-Identifier: Apache-2.0

/// Limits for one value. Lists of items are limited element by element.
struct JSONLimits {
    var bytes: Int
    var tokens: Int

    /// For one entry of a list, or a body without such a list.
    static let element = JSONLimits(bytes: 256 * 1024, tokens: 4_096)
    /// For a message of the event channel, which has at most 64 KB; the route reads its `data` again.
    static let message = JSONLimits(bytes: 64 * 1024, tokens: 65_536)

    /// Maximum depth of nested objects and lists.
    static let depth = 32
}
