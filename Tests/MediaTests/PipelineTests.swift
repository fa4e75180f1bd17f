// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel
import KernelTesting
import Playback
import PlaybackTesting
import Testing

@testable import Media

/// Source, decoder, resampler and sink are injected, so each can be replaced (SPEC rows 91, 201, 225). A whole player runs here on
/// toy parts.
@Suite(.timeLimit(.minutes(10))) struct PipelineTests {
    private static let song: [UInt8] = Array("a melody of bytes, each a frame".utf8)

    /// Gives its bytes in odd pieces.
    private func source(isSeekable: Bool) -> BytesSource {
        BytesSource(Array("TOY".utf8) + Self.song, isSeekable: isSeekable, hasSize: isSeekable, piece: 7)
    }

    /// Everything that is heard of one item.
    private func heard(
        _ opener: any MediaOpener, _ uri: String, conversion: any SampleRateConversion = NoConversion()
    ) -> (samples: [Float], snapshot: PlayerSnapshot) {
        let clock = ManualClock()
        let output = CapturingOutput(clock: clock)
        let player = Player(
            Player.Environment(
                opener: opener, output: output, conversion: conversion, stretching: NoStretching(),
                store: MemoryStore(), clock: clock, buffering: DecodeBuffering()))
        defer { player.shutdown() }
        let item = ItemDraft(uri: uri)
        player.perform(.edit(.insert([item], at: .end), expected: nil, play: true)) { _ in }
        let answered = Mailbox<Void>()
        let hasEnded = eventually {
            // The player takes in each step before the next one.
            while output.play(441) > 0 {
                player.perform(.apply(SettingsPatch())) { _ in answered.post(()) }
                answered.answer()
            }
            return [.completed, .failed].contains(player.snapshot.status)
        }
        #expect(hasEnded)
        return (output.captured, player.snapshot)
    }

    /// Row 91: a registered codec plays; without it the file is unsupported.
    @Test func aToyCodec_isPlayed_onceItIsRegistered() throws {
        let folder = try TemporaryFolder()
        try folder.file("a.toy", "TOY" + String(decoding: Self.song, as: UTF8.self))
        func opener(_ factories: [any DecoderFactory]) -> LocalMediaOpener {
            LocalMediaOpener(roots: MusicRoots([folder.path]), factories: factories)
        }
        let without = heard(opener([]), "a.toy")
        #expect(without.samples.isEmpty && without.snapshot.error?.code == .unsupported)
        let with = heard(opener([ToyFactory()]), "a.toy")
        #expect(with.samples == Self.song.map(Float.init))
        #expect(with.snapshot.status == .completed && with.snapshot.error == nil)
    }

    /// Row 225: the same decoder plays the bytes of a test source, with and without a length.
    @Test(arguments: [true, false]) func aSourceOfAnotherKind_isPlayed(isSeekable: Bool) {
        let source = source(isSeekable: isSeekable)
        let heard = heard(SourceOpener(source: source), "anything")
        #expect(heard.samples == Self.song.map(Float.init) && heard.snapshot.error == nil)
    }

    /// Row 201: another resampler with the same decoder and sink.
    @Test func anotherResampler_isUsed() {
        let source = source(isSeekable: true)
        let heard = heard(
            SourceOpener(source: source, sampleRate: 22_050), "anything", conversion: Repetition())
        #expect(heard.samples == Self.song.flatMap { [Float($0), Float($0)] })
        let refused = self.heard(SourceOpener(source: source, sampleRate: 22_050), "anything")
        #expect(refused.samples.isEmpty && refused.snapshot.error?.code == .unsupported)
    }
}

// MARK: Parts

/// `magic`, then a byte for each stereo frame.
struct ToyFactory: DecoderFactory {
    var magic = "TOY"
    var sampleRate = 44_100

    func recognises(_ head: [UInt8], of source: any ByteSource) throws(MediaError) -> Bool {
        head.starts(with: magic.utf8)
    }

    func open(_ source: any ByteSource) throws(MediaError) -> any AudioDecoder {
        ToyDecoder(source, sampleRate: sampleRate)
    }
}

/// Seekable if the source was seekable at opening, like real decoders.
private final class ToyDecoder: AudioDecoder {
    private static let head: Int64 = 3

    let media: MediaDescription
    private let source: any ByteSource
    private var next: Int64 = 0

    init(_ source: any ByteSource, sampleRate: Int) {
        self.source = source
        media = MediaDescription(
            format: AudioFormat(sampleRate: sampleRate, layout: .stereo),
            duration: source.size.map { $0.bytes - Self.head },
            isSeekable: source.isSeekable, encoding: MediaDescription.Encoding(codec: "toy"))
    }

    func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        let bytes = try source.bytes(at: Self.head + next, count: samples.count / 2)
        for (frame, byte) in bytes.enumerated() {
            samples[2 * frame] = Float(byte)
            samples[2 * frame + 1] = Float(byte)
        }
        next += Int64(bytes.count)
        return DecodedFrames(frames: bytes.count, endOfStream: bytes.count < samples.count / 2)
    }

    func seek(to frame: FrameCount) throws(MediaError) -> FrameCount {
        guard media.isSeekable else { throw MediaError(.unsupported, "It is not seekable.") }
        next = frame
        return frame
    }
}

/// Opens the same source for any uri, with the product's choice of a decoder.
private struct SourceOpener: MediaOpener {
    let source: BytesSource
    var sampleRate = 44_100

    func open(
        _ locator: MediaLocator, cancellation: MediaCancellation, loading: @escaping @Sendable (MediaLoading) -> Void
    ) throws(MediaError) -> any AudioDecoder {
        try MediaExaminer(factories: [ToyFactory(sampleRate: sampleRate)]).open(source)
    }
}

/// Doubles the rate by repeating each frame.
private struct Repetition: SampleRateConversion {
    func converter(
        from input: Double, to output: Double, channelCount: Int
    ) throws(MediaError) -> any FrameConverter {
        guard output == 2 * input else { throw MediaError(.unsupported, "Twice as much, or nothing.") }
        return Repeater(channelCount: channelCount)
    }
}

private final class Repeater: FrameConverter {
    private let channelCount: Int

    init(channelCount: Int) { self.channelCount = channelCount }

    func convert(_ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>) -> (
        taken: Int, given: Int
    ) {
        let frames = min(input.count, output.count / 2) / channelCount
        for frame in 0..<frames {
            for copy in 0..<2 {
                for channel in 0..<channelCount {
                    output[(2 * frame + copy) * channelCount + channel] = input[frame * channelCount + channel]
                }
            }
        }
        return (frames, 2 * frames)
    }

    func finish(into output: UnsafeMutableBufferPointer<Float>) -> Int { 0 }
    func reset() {}
}
