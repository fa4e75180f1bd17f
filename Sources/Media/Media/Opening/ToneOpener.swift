// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Glibc
public import Playback
internal import Service

/// Opens the alarm's built-in tone, and everything else with another opener. The tone needs no file, network or worker.
public struct ToneOpener: MediaOpener {
    private let others: any MediaOpener

    public init(others: any MediaOpener) { self.others = others }

    public func open(
        _ locator: MediaLocator, cancellation: MediaCancellation, loading: @escaping @Sendable (MediaLoading) -> Void
    ) throws(MediaError) -> any AudioDecoder {
        guard locator.uri == AlarmTone.uri else {
            return try others.open(locator, cancellation: cancellation, loading: loading)
        }
        return ToneDecoder()
    }
}

/// Three beeps a second, for ten minutes.
private final class ToneDecoder: AudioDecoder {
    private static let format = AudioFormat(sampleRate: 44_100, layout: .mono)
    private static let length: FrameCount = 600 * 44_100
    private static let beat: FrameCount = 11_025
    private static let beep: FrameCount = 6_615
    private static let frequency = 880.0

    let media = MediaDescription(format: ToneDecoder.format, duration: ToneDecoder.length)
    private var next: FrameCount = 0

    func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        let count = min(samples.count, Int(Self.length - next))
        for index in 0..<count { samples[index] = Self.sample(next + FrameCount(index)) }
        next += FrameCount(count)
        return DecodedFrames(frames: count, endOfStream: next == Self.length)
    }

    func seek(to frame: FrameCount) throws(MediaError) -> FrameCount {
        next = min(max(0, frame), Self.length)
        return next
    }

    private static func sample(_ frame: FrameCount) -> Float {
        let inSecond = frame % FrameCount(format.sampleRate)
        let inBeat = inSecond % beat
        guard inSecond < 3 * beat, inBeat < beep else { return 0 }
        // A sine envelope avoids clicks.
        let envelope = sin(Double.pi * Double(inBeat) / Double(beep))
        return Float(0.5 * envelope * sin(2 * Double.pi * frequency * format.seconds(inBeat)))
    }
}
