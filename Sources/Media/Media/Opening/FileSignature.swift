// SPDX-License-Identifier: Apache-2.0

/// A file type, detected by the first bytes: for messages, and to keep other formats away from a decoder that searches anything for a
/// frame.
///
/// The raw values complete a sentence: “it is a PNG picture”.
public enum FileSignature: String, CaseIterable, Sendable {
    case png = "a PNG picture"
    case jpeg = "a JPEG picture"
    case gif = "a GIF picture"
    case pdf = "a PDF document"
    case zip = "a ZIP archive"
    case elf = "a program"
    case flac = "a FLAC file"
    case ogg = "an Ogg file"
    case wave = "a WAV file"
    case aiff = "an AIFF file"
    case mp4 = "an MP4 file"
    case matroska = "a Matroska or WebM file"
    case asf = "a Windows Media file"
    case ape = "a Monkey's Audio file"
    case caf = "a CAF file"
    case wavPack = "a WavPack file"
    case trueAudio = "a True Audio file"
    case dsf = "a DSF file"
    case dsdiff = "a DSDIFF file"
    case adts = "an AAC file"
    case ac3 = "an AC-3 file"
    case dts = "a DTS file"
    case musepack = "a Musepack file"
    case tak = "a TAK file"
    case transportStream = "an MPEG transport stream"
    case html = "an HTML page"
    case text = "a text file"

    public init?(_ head: [UInt8]) {
        func has(_ text: String, at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: text.utf8) }
        let lead = head.prefix(4)
        switch true {
        case lead == [0x89, 0x50, 0x4E, 0x47]: self = .png
        case head.starts(with: [0xFF, 0xD8, 0xFF]) && head.dropFirst(3).first.map { $0 >= 0xC0 } == true: self = .jpeg
        case has("GIF8"): self = .gif
        case has("%PDF"): self = .pdf
        case lead == [0x50, 0x4B, 3, 4]: self = .zip
        case lead == [0x7F, 0x45, 0x4C, 0x46]: self = .elf
        case has("fLaC"): self = .flac
        case has("OggS"): self = .ogg
        case (has("RIFF") || has("RF64")) && has("WAVE", at: 8): self = .wave
        case has("riff") && head.dropFirst(4).starts(with: [0x2E, 0x91, 0xCF, 0x11]): self = .wave
        case has("FORM") && (has("AIFF", at: 8) || has("AIFC", at: 8)): self = .aiff
        case has("caff"): self = .caf
        case has("wvpk"): self = .wavPack
        case has("TTA1") || has("TTA2"): self = .trueAudio
        case has("DSD ") && has("fmt ", at: 28): self = .dsf
        case has("FRM8") && has("DSD ", at: 12): self = .dsdiff
        case ["ftyp", "moov", "mdat", "wide", "free", "skip"].contains { has($0, at: 4) }: self = .mp4
        case lead == [0x1A, 0x45, 0xDF, 0xA3]: self = .matroska
        case lead == [0x30, 0x26, 0xB2, 0x75]: self = .asf
        case has("MAC "): self = .ape
        case has("MPCK") || has("MP+"): self = .musepack
        case has("tBaK"): self = .tak
        case head.starts(with: [0x0B, 0x77]) && head.dropFirst(5).first.map { $0 >> 3 <= 16 } == true: self = .ac3
        case has("DTSHDHDR") || Self.dtsSyncs.contains(Array(lead)): self = .dts
        case Self.isRawAAC(head): self = .adts
        case Self.isTransportStream(head): self = .transportStream
        case Self.isText(head):
            let start = String(decoding: head.prefix(64), as: UTF8.self).lowercased().drop { $0.isWhitespace }
            self = start.hasPrefix("<!doctype html") || start.hasPrefix("<html") ? .html : .text
        default: return nil
        }
    }

    /// False for pictures, documents and programs.
    var mayBeMedia: Bool { fileExtension != nil }

    /// The usual file name extension; nil if this is not a media type.
    public var fileExtension: String? { Self.extensions[self] }

    private static let extensions: [FileSignature: String] = [
        .flac: "flac", .ogg: "ogg", .wave: "wav", .aiff: "aiff", .caf: "caf", .mp4: "m4a", .matroska: "mka",
        .asf: "wma",
        .ape: "ape", .wavPack: "wv", .trueAudio: "tta", .dsf: "dsf", .dsdiff: "dff", .adts: "aac", .ac3: "ac3",
        .dts: "dts", .musepack: "mpc", .tak: "tak", .transportStream: "ts",
    ]

    /// Whether a tag or a frame of MPEG audio may begin here.
    static func mayBeMPEG(_ head: [UInt8]) -> Bool {
        head.starts(with: "ID3".utf8) || head.starts(with: "TAG".utf8)
            || head.first == 0xFF && head.dropFirst().first.map { $0 & 0xE0 == 0xE0 } == true
    }

    /// Sync words (ETSI TS 102 114, 5.3): 16 or 14 bits, in both byte orders.
    private static let dtsSyncs: [[UInt8]] = [
        [0x7F, 0xFE, 0x80, 0x01], [0xFE, 0x7F, 0x01, 0x80], [0x1F, 0xFF, 0xE8, 0x00], [0xFF, 0x1F, 0x00, 0xE8],
    ]

    /// An ADTS header (ISO/IEC 14496-3, 1.A.2.2.1): layer 0, which MPEG audio never uses.
    private static func isRawAAC(_ head: [UInt8]) -> Bool {
        guard head.count >= 7, head[0] == 0xFF, head[1] & 0xF6 == 0xF0 else { return false }
        let length = Int(head[3] & 3) << 11 | Int(head[4]) << 3 | Int(head[5]) >> 5
        return head[2] >> 2 & 15 < 13 && length >= 7
    }

    /// Packets of 188 bytes, each with the same sync byte (ISO/IEC 13818-1, 2.4.3.2).
    private static func isTransportStream(_ head: [UInt8]) -> Bool {
        head.count >= 376 && stride(from: 0, to: min(head.count, 940), by: 188).allSatisfy { head[$0] == 0x47 }
    }

    /// UTF-8 without control characters. The head may end within a character.
    private static func isText(_ head: [UInt8]) -> Bool {
        guard !head.isEmpty, !head.starts(with: "ID3".utf8), !head.starts(with: "TAG".utf8) else { return false }
        guard head.allSatisfy({ $0 >= 0x20 || (0x09...0x0D).contains($0) }) else { return false }
        return (0...3).contains { String(validating: head.dropLast($0), as: UTF8.self) != nil }
    }
}
