// SPDX-License-Identifier: Apache-2.0

internal import CMpg123
internal import Media
internal import Playback
internal import Kernel

extension Mpg123Decoder {
    /// The encoding by the first frame and the header frame.
    static func encoding(
        _ frame: mpg123_frameinfo2, first: FrameHeader?, info: InfoFrame?, handle: borrowing Mpg123Handle
    ) -> MediaDescription.Encoding {
        var encoding = MediaDescription.Encoding(codec: "mp\(frame.layer)", layer: Int(frame.layer))
        encoding.mpegVersion =
            switch UInt32(bitPattern: frame.version) {
            case MPG123_1_0.rawValue: "1"
            case MPG123_2_0.rawValue: "2"
            default: "2.5"
            }
        encoding.bitrateMode =
            switch UInt32(bitPattern: frame.vbr) {
            case MPG123_VBR.rawValue: .variable
            case MPG123_ABR.rawValue: .average
            default: .constant
            }
        if info?.isVBRI == true { encoding.bitrateMode = .variable }
        // The library goes by the LAME tag's method, which FFmpeg leaves unset.
        if info?.isConstant == true { encoding.bitrateMode = .constant }
        encoding.bitrate = Int(frame.bitrate) * 1_000
        let samplesPerFrame = handle.samplesPerFrame
        if let first, first.bitrate == nil {
            encoding.bitrateMode = .free
            encoding.bitrate = Int(frame.framesize) * 8 * frame.rate / max(1, samplesPerFrame)
        } else if encoding.bitrateMode != .constant, let frames = info?.frames, let bytes = info?.bytes {
            let seconds = Double(frames) * Double(samplesPerFrame) / Double(frame.rate)
            if seconds > 0 { encoding.bitrate = Int(clamping: (Double(bytes) * 8 / seconds).rounded()) }
        }
        return encoding
    }
}
