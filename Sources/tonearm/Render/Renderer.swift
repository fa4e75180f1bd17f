// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import Resampling
import SoftwareOutput

/// Decodes one media and writes it as WAV, as fast as both go.
struct Renderer {
    /// Samples decoded at a time: they stay in the second-level cache from the decoder to the file.
    private static let chunk = 32_768

    private let decoder: any AudioDecoder
    private let format: AudioFormat
    /// Frames left to write; nil until the end.
    private var left: FrameCount?
    private let total: Double?

    init(_ media: LocalMedia, from start: Double, duration: Double?) throws {
        decoder = try media.open()
        format = decoder.media.format
        let length = decoder.media.duration.map(format.seconds)
        if start > 0 {
            if let length, start >= length {
                throw Failure("--start \(start) lies behind the end: \(media.path) lasts \(TimeText.text(length)).")
            }
            _ = try Self.seek(decoder, to: format.frames(start))
        }
        left = duration.map(format.frames)
        let rest = length.map { $0 - start }
        total = duration.map { min($0, rest ?? $0) } ?? rest
    }

    mutating func write(to path: String) throws {
        var writer = try Self.wave(path, format)
        var bridge = FormatBridge(to: format, conversion: SoxrConversion())
        var progress = DecodeProgress(total: total)
        defer { progress.clear() }
        let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: Self.chunk)
        defer { samples.deallocate() }
        var isAtEnd = false
        while !isAtEnd, left != 0 {
            if let signal = Signals.pendingEnd() { throw Failure("ended by signal \(signal); nothing was written.") }
            let source = decoder.media.format
            let decoded = try Self.decode(decoder, into: samples)
            isAtEnd = decoded.endOfStream
            let chunk = UnsafeBufferPointer(rebasing: samples[..<(decoded.frames * source.channelCount)])
            try bridge.convert(chunk, from: source) { try append($0, to: &writer) }
            progress.advance(format.seconds(FrameCount(decoded.frames)))
        }
        try bridge.finish { try append($0, to: &writer) }
        try Self.finish(writer, path)
        progress.end()
    }

    private mutating func append(_ samples: UnsafeBufferPointer<Float>, to writer: inout WaveFileWriter) throws {
        var samples = samples
        if let frames = left {
            let taken = min(frames, FrameCount(samples.count / format.channelCount))
            samples = UnsafeBufferPointer(rebasing: samples[..<(Int(taken) * format.channelCount)])
            left = frames - taken
        }
        do throws(WaveFileWriter.Failure) {
            try writer.write(samples)
        } catch {
            throw Failure("cannot write the WAV file: \(error.message)")
        }
    }
}

// Errors become sentences here, once.
extension Renderer {
    private static func wave(_ path: String, _ format: AudioFormat) throws -> WaveFileWriter {
        do throws(WaveFileWriter.Failure) {
            return try WaveFileWriter(path: path, format: format)
        } catch {
            throw Failure(error.message, .cannotCreate)
        }
    }

    private static func finish(_ writer: consuming WaveFileWriter, _ path: String) throws {
        do throws(WaveFileWriter.Failure) {
            try writer.finish()
        } catch {
            throw Failure("cannot write \(path): \(error.message)")
        }
    }

    private static func seek(_ decoder: any AudioDecoder, to frame: FrameCount) throws -> FrameCount {
        do throws(MediaError) {
            return try decoder.seek(to: frame)
        } catch {
            throw Failure(error.message)
        }
    }

    private static func decode(
        _ decoder: any AudioDecoder, into samples: UnsafeMutableBufferPointer<Float>
    ) throws -> DecodedFrames {
        do throws(MediaError) {
            return try decoder.decode(into: samples)
        } catch {
            throw Failure(error.message)
        }
    }
}
