// SPDX-License-Identifier: Apache-2.0

extension [Float] {
    /// Passes the interleaved frames to `body` in portions, with the index of each portion's first frame.
    mutating func process(
        in portions: some Sequence<Int>, channels: Int = 2,
        _ body: (_ samples: UnsafeMutablePointer<Float>, _ first: Int, _ frames: Int) -> Void
    ) {
        withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            var first = 0
            for frames in portions {
                body(base + first * channels, first, frames)
                first += frames
            }
        }
    }
}
