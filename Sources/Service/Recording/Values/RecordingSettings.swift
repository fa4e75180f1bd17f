// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Format and options of a recording. The defaults are those of a telephone: small, and good for speech.
public struct RecordingSettings: Hashable, Sendable {
    public enum Container: String, CaseIterable, Sendable {
        case wav, flac
        /// Opus in Ogg.
        case opus
        case mp3

        /// Formats of render jobs.
        public static let rendered: [Container] = [.wav, .flac, .opus]
    }

    public var container = Container.wav
    /// 8, 16, 24 or 32; for `wav` and `flac` only.
    public var bits = 16
    /// IEEE float samples; for `wav` with 32 bits only.
    public var isFloat = false
    /// Hz.
    public var sampleRate = 8_000
    public var channelCount = 1
    /// The sound server's name of a source; nil: any source that is not a monitor of an output.
    public var source: String?
    /// The source if `source` is nil.
    public var preference = SourcePreference.standard
    /// Name of the file, without extension; nil: the time.
    public var name: String?
    /// Report levels ten times a second.
    public var isMetered = true
    /// Appends the finished recording to the queue and plays it.
    public var playsAfterwards = false

    public init() {}

    /// The member at fault in an invalid combination; nil if there is none.
    public var problem: Problem? {
        func invalid(_ member: String, _ reason: String) -> Problem { .invalid(member, "\(member) \(reason).") }
        if isFloat, container != .wav { return invalid("float", "is for wav only") }
        if isFloat, bits != 32 { return invalid("bits", "must be 32 for float samples") }
        switch container {
        case .wav where ![8, 16, 24, 32].contains(bits): return invalid("bits", "must be 8, 16, 24 or 32 for wav")
        case .flac where ![8, 16, 24].contains(bits): return invalid("bits", "must be 8, 16 or 24 for flac")
        default: break
        }
        let rates = Self.sampleRates(container)
        guard rates.contains(sampleRate) else {
            let text = rates.map(String.init).joined(separator: ", ")
            return invalid("sampleRate", "must be one of \(text) for \(container.rawValue)")
        }
        let most = Self.mostChannels(container)
        guard (1...most).contains(channelCount) else {
            return invalid("channels", "must be 1 to \(most) for \(container.rawValue)")
        }
        if let name, !RecordingName.isValid(name) { return invalid("name", RecordingName.rule) }
        return nil
    }

    public static func sampleRates(_ container: Container) -> [Int] {
        switch container {
        case .opus: [8_000, 12_000, 16_000, 24_000, 48_000]
        case .mp3: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
        case .wav, .flac:
            [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000]
        }
    }

    public static func mostChannels(_ container: Container) -> Int {
        switch container {
        case .wav, .flac: 8
        case .opus, .mp3: 2
        }
    }
}

/// Names of recordings are file names chosen by clients: only harmless characters are allowed.
public enum RecordingName {
    /// The text of a refusal.
    public static let rule = "may have 1 to 64 of A to Z, a to z, 0 to 9, - and _, and must not begin with -"

    /// Chosen by a client, without extension.
    public static func isValid(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: "-") && name.utf8.allSatisfy(isPlain)
    }

    /// A file name in the recordings directory: a valid name, possibly numbered, with an extension.
    public static func isValidID(_ id: String) -> Bool {
        guard id.utf8.count <= 96, let dot = id.utf8.lastIndex(of: UInt8(ascii: ".")), dot != id.startIndex,
            id.utf8.first != UInt8(ascii: "-")
        else { return false }
        return id[..<dot].utf8.allSatisfy(isPlain) && RecordedFormat(id: id) != nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        PercentEncoding.isAlphanumeric(byte) || "-_".utf8.contains(byte)
    }
}
