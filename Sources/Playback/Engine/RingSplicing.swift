// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// Replaces the frames of an older run in the ring, ahead of the playhead, with the first frames of a new one, crossed.
///
/// It collects new frames until there are enough, and offers them to the output. If they come too late, it moves to a later
/// index, and leaves out of the new frames what the old ones play meanwhile.
struct RingSplicing {
    /// Seconds in which both sounds are mixed, or what is left of the old one. In a longer time two tones of different
    /// frequency would cancel each other.
    private static let crossing = 0.01
    /// Maximum seconds by which the new frames are moved to the highest correlation with the old ones.
    static let reach = 0.01
    /// Seconds of new frames behind the crossing: the sink has these until more are written.
    private static let company = 0.1
    /// Seconds from an answer to the next offer.
    private static let margin = 0.015

    struct Begun {
        /// In the ring.
        var index: FrameCount
        /// The new frame that lies there, as if all of them followed `Start.index`.
        var frame: FrameCount
    }

    /// Where the old frames are at the same place of the media as the new ones.
    struct Start: Equatable, Sendable {
        var index: FrameCount
        /// New frames for each old one.
        var pace: Double
    }

    private let start: Start
    private let format: AudioFormat
    private let offer: (RingSplice) -> Void
    private let begun: (Begun) -> Void
    /// New frames before the one at `start.index`.
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

    /// As if all new frames followed `start.index`.
    var writeIndex: FrameCount { start.index + FrameCount(frames - lead) }

    private var frames: Int { samples.count / format.channelCount }
    /// The new frame that belongs to `index`.
    private var first: Int { lead + Int(clamping: (Double(index - start.index) * start.pace).rounded()) }

    mutating func append(_ samples: UnsafeBufferPointer<Float>) { self.samples.append(contentsOf: samples) }

    /// Enough frames for the next try.
    var hasEnough: Bool { frames >= first + Int(format.frames(Self.crossing + Self.reach + Self.company)) }

    /// The frames that are left once the first ones are in the ring; nil when that has to be tried again.
    mutating func splice(
        into ring: FrameRing, _ lease: FrameRing.Lease, answer: (RingSplice) -> RingSplice.Answer?
    ) -> [Float]? {
        let channels = format.channelCount
        guard let old = ring.frames(at: index, Int(format.frames(Self.crossing)), lease: lease) else { return nil }
        let length = old.count / channels
        guard length > 0, frames >= first + length else {
            // One of both is over: the new frames follow the old ones.
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
            // Always later: the tries end with the old frames.
            index = max(index, first) + format.frames(Self.margin)
            return nil
        case nil: return nil
        }
    }

    /// The new frame near `first` from which on the new sound is most like the old one, and how much, 0...1.
    private func mostAlike(_ old: [Float], _ length: Int) -> (frame: Int, likeness: Float) {
        let reach = Int(format.frames(Self.reach))
        let lowest = max(0, first - reach)
        let highest = max(lowest, min(first + reach, frames - length))
        let middle = min(max(first, lowest), highest)
        let new = mono(samples[(lowest * format.channelCount)..<((highest + length) * format.channelCount)])
        let old = mono(old[...])
        // Near the middle where it makes no difference.
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

    /// Of the first two channels.
    private func mono(_ samples: ArraySlice<Float>) -> [Float] {
        let channels = format.channelCount
        let second = min(1, channels - 1)
        return stride(from: samples.startIndex, to: samples.endIndex, by: channels).map {
            samples[$0] + samples[$0 + second]
        }
    }

    /// Mainly of the middle of the crossing: over a longer time, two tones of different frequency would seem most alike in
    /// opposite phase.
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

    /// Frames between two that are compared: 240 are.
    private static func step(of frames: Int) -> Int { max(1, frames / 240) }

    /// Level stays as it is, however alike both are. Of equal sounds, none changes.
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
