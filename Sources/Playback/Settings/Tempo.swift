// SPDX-License-Identifier: Apache-2.0

/// How fast and how high an item is played.
public struct Tempo: Hashable, Sendable {
    /// Media seconds per second.
    public var rate: Double
    /// By which the sound is higher than the media.
    public var cents: Double
    /// When not, the pitch follows the rate, as on a turntable.
    public var preservesPitch: Bool

    public static let normal = Tempo()

    public init(rate: Double = 1, cents: Double = 0, preservesPitch: Bool = true) {
        self.rate = rate
        self.cents = cents
        self.preservesPitch = preservesPitch
    }

    /// The part that resampling does.
    var resampling: Double { preservesPitch ? 1 : rate }
    /// The part that time stretching does.
    var stretching: Double { preservesPitch ? rate : 1 }
    var needsStretcher: Bool { stretching != 1 || cents != 0 }
    /// Media seconds before a position from which on it is decoded: a stretcher's first frames are not continuous sound.
    var lead: Double { needsStretcher ? 0.1 * rate : 0 }
}

extension PlayerSettings {
    /// Of the current item.
    var tempo: Tempo { tempo(isSpeech: playsSpeech) }

    func tempo(isSpeech: Bool) -> Tempo {
        Tempo(rate: isSpeech ? speechRate : musicRate, cents: pitch, preservesPitch: preservesPitch)
    }

    /// Of an item that is not a station.
    public func tempo(of item: ItemDraft, _ media: MediaDescription) -> Tempo {
        tempo(isSpeech: item.isSpeech(media) == true)
    }
}

extension ItemDraft {
    private static let speechGenres = ["podcast", "audiobook", "audio book", "speech", "spoken"]

    /// By its feed, the ending of its name, or its genre; nil while the last one is not known.
    func isSpeech(_ media: MediaDescription?) -> Bool? {
        let name = uri.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        // In lower case.
        let ending = name.suffix(4).map { $0 | 0x20 }
        if source?.kind == .podcast || ending.elementsEqual(".m4b".utf8) { return true }
        guard let media else { return nil }
        guard let genre = media.tags.genre?.lowercased() else { return false }
        return Self.speechGenres.contains { genre.contains($0) }
    }
}
