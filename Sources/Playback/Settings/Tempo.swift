// SPDX-License-Identifier: Apache-2.0

/// The speed and pitch of an item.
public struct Tempo: Hashable, Sendable {
    /// Media seconds per second.
    public var rate: Double
    /// The pitch shift in cents.
    public var cents: Double
    /// If false, the pitch follows the rate, as on a turntable.
    public var preservesPitch: Bool

    public static let normal = Tempo()

    public init(rate: Double = 1, cents: Double = 0, preservesPitch: Bool = true) {
        self.rate = rate
        self.cents = cents
        self.preservesPitch = preservesPitch
    }

    /// The rate change by resampling.
    var resampling: Double { preservesPitch ? 1 : rate }
    /// The rate change by time stretching.
    var stretching: Double { preservesPitch ? rate : 1 }
    var needsStretcher: Bool { stretching != 1 || cents != 0 }
    /// Media seconds to decode before a position: a stretcher's first frames are not continuous.
    var lead: Double { needsStretcher ? 0.1 * rate : 0 }
}

extension PlayerSettings {
    func tempo(isSpeech: Bool) -> Tempo {
        Tempo(rate: isSpeech ? speechRate : musicRate, cents: pitch, preservesPitch: preservesPitch)
    }

    /// The tempo of an item that is not a live stream.
    public func tempo(of item: ItemDraft, _ media: MediaDescription) -> Tempo {
        tempo(isSpeech: item.isSpeech(media) == true)
    }
}

extension ItemDraft {
    private static let speechGenres = ["podcast", "audiobook", "audio book", "speech", "spoken"]

    /// True if the item is speech, by its feed, file extension or genre; nil while the genre is unknown.
    func isSpeech(_ media: MediaDescription?) -> Bool? {
        let name = uri.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let ending = name.suffix(4).map { $0 | 0x20 }
        if source?.kind == .podcast || ending.elementsEqual(".m4b".utf8) { return true }
        guard let media else { return nil }
        guard let genre = media.tags.genre?.lowercased() else { return false }
        return Self.speechGenres.contains { genre.contains($0) }
    }
}
