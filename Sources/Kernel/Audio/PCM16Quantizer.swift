// SPDX-License-Identifier: Apache-2.0

/// Float32 to 16-bit PCM: full scale is 32768, rounded to the nearest (ties to even), clamped; NaN becomes silence.
/// The exact inverse of `Float(sample) / 32768`.
public enum PCM16Quantizer {
    @_noLocks @_noAllocation
    public static func quantize(_ samples: UnsafePointer<Float>, into output: UnsafeMutablePointer<Int16>, count: Int) {
        // Adding 1.5 * 2^23 to a number of less than 22 bits leaves the nearest integer in the low bits of the significand.
        // This rounds without a branch or a call, so that the loop is vectorised.
        let magic: Float = 12_582_912
        for index in 0..<count {
            let scaled = samples[index] * 32_768
            let number = scaled == scaled ? scaled : 0
            let upper = number < 32_767 ? number : 32_767
            let clamped = upper > -32_768 ? upper : -32_768
            output[index] = Int16(truncatingIfNeeded: (clamped + magic).bitPattern)
        }
    }
}
