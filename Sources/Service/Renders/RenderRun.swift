// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel
internal import Playback

/// One rendering, from the first item to the last byte of its file. Lives on the rendering thread.
final class RenderRun {
    /// Maximum size of the samples in bytes, at 16 bits: the limit of a WAV file.
    private static let largest: Int64 = 4 << 30

    private let id: String
    private let plan: RenderPlan
    private let environment: Renders.Environment
    private let cancellation: MediaCancellation
    private let report: (Double) -> Void
    private let skip: (Int, RenderJob.Fault) -> Void
    /// The first fault of a skipped item.
    private var firstFault: RenderJob.Fault?
    private var output: (renderer: OfflineRenderer, writer: any RecordingWriter)?

    /// `report` is called with the progress, 0...1, after each chunk; `skip` with the index of each skipped item.
    init(
        _ id: String, _ plan: RenderPlan, _ environment: Renders.Environment, _ cancellation: MediaCancellation,
        report: @escaping (Double) -> Void, skip: @escaping (Int, RenderJob.Fault) -> Void
    ) {
        self.skip = skip
        self.id = id
        self.plan = plan
        self.environment = environment
        self.cancellation = cancellation
        self.report = report
    }

    /// Leaves no file after a failure.
    func perform() throws(RenderJob.Fault) -> (file: String, duration: Double) {
        do {
            switch plan.source {
            case .sequence(let items, let inOrder): try play(items, inOrder: inOrder)
            case .mix(let inputs): try mix(inputs)
            }
            guard let (renderer, writer) = output else { throw firstFault ?? RenderJob.Fault.empty }
            try renderer.finish(write)
            guard renderer.frames > 0 else { throw RenderJob.Fault.empty }
            try writer.finish()
            return (writer.id, renderer.format.seconds(renderer.frames))
        } catch {
            discard()
            throw RenderJob.Fault(error)
        }
    }

    // MARK: Sources

    private func play(_ items: [ItemDraft], inOrder: Bool) throws {
        var skipped = plan.start
        var previousAlbum: String?
        var previous: CrossfadeRule?
        for (index, item) in items.enumerated() {
            if output?.renderer.isComplete == true { return }
            guard let decoder = try openOrSkip(item, index) else { continue }
            var media = OfflineMedia(decoder)
            let description = media.decoder.media
            let album = item.album ?? description.tags.album
            let next = index + 1 < items.count ? items[index + 1] : nil
            let precedes = next.map { next in
                next.album.map { $0 == album } ?? description.sharesAlbum(of: item.uri, with: next.uri)
            }
            media.isInAlbum = inOrder && album != nil && (previousAlbum == album || precedes == true)
            previousAlbum = album
            media.beginTime = item.beginTime
            media.loops = item.loops
            media.tempo = plan.settings.tempo(of: item, description)
            let rule = CrossfadeRule(description, item, rate: media.tempo.rate)
            if let previous { media.overlap = previous.overlap(plan.crossfade, before: rule) }
            // The last round of a loop cannot overlap the next item.
            if index + 1 < items.count, item.loops == 0 { media.held = rule.longest(plan.crossfade) }
            let length = description.durationInSeconds.map { $0 - item.beginTime }
            previous = media.held > 0 ? rule : nil
            guard media.skip(&skipped, length: length) else { continue }
            // An endless loop has no length: then only the duration of the whole counts.
            let rounds = media.loops < 0 ? .infinity : Double(media.loops) + 1
            let whole = max(
                0.001, ((length ?? .infinity) * rounds - (media.start - item.beginTime)) / media.tempo.rate)
            let progress = { [self] (rendered: Double) in
                advance((Double(index) + min(1, rendered / whole)) / Double(items.count))
            }
            try begin(like: description).render(media, progress: progress, write)
        }
    }

    private func mix(_ inputs: [(item: ItemDraft, gain: Double)]) throws {
        var longest = 0.0
        let media = try inputs.map { item, gain in
            var media = OfflineMedia(try open(item))
            media.start = plan.start
            let description = media.decoder.media
            media.tempo = plan.settings.tempo(of: item, description)
            let length = description.durationInSeconds ?? .infinity
            longest = max(longest, (length - plan.start) / media.tempo.rate)
            return (media: media, gain: Float(pow(10, gain / 20)))
        }
        guard let first = media.first?.media.decoder.media else { throw RenderJob.Fault.empty }
        let whole = max(0.001, longest)
        try begin(like: first).mix(media, progress: { advance($0 / whole) }, write)
    }

