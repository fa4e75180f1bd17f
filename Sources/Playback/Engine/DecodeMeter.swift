// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Kernel

/// The time that a player's decoders have taken. Any thread.
final class DecodeMeter: Sendable {
    private let nanoseconds = Atomic<Int64>(0)

    var seconds: Double { Double(nanoseconds.load(ordering: .relaxed)) / 1e9 }

    /// Counts what `work` takes, in which a decoder may wait for its source.
    func measure<Value>(_ work: () throws(MediaError) -> Value) throws(MediaError) -> Value {
        let began = MonotonicTime.now
        defer { nanoseconds.add(MonotonicTime.now.nanoseconds - began.nanoseconds, ordering: .relaxed) }
        return try work()
    }
}
