// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Playback
internal import Synchronization
internal import Kernel

/// Opens scripted media. The samples identify item and frame: `base + frame * step`.
public final class ScriptedOpener: MediaOpener {
    public struct Script: Sendable {
        public var frames: FrameCount
        public var format: AudioFormat
        /// Value of the first sample; each frame adds `step`.
        public var base: Float
        public var step: Float
        /// Frames after which the samples repeat.
        public var period: FrameCount
        public var openError: MediaError?
        /// Decoding fails here.
        public var failure: (frame: FrameCount, error: MediaError)?
        /// Decoding waits here until it is interrupted or cancelled.
        public var stall: FrameCount?
        /// The opener waits for `release` (or cancellation).
        public var isHeld: Bool
        public var tags: MediaDescription.Tags

        public init(
            frames: FrameCount, format: AudioFormat = AudioFormat(sampleRate: 44_100, layout: .stereo), base: Float = 0,
            step: Float = 1, period: FrameCount = .max,
            openError: MediaError? = nil, failure: (frame: FrameCount, error: MediaError)? = nil,
            stall: FrameCount? = nil, isHeld: Bool = false,
            tags: MediaDescription.Tags = MediaDescription.Tags()
        ) {
            self.frames = frames
            self.format = format
            self.base = base
            self.step = step
            self.period = period
            self.openError = openError
            self.failure = failure
            self.stall = stall
            self.isHeld = isHeld
            self.tags = tags
        }
    }

    private struct State {
        var scripts: [String: Script]
        /// Mailboxes that are notified of each release.
        var waiting: [Mailbox<Void>] = []
    }

    private let state: Mutex<State>

    public init(_ scripts: [String: Script] = [:]) {
        state = Mutex(State(scripts: scripts))
    }

    public func release(_ uri: String) {
        let waiting = state.withLock { state in
            state.scripts[uri]?.isHeld = false
            return state.waiting
        }
        for mailbox in waiting { mailbox.post(()) }
    }

    public func open(
        _ locator: MediaLocator, cancellation: MediaCancellation, loading: @escaping @Sendable (MediaLoading) -> Void
    ) throws(MediaError) -> any AudioDecoder {
        let changed = Mailbox<Void>()
        state.withLock { $0.waiting.append(changed) }
        defer { state.withLock { $0.waiting.removeAll { $0 === changed } } }
        cancellation.onCancel { changed.post(()) }
        while let script = state.withLock({ $0.scripts[locator.uri] }) {
            if cancellation.isCancelled { throw MediaError(.cancelled, "cancelled") }
            guard script.isHeld else {
                if let error = script.openError { throw error }
                return ScriptedDecoder(script, cancellation)
            }
            _ = changed.take(until: nil)
        }
        throw MediaError(.notFound, "There is no file \(locator.uri).")
    }
}

public final class ScriptedDecoder: AudioDecoder {
    public var media: MediaDescription
    private let script: ScriptedOpener.Script
    private var frame: FrameCount = 0
    private let ended = Mailbox<Void>()

    public init(_ script: ScriptedOpener.Script, _ cancellation: MediaCancellation = MediaCancellation()) {
        self.script = script
        cancellation.onCancel { [ended] in ended.post(()) }
        cancellation.onInterrupt { [ended] in if $0 { ended.post(()) } }
        media = MediaDescription(format: script.format, duration: script.frames, tags: script.tags)
    }

    public func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        let channels = script.format.channelCount
        var limit = script.frames
        if let failure = script.failure {
            if frame >= failure.frame { throw failure.error }
            limit = failure.frame
        }
        if let stall = script.stall {
            guard frame < stall else {
                _ = ended.take(until: nil)
                throw MediaError(.cancelled, "cancelled")
            }
            limit = min(limit, stall)
        }
        let frames = Int(min(limit - frame, FrameCount(samples.count / channels)))
        for index in 0..<frames {
            for channel in 0..<channels {
                samples[index * channels + channel] =
                    script.base + Float((frame + FrameCount(index)) % script.period) * script.step
            }
        }
        frame += FrameCount(frames)
        return DecodedFrames(frames: frames, endOfStream: frame == script.frames)
    }

    public func seek(to frame: FrameCount) throws(MediaError) -> FrameCount {
        self.frame = min(max(0, frame), script.frames)
        return self.frame
    }
}

/// For media that needs no conversion.
public struct NoConversion: SampleRateConversion {
    public init() {}

    public func converter(
        from input: Double, to output: Double, channelCount: Int
    ) throws(MediaError) -> any FrameConverter {
        throw MediaError(.unsupported, "No conversion in this test.")
    }
}

/// For a player without tempo changes.
public struct NoStretching: TimeStretching {
    private static let refusal = MediaError(.unsupported, "This player cannot change speed or pitch.")

    public init() {}

    public func load() throws(MediaError) { throw Self.refusal }

    public func stretcher(
        for format: AudioFormat, rate: Double, cents: Double
    ) throws(MediaError) -> any FrameConverter {
        throw Self.refusal
    }
}