    /// nil: the item is skipped.
    private func openOrSkip(_ item: ItemDraft, _ index: Int) throws(MediaError) -> (any AudioDecoder)? {
        do throws(MediaError) {
            return try open(item)
        } catch {
            guard plan.skipsFaults, !cancellation.isCancelled else { throw error }
            let failure = RenderJob.Fault(error)
            firstFault = firstFault ?? failure
            skip(index, failure)
            return nil
        }
    }

    private func open(_ item: ItemDraft) throws(MediaError) -> any AudioDecoder {
        let decoder = try environment.opener.open(MediaLocator(item), cancellation: cancellation)
        guard decoder.media.broadcast == nil else {
            throw MediaError(.unsupported, "A live stream has no end and cannot be rendered.")
        }
        return decoder
    }

    // MARK: The file

    /// The first media determines the format.
    private func begin(like media: MediaDescription) throws(RecordingError) -> OfflineRenderer {
        if let output { return output.renderer }
        let format = media.renderedFormat(
            rates: plan.container == .opus ? RecordingSettings.sampleRates(.opus) : nil,
            mostChannels: RecordingSettings.mostChannels(plan.container))
        var settings = RecordingSettings()
        settings.container = plan.container
        settings.sampleRate = format.sampleRate
        settings.channelCount = format.channelCount
        settings.name = id
        let renderer = OfflineRenderer(
            format, effects: plan.settings.effects, conversion: environment.conversion,
            stretching: environment.stretching, slowest: min(plan.settings.musicRate, plan.settings.speechRate),
            duration: plan.duration, cancellation: cancellation)
        output = (renderer, try environment.store.create(settings))
        return renderer
    }

    private func write(_ samples: UnsafeBufferPointer<Float>) throws {
        guard let (renderer, writer) = output else { return }
        let bytes = renderer.frames * Int64(renderer.format.channelCount * 2)
        guard bytes < Self.largest, try writer.write(samples) == .written else { throw RenderJob.Fault.tooLarge }
    }

    private func discard() {
        guard let writer = output?.writer else { return }
        // The incomplete file is finished first, as only finished files can be deleted.
        do throws(RecordingError) { try writer.finish() } catch {}
        do throws(RecordingError) { try environment.store.delete(writer.id) } catch {}
    }

    private func advance(_ part: Double) {
        guard let renderer = output?.renderer else { return }
        let timed = plan.duration.map { renderer.format.seconds(renderer.frames) / max(0.001, $0) } ?? 0
        report(min(1, max(part, timed)))
    }
}

extension RenderJob.Fault {
    static let empty = Self(code: "empty", message: "There is no sound after this start.")
    static let tooLarge = Self(
        code: "size-limit", message: "The file would have more than 4 GB; render a part with start and duration.")

    init(_ error: any Error) {
        switch error {
        case let fault as Self: self = fault
        case let error as MediaError: self.init(code: error.code.rawValue, message: error.message)
        case RecordingError.diskFull(let text): self.init(code: "disk-full", message: text)
        case let error as RecordingError: self.init(code: "write-error", message: error.sentence)
        default: self.init(code: "failed", message: "\(error)")
        }
    }
}

extension OfflineMedia {
    /// Applies the start of the job to this item. False if the start is after its end. `length`: of one round; nil if
    /// unknown, then the start is in this item.
    fileprivate mutating func skip(_ seconds: inout Double, length: Double?) -> Bool {
        start = beginTime + seconds
        guard let length else {
            seconds = 0
            return true
        }
        guard length > 0 else { return false }
        let rounds = (seconds / length).rounded(.down)
        if loops >= 0, rounds > Double(loops) {
            seconds -= length * Double(loops + 1)
            return false
        }
        start -= rounds * length
        if loops > 0 { loops -= Int(clamping: rounds) }
        seconds = 0
        return true
    }
}
