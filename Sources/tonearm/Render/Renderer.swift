// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import LoadedLibraries
import Service
import SoundFiles

/// Decodes one file, applies effects and writes the result into a file, at full speed.
struct Renderer {
    private let source: LocalMedia
    private let media: OfflineMedia
    private let measuresLoudness: Bool
    private let renderer: OfflineRenderer
    private let total: Double?
    private let container: RecordingSettings.Container

    init(
        _ media: LocalMedia, as container: RecordingSettings.Container, from start: Double, duration: Double?,
        effects: EffectSettings, tempo: Tempo
    ) throws {
        self.container = container
        source = media
        measuresLoudness = effects.isEnabled && effects.loudness.mode != .off
        var input = OfflineMedia(try media.open())
        let description = input.decoder.media
        let length = description.durationInSeconds
        if let length, start > 0, start >= length {
            throw Failure("--start \(start) is after the end: \(media.path) lasts \(TimeText.text(length)).")
        }
        input.start = start
        input.tempo = tempo
        self.media = input
        let mostChannels = RecordingSettings.mostChannels(container)
        let shape = description.renderedFormat(
            rates: container == .opus ? RecordingSettings.sampleRates(.opus) : nil, mostChannels: mostChannels)
        var format = description.format
        format.sampleRate = shape.sampleRate
        if format.channelCount > mostChannels { format.layout = shape.layout }
        renderer = OfflineRenderer(
            format, effects: effects, conversion: SoxrConversion(), stretching: SoundTouchStretching(),
            slowest: tempo.rate, duration: duration)
        let rest = length.map { ($0 - start) / tempo.rate }
        total = duration.map { min($0, rest ?? $0) } ?? rest
    }

    func write(to path: String) throws {
        var writer = try Self.file(path, renderer.format, container)
        var media = media
        // Deferred until here because it decodes the whole file.
        if measuresLoudness { media.decoder = try source.open(measuresLoudness: true) }
        var progress = DecodeProgress(total: total)
        defer { progress.clear() }
        do {
            try renderer.render(media) { _ in
                if let signal = Signals.pendingEnd() {
                    throw Failure("ended by signal \(signal); nothing was written.")
                }
                progress.reach(renderer.format.seconds(renderer.frames))
            } _: {
                try writer.write($0)
            }
            try renderer.finish { try writer.write($0) }
            try writer.finish()
        } catch let error as MediaError {
            throw Failure(error.message)
        } catch let error as WaveFileWriter.Failure {
            throw Failure("cannot write \(path): \(error.message)")
        }
        progress.end()
    }

    private static func file(
        _ path: String, _ format: AudioFormat, _ container: RecordingSettings.Container
    ) throws -> WaveFileWriter {
        do throws(WaveFileWriter.Failure) {
            return try WaveFileWriter(path: path, format: format, container: container)
        } catch {
            throw Failure(error.message, .cannotCreate)
        }
    }
}
