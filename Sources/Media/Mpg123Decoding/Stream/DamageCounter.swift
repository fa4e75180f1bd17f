// SPDX-License-Identifier: Apache-2.0

/// Notices damage by what libmpg123 leaves out: a frame that does not begin where the last one ended.
struct DamageCounter {
    var count = 0
    /// Where the next frame should begin; nil after a jump.
    private(set) var expected: Int64?
    private var lastFailure: Int64 = -1

    /// The gap's offset when there is one.
    mutating func frame(at offset: Int64, size: Int) -> Int64? {
        defer { expected = offset + Int64(size) }
        return expected.flatMap { $0 == offset ? nil : $0 }
    }

    mutating func jumped() {
        expected = nil
        lastFailure = -1
    }

    /// After a failure: whether the library has read on since the last one, so that this comes to an end.
    mutating func mayGoOn(at position: Int64) -> Bool {
        defer { lastFailure = position }
        return position > lastFailure
    }
}
