// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// Replaces frames in the ring, ahead of the audible position, with those of a new run, with a short crossfade.
///
/// New frames are collected until there are enough, and offered to the output. If they come too late, the splice moves to
/// a later index and skips the new frames for the time that the old ones play meanwhile.
struct RingSplicing {
    /// Maximum seconds of the crossfade. In a longer one, two tones of different frequency would cancel each other.
    private static let crossing = 0.01
    /// Maximum seconds by which the new frames move to the highest correlation with the old ones.
    static let reach = 0.01
    /// Seconds of new frames after the crossfade: the sink plays these until more are written.
    private static let company = 0.1
    /// Seconds from a reply to the next offer.
    private static let margin = 0.015

    struct Begun {
        /// The ring index of the splice.
        var index: FrameCount
        /// The new frame at that index, numbered as if all new frames followed `Start.index`.
        var frame: FrameCount
    }

    /// The ring index at which old and new frames have the same media position.
    struct Start: Equatable, Sendable {
        var index: FrameCount
        /// New frames per old frame.
        var pace: Double
    }

    private let start: Start
    private let format: AudioFormat
    private let offer: (RingSplice) -> Void
    private let begun: (Begun) -> Void
    /// New frames before the one that belongs to `start.index`.
    private let lead: Int
    private var samples: [Float] = []
    private var index: FrameCount

    init(
        _ start: Start, lead: Int, _ format: AudioFormat, offer: @escaping (RingSplice) -> Void,
        begun: @escaping (Begun) -> Void
    ) {
        (self.start, self.lead, self.format, self.offer, self.begun) = (start, lead, format, offer, begun)
        index = start.index
    }

    /// The write index, as if all new frames followed `start.index`.
    var writeIndex: FrameCount { start.index + FrameCount(frames - lead) }

    private var frames: Int { samples.count / format.channelCount }
    /// The new frame at the same media position as `index`.
    private var first: Int { lead + Int(clamping: (Double(index - start.index) * start.pace).rounded()) }

    mutating func append(_ samples: UnsafeBufferPointer<Float>) { self.samples.append(contentsOf: samples) }

    /// Enough frames were collected for the next attempt.
    var hasEnough: Bool { frames >= first + Int(format.frames(Self.crossing + Self.reach + Self.company)) }

    /// Makes one attempt. Returns the frames that remain to be written after it; nil if another attempt is needed.
    mutating func splice(
        into ring: FrameRing, _ lease: FrameRing.Lease, answer: (RingSplice) -> RingSplice.Answer?
    ) -> [Float]? {
        let channels = format.channelCount
        guard let old = ring.frames(at: index, Int(format.frames(Self.crossing)), lease: lease) else { return nil }
        let length = old.count / channels
        guard length > 0, frames >= first + length else {
            // One of both has ended: the new frames follow the old ones.
            index = ring.writeIndex
            let first = min(max(0, first), frames)
            begun(Begun(index: index, frame: start.index + FrameCount(first - lead)))
            return Array(samples[(first * channels)...])
        }
        let (best, likeness) = mostAlike(old, length)
        let last = min(frames, best + length + Int(format.frames(Self.company)))
        var part = Array(samples[(best * channels)..<(last * channels)])
        Self.cross(old, with: &part, frames: length, channels: channels, likeness: likeness)
        let splice = RingSplice(at: index, part, lease)
        offer(splice)
        switch answer(splice) {
        case .done:
            begun(Begun(index: index, frame: start.index + FrameCount(best - lead)))
            return Array(samples[(last * channels)...])
        case .notBefore(let first):
            // Always later, so the attempts end with the old frames.
            index = max(index, first) + format.frames(Self.margin)
            return nil
        case nil: return nil
        }
    }

    /// The new frame near `first` with the highest correlation to the old frames, and the correlation, 0...1.
    private func mostAlike(_ old: [Float], _ length: Int) -> (frame: Int, likeness: Float) {
        let reach = Int(format.frames(Self.reach))
        let lowest = max(0, first - reach)
        let highest = max(lowest, min(first + reach, frames - length))
        let middle = min(max(first, lowest), highest)
        let new = mono(samples[(lowest * format.channelCount)..<((highest + length) * format.channelCount)])
        let old = mono(old[...])
        // Prefers frames near the middle.
        func likeness(_ frame: Int) -> (likeness: Float, score: Float) {
            let likeness = Self.likeness(old, new, at: frame - lowest)
            return (likeness, likeness - 0.02 * Float(abs(frame - middle)) / Float(max(1, reach)))
        }
        let step = 2 * Self.step(of: length)
        var best = (frame: middle, value: likeness(middle))
        func look(at frames: [Int]) {
            for frame in frames where lowest...highest ~= frame {
                let value = likeness(frame)
                if value.score > best.value.score { best = (frame, value) }
            }
        }
        look(at: stride(from: middle - 2 * reach / step * step, through: highest, by: step).map { $0 })
        look(at: Array(best.frame - step...best.frame + step))
        return (best.frame, best.value.likeness)
    }

    /// The sum of the first two channels.
    private func mono(_ samples: ArraySlice<Float>) -> [Float] {
        let channels = format.channelCount
        let second = min(1, channels - 1)
        return stride(from: samples.startIndex, to: samples.endIndex, by: channels).map {
            samples[$0] + samples[$0 + second]
        }
    }

    /// Weighted towards the middle: over a longer time, different tones would correlate best in opposite phase.
    private static func likeness(_ old: [Float], _ new: [Float], at offset: Int) -> Float {
        let curve = StreamFade(from: 0, to: 1, start: 0, length: FrameCount(old.count))
        return old.withUnsafeBufferPointer { old in
            new.withUnsafeBufferPointer { new in
                var (product, left, right): (Float, Float, Float) = (0, 0, 0)
                var frame = 0
                while frame < old.count {
                    let rising = curve.gain(at: FrameCount(frame))
                    let share = rising * (1 - rising)
                    let weight = share * share * share * share
                    let (one, other) = (old[frame], new[offset + frame])
                    product += weight * one * other
                    left += weight * one * one
                    right += weight * other * other
                    frame += step(of: old.count)
                }
                return left * right > 0 ? min(1, max(0, product / (left * right).squareRoot())) : 0
            }
        }
    }

    /// The distance between compared frames: 240 are compared.
    private static func step(of frames: Int) -> Int { max(1, frames / 240) }

    /// Crossfades at constant level for any correlation. Equal sounds do not change.
    private static func cross(
        _ old: [Float], with new: inout [Float], frames: Int, channels: Int, likeness: Float
    ) {
        let curve = StreamFade(from: 0, to: 1, start: 0, length: FrameCount(frames))
        for frame in 0..<frames {
            let rising = curve.gain(at: FrameCount(frame))
            let falling = 1 - rising
            let level =
                likeness > 0.999
                ? 1 : 1 / (rising * rising + falling * falling + 2 * likeness * rising * falling).squareRoot()
            for position in frame * channels..<(frame + 1) * channels {
                new[position] = level * (old[position] + (new[position] - old[position]) * rising)
            }
        }
    }
}
