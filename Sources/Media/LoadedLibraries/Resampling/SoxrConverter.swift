// SPDX-License-Identifier: Apache-2.0

internal import CSoxr
internal import Kernel
public import Playback

/// One libsoxr stream. soxr compensates its delay: the first output frame is at the time of the first input frame, and n input frames
/// give round(n * out / in) output frames in total.
final class SoxrConverter: FrameConverter {
    /// Loaded at the first conversion: most media have the output's sample rate.
    private static let library = Result { () throws(MissingLibrary) in try LoadedLibrary(csoxr(), csoxr_load) }

    private let functions: UnsafePointer<csoxr>
    private let soxr: soxr_t
    private let channels: Int
    /// Address for empty input, because soxr treats null as the end of the stream.
    private let nowhere: UnsafeMutablePointer<Float>

    init(from input: Double, to output: Double, channelCount: Int) throws(MediaError) {
        guard input > 0, output > 0, channelCount > 0 else {
            throw MediaError(
                .unsupported, "cannot convert \(channelCount) channels from \(input) Hz to \(output) Hz")
        }
        let functions = try Self.library.mapError { missing in
            MediaError(.unsupported, "cannot convert from \(input) Hz to \(output) Hz: \(missing.reason)")
        }.get().functions
        var error: soxr_error_t?
        var format = functions.pointee.io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
        var quality = functions.pointee.quality_spec(UInt(SOXR_HQ), 0)
        var runtime = functions.pointee.runtime_spec(1)
        let soxr = functions.pointee.create(
            input, output, UInt32(channelCount), &error, &format, &quality, &runtime)
        guard let soxr, error == nil else {
            let reason = error.map { String(cString: $0) } ?? "no reason given"
            throw MediaError(
                .unsupported, "cannot convert from \(input) Hz to \(output) Hz: soxr_create: \(reason)")
        }
        self.functions = functions
        self.soxr = soxr
        channels = channelCount
        nowhere = .allocate(capacity: 1)
    }

    deinit {
        functions.pointee.delete(soxr)
        nowhere.deallocate()
    }

    func convert(_ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>) -> (
        taken: Int, given: Int
    ) {
        var taken = 0
        var given = 0
        let error = functions.pointee.process(
            soxr, input.baseAddress ?? UnsafePointer(nowhere), input.count / channels, &taken,
            output.baseAddress ?? nowhere, output.count / channels, &given)
        // soxr fails here only if out of memory. The input counts as taken, so that the caller cannot loop forever.
        return error == nil ? (taken, given) : (input.count / channels, 0)
    }

    func finish(into output: UnsafeMutableBufferPointer<Float>) -> Int {
        var given = 0
        let error = functions.pointee.process(
            soxr, nil, 0, nil, output.baseAddress ?? nowhere, output.count / channels, &given)
        return error == nil ? given : 0
    }

    func reset() {
        let error = functions.pointee.clear(soxr)
        assert(error == nil, "soxr_clear failed")
    }
}

/// Sample-rate conversion by libsoxr at quality HQ (20 bits; stop band from the Nyquist frequency).
public struct SoxrConversion: SampleRateConversion {
    public init() {}

    public func converter(
        from input: Double, to output: Double, channelCount: Int
    ) throws(MediaError) -> any FrameConverter {
        try SoxrConverter(from: input, to: output, channelCount: channelCount)
    }
}
