// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel
import Media
import Playback
import Synchronization

/// A track of constant level: "title=A;rate=100;seconds=10;level=0.5". "gain" is the loudness in its tags.
final class ScriptedTrack: AudioDecoder {
    let media: MediaDescription
    private let level: Float
    private var left: Int

    /// nil without a length.
    init?(_ text: String) {
        var values: [String: Double] = [:]
        for part in text.split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            if pair.count == 2 { values[pair[0]] = Double(pair[1]) }
        }
        guard let seconds = values["seconds"] else { return nil }
        let format = AudioFormat(sampleRate: Int(clamping: values["rate"] ?? 100), layout: .mono)
        var tags = MediaDescription.Tags()
        tags.replayGain.trackGain = values["gain"]
        left = Int(format.frames(seconds))
        media = MediaDescription(format: format, duration: format.frames(seconds), tags: tags)
        level = Float(values["level"] ?? 1)
    }

    func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        let count = min(left, samples.count)
        samples[..<count].update(repeating: level)
        left -= count
        return DecodedFrames(frames: count, endOfStream: left == 0)
    }

    func seek(to frame: FrameCount) throws(MediaError) -> FrameCount { throw MediaError(.unsupported, "not sought") }
}

/// Measures the last sample, and records the lengths of the measured tracks, in frames.
final class ScriptedMeasuring: LoudnessMeasuring {
    private struct State {
        var lengths: [Int] = []
        var running = 0
        var most = 0
    }

    private let state = Mutex(State())
    private let missing: MissingLibrary?

    init(missing: MissingLibrary? = nil) { self.missing = missing }

    var lengths: [Int] { state.withLock { $0.lengths } }
    /// The largest number of concurrent measurements.
    var most: Int { state.withLock { $0.most } }

    func measurement(of format: AudioFormat) throws(MissingLibrary) -> (any LoudnessMeasurement)? {
        if let missing { throw missing }
        state.withLock { state in
            state.running += 1
            state.most = max(state.most, state.running)
        }
        return Measurement(measuring: self, rate: format.sampleRate)
    }

    private final class Measurement: LoudnessMeasurement {
        let measuring: ScriptedMeasuring
        let rate: Int
        private var frames = 0
        private var level = 0.0

        init(measuring: ScriptedMeasuring, rate: Int) { (self.measuring, self.rate) = (measuring, rate) }

        deinit {
            measuring.state.withLock { [frames] state in
                state.running -= 1
                state.lengths.append(frames)
            }
        }

        func add(_ samples: UnsafeBufferPointer<Float>) {
            frames += samples.count
            level = samples.last.map { Double($0) } ?? level
        }

        var result: MediaLoudness? {
            level > 0 ? MediaLoudness(loudness: -level, peak: level, gatedSeconds: Double(frames) / Double(rate)) : nil
        }
    }
}
