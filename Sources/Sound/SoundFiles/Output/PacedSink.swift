// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Playback

/// The destination of a `PacedOutput`'s sound. Used on the output's thread only.
protocol PacedSink: AnyObject {
    /// Shown as the only device.
    var device: OutputDevice { get }
    /// A sentence with the cause if nothing can be played; called once on activation.
    func check() -> OutputAvailability
    /// The format of the new stream.
    func open(_ preferred: AudioFormat) throws(AudioOutputError) -> AudioFormat
    func write(_ samples: UnsafeBufferPointer<Float>) throws(AudioOutputError)
    /// No more streams will come.
    func finish()
}
