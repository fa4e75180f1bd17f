// SPDX-License-Identifier: Apache-2.0

public import Audio
internal import CSoundTouch
internal import Glibc
internal import Kernel
public import Playback

/// One SoundTouch stream, cut or padded to the exact length. SoundTouch's own length is off by a few milliseconds.
final class SoundTouchStretcher: FrameConverter {
    /// Frames per call of SoundTouch. Fixed, because SoundTouch's splice points depend on the block size, and equal input must give equal
    /// output.
    private static let block = 2_048

    private let functions: UnsafePointer<csoundtouch>
    private let stretcher: UnsafeMutableRawPointer
    private let channels: Int
    private let rate: Double
    private let input: UnsafeMutableBufferPointer<Float>
    /// Frames in `input`.
    private var waiting = 0
    /// Frames since the last reset.
    private var taken = 0
    private var given = 0

    init(
        _ functions: UnsafePointer<csoundtouch>, _ format: AudioFormat, rate: Double, cents: Double
    ) throws(MediaError) {
        let refusal = MediaError(.unsupported, "SoundTouch cannot change the speed or pitch of \(format).")
        // SoundTouch throws C++ exceptions for other values.
        guard 1...192_000 ~= format.sampleRate, 1...16 ~= format.channelCount,
            let stretcher = functions.pointee.createInstance()
        else { throw refusal }
        _ = functions.pointee.setSampleRate(stretcher, UInt32(format.sampleRate))
        _ = functions.pointee.setChannels(stretcher, UInt32(format.channelCount))
        functions.pointee.setTempo(stretcher, Float(rate))
        functions.pointee.setPitch(stretcher, Float(exp2(cents / 1_200)))
        self.functions = functions
        self.stretcher = stretcher
        self.rate = rate
        channels = format.channelCount
        input = .allocate(capacity: Self.block * channels)
        input.initialize(repeating: 0)
    }

    deinit {
        functions.pointee.destroyInstance(stretcher)
        input.deallocate()
    }

    func convert(_ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>) -> (
        taken: Int, given: Int
    ) {
        // Frames beyond the exact length so far stay inside, as they may be cut.
        let frames = receive(Int(clamping: Double(taken) / rate) - given, into: output)
        guard frames == 0 else { return (0, frames) }
        return (put(input), 0)
    }

    func finish(into output: UnsafeMutableBufferPointer<Float>) -> Int {
        let rest = max(taken > 0 ? 1 : 0, Int(clamping: (Double(taken) / rate).rounded())) - given
        guard rest > 0, output.count >= channels else { return 0 }
        // Silence flushes the frames that SoundTouch holds back. 200 blocks are far more than it can hold.
        for _ in 0..<200 where functions.pointee.numSamples(stretcher) == 0 {
            input[(waiting * channels)...].update(repeating: 0)
            passBlock()
        }
        let frames = receive(rest, into: output)
        guard frames == 0 else { return frames }
        let missing = min(rest, output.count / channels)
        output[..<(missing * channels)].update(repeating: 0)
        given += missing
        return missing
    }

    func reset() {
        functions.pointee.clear(stretcher)
        (taken, given, waiting) = (0, 0, 0)
    }

    private func put(_ samples: UnsafeBufferPointer<Float>) -> Int {
        let frames = min(samples.count / channels, Self.block - waiting)
        _ = input[(waiting * channels)...].update(fromContentsOf: samples[..<(frames * channels)])
        waiting += frames
        taken += frames
        if waiting == Self.block { passBlock() }
        return frames
    }

    private func passBlock() {
        _ = functions.pointee.putSamples(stretcher, input.baseAddress, UInt32(Self.block))
        waiting = 0
    }

    private func receive(_ limit: Int, into output: UnsafeMutableBufferPointer<Float>) -> Int {
        let frames = min(limit, output.count / channels)
        guard frames > 0 else { return 0 }
        let received = Int(functions.pointee.receiveSamples(stretcher, output.baseAddress, UInt32(frames)))
        given += received
        return received
    }
}

/// Speed and pitch by SoundTouch, through its C interface.
public struct SoundTouchStretching: TimeStretching {
    /// Loaded at the first use.
    private static let library = Result { () throws(MissingLibrary) in
        try LoadedLibrary(csoundtouch(), csoundtouch_load)
    }

    public init() {}

    public func load() throws(MediaError) { _ = try Self.functions() }

    public func stretcher(
        for format: AudioFormat, rate: Double, cents: Double
    ) throws(MediaError) -> any FrameConverter {
        try SoundTouchStretcher(Self.functions(), format, rate: rate, cents: cents)
    }

    private static func functions() throws(MediaError) -> UnsafePointer<csoundtouch> {
        try library.mapError { missing in
            MediaError(
                .unsupported,
                "Changing speed or pitch needs SoundTouch (Debian's package libsoundtouch1): install it and restart the server. \(missing.reason)"
            )
        }.get().functions
    }
}
