// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Playback
internal import Synchronization

/// Opens media that a test has described; the samples tell item and frame: `base + frame`.
public final class ScriptedOpener: MediaOpener {
    public struct Script: Sendable {
        public var frames: FrameCount
        public var format: AudioFormat
        /// Value of the first sample; each frame adds one.
        public var base: Float
        public var openError: MediaError?
        /// Decoding fails here.
        public var failure: (frame: FrameCount, error: MediaError)?
        /// The opener waits for `release` (or cancellation).
        public var isHeld: Bool
        public var tags: MediaDescription.Tags

        public init(
            frames: FrameCount, format: AudioFormat = AudioFormat(sampleRate: 44_100, layout: .stereo), base: Float = 0,
            openError: MediaError? = nil, failure: (frame: FrameCount, error: MediaError)? = nil, isHeld: Bool = false,
            tags: MediaDescription.Tags = MediaDescription.Tags()
        ) {
            self.frames = frames
            self.format = format
            self.base = base
            self.openError = openError
            self.failure = failure
            self.isHeld = isHeld
            self.tags = tags
        }
    }

    private let scripts: Mutex<[String: Script]>

    public init(_ scripts: [String: Script] = [:]) {
        self.scripts = Mutex(scripts)
    }

    public func set(_ script: Script, for uri: String) {
        scripts.withLock { $0[uri] = script }
    }

    public func release(_ uri: String) {
        scripts.withLock { $0[uri]?.isHeld = false }
    }

    public func open(
        _ locator: MediaLocator, cancellation: MediaCancellation, loading: @escaping @Sendable (MediaLoading) -> Void
    ) throws(MediaError) -> any AudioDecoder {
        while let script = scripts.withLock({ $0[locator.uri] }) {
            if cancellation.isCancelled { throw MediaError(.cancelled, "cancelled") }
            if script.isHeld { continue }
            if let error = script.openError { throw error }
            return ScriptedDecoder(script)
        }
        throw MediaError(.notFound, "There is no media \(locator.uri).")
    }
}

public final class ScriptedDecoder: AudioDecoder {
    public let media: MediaDescription
    private let script: ScriptedOpener.Script
    private var frame: FrameCount = 0

    public init(_ script: ScriptedOpener.Script) {
        self.script = script
        media = MediaDescription(format: script.format, duration: script.frames, tags: script.tags)
    }

    public func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        let channels = script.format.channelCount
        var limit = script.frames
        if let failure = script.failure {
            if frame >= failure.frame { throw failure.error }
            limit = failure.frame
        }
        let frames = Int(min(limit - frame, FrameCount(samples.count / channels)))
        for index in 0..<frames {
            for channel in 0..<channels {
                samples[index * channels + channel] = script.base + Float(frame + FrameCount(index))
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
