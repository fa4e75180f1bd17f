// SPDX-License-Identifier: Apache-2.0

public import Audio
internal import Playback

/// An output in real time without sound: for machines without a sink, and for tests.
// Unchecked because the superclass is; adds no state.
public final class NullOutput: PacedOutput, @unchecked Sendable {
    /// `format`: the format of every stream; nil: the requested one.
    public init(format: AudioFormat? = nil) { super.init { NullSink(format: format) } }
}

private final class NullSink: PacedSink {
    private let format: AudioFormat?

    init(format: AudioFormat?) { self.format = format }

    var device: OutputDevice {
        OutputDevice(
            id: "null", description: "No sound", isDefault: true, sampleRate: format?.sampleRate ?? 44_100,
            channelCount: format?.channelCount ?? 2)
    }

    func check() -> OutputAvailability { .available }
    func open(_ preferred: AudioFormat) throws(AudioOutputError) -> AudioFormat { format ?? preferred }
    func write(_ samples: UnsafeBufferPointer<Float>) throws(AudioOutputError) {}
    func finish() {}
}
