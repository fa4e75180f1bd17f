// SPDX-License-Identifier: Apache-2.0

import Glibc

/// libebur128's measurement, as a reference. The tests need its package.
struct LibEBUR128 {
    private typealias Initialize = @convention(c) (UInt32, UInt, Int32) -> OpaquePointer?
    private typealias Destroy = @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> Void
    private typealias AddFrames = @convention(c) (OpaquePointer, UnsafePointer<Float>, Int) -> Int32
    private typealias TruePeak = @convention(c) (OpaquePointer, UInt32, UnsafeMutablePointer<Double>) -> Int32
    private typealias Loudness = @convention(c) (OpaquePointer, UnsafeMutablePointer<Double>) -> Int32

    /// EBUR128_MODE_I | EBUR128_MODE_TRUE_PEAK
    private static let mode: Int32 = 0x5 | 0x31

    /// dBTP, the loudest channel's.
    let truePeak: Double
    /// LUFS, integrated.
    let loudness: Double

    init?(_ samples: [Float], channels: Int, sampleRate: Int) {
        guard let library = dlopen("libebur128.so.1", RTLD_NOW) else { return nil }
        func function<T>(_ name: String, _ type: T.Type) -> T? {
            dlsym(library, name).map { unsafeBitCast($0, to: type) }
        }
        guard let initialize = function("ebur128_init", Initialize.self),
            let destroy = function("ebur128_destroy", Destroy.self),
            let addFrames = function("ebur128_add_frames_float", AddFrames.self),
            let peakOf = function("ebur128_true_peak", TruePeak.self),
            let loudnessOf = function("ebur128_loudness_global", Loudness.self),
            let state = initialize(UInt32(channels), UInt(sampleRate), Self.mode)
        else { return nil }
        guard addFrames(state, samples, samples.count / channels) == 0 else { return nil }
        var (highest, loudness) = (0.0, 0.0)
        for channel in 0..<channels {
            var peak = 0.0
            guard peakOf(state, UInt32(channel), &peak) == 0 else { return nil }
            highest = max(highest, peak)
        }
        guard loudnessOf(state, &loudness) == 0 else { return nil }
        truePeak = 20 * log10(highest)
        self.loudness = loudness
        var handle: OpaquePointer? = state
        destroy(&handle)
    }
}
