// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import CSndfile

extension PCM16Quantizer {
    /// Writes 16-bit samples by way of `buffer`, whose size is divisible by the channel count. Returns false if libsndfile fails.
    static func write(
        _ samples: UnsafeBufferPointer<Float>, to file: OpaquePointer, by buffer: UnsafeMutableBufferPointer<Int16>
    ) -> Bool {
        guard let source = samples.baseAddress, let exact = buffer.baseAddress else { return true }
        for done in stride(from: 0, to: samples.count, by: buffer.count) {
            let count = min(buffer.count, samples.count - done)
            quantize(source + done, into: exact, count: count)
            guard sf_write_short(file, exact, sf_count_t(count)) == count, sf_error(file) == 0 else { return false }
        }
        return true
    }
}
