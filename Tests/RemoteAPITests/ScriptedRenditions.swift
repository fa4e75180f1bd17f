// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import Service

/// A video of 20 s with a frame a second, at times with noise; every picture scales to the same few bytes.
struct ScriptedRenditions: MediaRenditions {
    static let scalings = Atomic(0)
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1]

    func thumbnail(_ locator: MediaLocator, at seconds: Double, edge: Int) throws(MediaError) -> VideoThumbnail? {
        guard locator.uri.hasSuffix(".mp4") else { throw MediaError(.unsupported, "There is no video in it.") }
        return seconds > 20 ? nil : VideoThumbnail(time: seconds.rounded(.down).nextUp, jpeg: Self.jpeg)
    }

    func thumbnails() -> [KeptThumbnail] {
        [KeptThumbnail(uri: "v.mp4", seconds: 13.5, edge: 100, time: 13, bytes: 5)]
    }

    func scaled(_ picture: [UInt8], edge: Int) throws(MediaError) -> [UInt8] {
        Self.scalings.add(1, ordering: .relaxed)
        return Self.jpeg
    }

    func waveform(
        _ locator: MediaLocator, count: Int, cancellation: MediaCancellation
    ) throws(MediaError) -> MediaWaveform {
        if locator.uri == "text.mp3" { throw MediaError(.unsupported, "There is no audio in text.mp3.") }
        return MediaWaveform(duration: 10, peaks: [Double](repeating: 0.5, count: count))
    }
}
