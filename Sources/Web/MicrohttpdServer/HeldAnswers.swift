// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The memory of large responses until they are sent.
struct HeldAnswers: Sendable {
    /// Bytes that justify the milliseconds it takes to return their memory to the system.
    static let many = 16 << 20

    var budget: ByteBudget
    /// The maximum since no bytes were held.
    private var peak = 0

    init(budget: ByteBudget) { self.budget = budget }

    mutating func take(_ bytes: Int) -> Bool {
        guard budget.take(bytes) else { return false }
        peak = max(peak, budget.used)
        return true
    }

    /// True if these were the last of `many` bytes.
    mutating func giveBack(_ bytes: Int) -> Bool {
        budget.giveBack(bytes)
        guard budget.used == 0 else { return false }
        defer { peak = 0 }
        return peak >= Self.many
    }
}
