// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Playback

extension PacedOutput {
    /// An output without sound: for machines without a sink, and for tests.
    public static func null() -> PacedOutput { PacedOutput { NullSink() } }
}

private final class NullSink: PacedSink {
    let device = OutputDevice(
        id: "null", description: "No sound", isDefault: true, sampleRate: 44_100, channelCount: 2)

    func check() -> OutputAvailability { .available }
    func open(_ preferred: AudioFormat) -> AudioFormat { preferred }
    func write(_ samples: UnsafeBufferPointer<Float>) {}
    func finish() {}
}
