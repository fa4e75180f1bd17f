// SPDX-License-Identifier: Apache-2.0

/// What the bytes of a stream are.
public enum StreamKind: CaseIterable, Sendable {
    case wave, flac, mp3, adts, aiff, ape, caf, dsdiff, dsf, mp4, matroska, ogg, transportStream, trueAudio, asf,
        wavPack, ac3, dts, musepack, tak

    /// By its first bytes; a station is joined anywhere, so that they may mean nothing, and then its media type decides.
    init(head: [UInt8], type: String?) {
        self = FileSignature(head).flatMap { Self($0) } ?? Self(type: type)
    }

    private init(type: String?) {
        self =
            switch type?.prefix(while: { $0 != ";" }).lowercased().trimmedOfSpaces ?? "" {
            case "audio/aac", "audio/aacp", "audio/x-aac", "audio/mp4a-latm": .adts
            case "audio/ogg", "application/ogg", "audio/opus", "audio/vorbis": .ogg
            case "audio/flac", "audio/x-flac": .flac
            case "audio/mp4", "audio/x-m4a", "video/mp4": .mp4
            case "audio/wav", "audio/x-wav", "audio/wave": .wave
            default: .mp3
            }
    }

    private init?(_ signature: FileSignature) {
        switch signature {
        case .flac: self = .flac
        case .ogg: self = .ogg
        case .wave: self = .wave
        case .aiff: self = .aiff
        case .mp4: self = .mp4
        case .matroska: self = .matroska
        case .asf: self = .asf
        case .ape: self = .ape
        case .caf: self = .caf
        case .wavPack: self = .wavPack
        case .trueAudio: self = .trueAudio
        case .dsf: self = .dsf
        case .dsdiff: self = .dsdiff
        case .adts: self = .adts
        case .transportStream: self = .transportStream
        case .ac3: self = .ac3
        case .dts: self = .dts
        case .musepack: self = .musepack
        case .tak: self = .tak
        case .png, .jpeg, .gif, .pdf, .zip, .elf, .html, .text: return nil
        }
    }
}
