// SPDX-License-Identifier: Apache-2.0

import Kernel

/// The recording in progress. Lives on the recorder's thread.
final class RecordingTake {
    /// Seconds of sound that may wait for the disk.
    private static let bufferSeconds = 5

    let settings: RecordingSettings
    let ring: CaptureRing
    let generation: Int
    var stream: (any CaptureStream)?
    var writer: (any RecordingWriter)?
    var meter: LevelMeter
    var isMetered: Bool
    var frames = 0
    var starting: (until: MonotonicTime, reply: RecordingReply<Recorder.Started>)?
    /// The recording ends with its first sound, or at this time.
    var stopping: (until: MonotonicTime, reply: RecordingReply<RecordingStatus>)?
    /// When the source last delivered sound, or the recording began or resumed.
    var heardAt = MonotonicTime.now
    var gap: Gap?
    /// Frames missing because of gaps, and how many of them the ring dropped.
    var missing = (frames: 0, dropped: 0)

    /// The source delivered nothing for a while. Some sound servers then deliver the sound of that time at once.
    struct Gap {
        let since: MonotonicTime
        let frames: Int
        let dropped: Int
        /// Its end is known; from then on the sound of that time is expected for a second.
        var endedAt: MonotonicTime?
    }

    init(_ settings: RecordingSettings, generation: Int) {
        self.settings = settings
        self.generation = generation
        ring = CaptureRing(frames: settings.sampleRate * Self.bufferSeconds, channelCount: settings.channelCount)
        meter = LevelMeter(sampleRate: settings.sampleRate, channelCount: settings.channelCount)
        isMetered = settings.isMetered
    }

    var duration: Double { Double(frames) / Double(settings.sampleRate) }
    var lostFrames: Int { missing.frames + droppedByDisk }
    private var droppedByDisk: Int { ring.droppedFrames - missing.dropped }

    /// Continues a gap whose sound is still expected.
    func beginGap() {
        gap = gap ?? Gap(since: heardAt, frames: frames, dropped: ring.droppedFrames)
        gap?.endedAt = nil
    }

    /// Counts the frames that the gap has cost. All frames of the ring must be written.
    func settleGap(_ now: MonotonicTime) {
        guard let gap else { return }
        let expected = Int(clamping: now.seconds(since: gap.since) * Double(settings.sampleRate))
        let lost = expected - (frames - gap.frames)
        let dropped = ring.droppedFrames - gap.dropped
        // Less than a tenth of a second is the varying delay of the source.
        missing.frames += max(dropped, lost > settings.sampleRate / 10 ? lost : 0)
        missing.dropped += dropped
        self.gap = nil
    }

    /// A sentence for users; nil if nothing was lost.
    var loss: String? {
        let causes = [
            (missing.frames, "the sound server stood still"), (droppedByDisk, "the disk was too slow"),
        ]
        let sentences = causes.filter { $0.0 > 0 }.map { frames, cause in
            let milliseconds = (Double(frames) / Double(settings.sampleRate) * 1_000).rounded()
            return "\(milliseconds / 1_000) s were lost: \(cause)."
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }
}
