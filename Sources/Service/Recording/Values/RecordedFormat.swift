// SPDX-License-Identifier: Apache-2.0

/// Format of a file in the recordings directory, by its extension: the formats of recordings, and those of saved
/// streams. `Recording.format` in `openapi.yaml` lists the same.
public enum RecordedFormat: String, CaseIterable, Sendable {
    case wav, flac
    /// Opus in Ogg.
    case opus
    case mp3, aac, aiff, ape, caf, dff, dsf, m4a, mka, ogg, ts, tta, wma
    /// WavPack.
    case wv
    case ac3, dts, mpc, tak

    /// nil for an id without one of these extensions.
    public init?(id: String) {
        guard let dot = id.lastIndex(of: ".") else { return nil }
        self.init(rawValue: String(id[id.index(after: dot)...]))
    }

    public init(_ container: RecordingSettings.Container) {
        self =
            switch container {
            case .wav: .wav
            case .flac: .flac
            case .opus: .opus
            case .mp3: .mp3
            }
    }

    /// The media type of downloads.
    public var mediaType: String {
        switch self {
        case .wav: "audio/wav"
        case .flac: "audio/flac"
        case .opus, .ogg: "audio/ogg"
        case .mp3: "audio/mpeg"
        case .aac: "audio/aac"
        case .m4a: "audio/mp4"
        case .aiff: "audio/aiff"
        case .mka: "audio/x-matroska"
        case .ts: "video/mp2t"
        // These have no common media type.
        case .ape, .caf, .dff, .dsf, .tta, .wma, .wv, .ac3, .dts, .mpc, .tak: "application/octet-stream"
        }
    }
}
