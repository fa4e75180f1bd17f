// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The bytes of large answers until they are sent.
struct HeldAnswers: Sendable {
    /// So many are worth the milliseconds that it takes to give their memory back to the system.
    static let many = 16 << 20

    var budget: ByteBudget
    /// The most since none were held.
    private var peak = 0

    init(budget: ByteBudget) { self.budget = budget }

    mutating func take(_ bytes: Int) -> Bool {
        guard budget.take(bytes) else { return false }
        peak = max(peak, budget.used)
        return true
    }

    /// True when these were the last of many.
    mutating func giveBack(_ bytes: Int) -> Bool {
        budget.giveBack(bytes)
        guard budget.used == 0 else { return false }
        defer { peak = 0 }
        return peak >= Self.many
    }
}
