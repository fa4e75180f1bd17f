// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// The only demuxers and decoders of FFmpeg that may read an untrusted file.
///
/// Plain MPEG audio is decoded by libmpg123 in the server; MPEG audio in other containers is decoded here.
enum AllowedFormats {
    static let demuxers = [
        "aac", "ac3", "aiff", "ape", "asf", "caf", "dsf", "dts", "dtshd", "eac3", "flac", "iff", "matroska,webm",
        "mov,mp4,m4a,3gp,3g2,mj2", "mpc", "mpc8", "mpegts", "ogg", "tak", "tta", "w64", "wav", "wv",
    ]
    /// Raw streams of frames without a header that gives the length.
    static let rawDemuxers: Set = ["aac", "ac3", "dts", "dtshd", "eac3"]

    /// Decoders by codec name.
    static let audio: [String: String] = {
        var decoders = [
            "mp3": "mp3float", "mp2": "mp2float", "dts": "dca", "musepack7": "mpc7", "musepack8": "mpc8",
            "adpcm_g722": "g722", "adpcm_g726": "g726", "adpcm_g726le": "g726le",
        ]
        let same = [
            "aac", "ac3", "alac", "ape", "dst", "eac3", "flac", "opus", "speex", "tak", "tta", "vorbis", "wavpack",
            "wmalossless", "wmapro", "wmav1", "wmav2",
            "adpcm_ima_qt", "adpcm_ima_wav", "adpcm_ms", "gsm", "gsm_ms", "mace3", "mace6",
            "dsd_lsbf", "dsd_lsbf_planar", "dsd_msbf", "dsd_msbf_planar",
            "pcm_alaw", "pcm_mulaw", "pcm_f32be", "pcm_f32le", "pcm_f64be", "pcm_f64le", "pcm_s8", "pcm_s16be",
            "pcm_s16le", "pcm_s24be", "pcm_s24le", "pcm_s32be", "pcm_s32le", "pcm_u8", "pcm_u16be", "pcm_u16le",
        ]
        for name in same { decoders[name] = name }
        return decoders
    }()

    /// For thumbnails.
    static let video: [String: String] = [
        "av1": "libdav1d", "h263": "h263", "h264": "h264", "hevc": "hevc", "mjpeg": "mjpeg", "mpeg4": "mpeg4",
        "png": "png", "prores": "prores", "theora": "theora", "vp8": "vp8", "vp9": "vp9",
    ]

    /// Lossless codecs, whose frames do not depend on earlier ones.
    static func isLossless(_ codec: String) -> Bool {
        codec.hasPrefix("pcm_") || codec.hasPrefix("dsd_")
            || ["alac", "ape", "dst", "flac", "tak", "tta", "wavpack", "wmalossless"].contains(codec)
    }

    static func name(_ codec: AVCodecID) -> String { String(cString: avcodec_get_name(codec)) }

    static func decoder(_ codec: AVCodecID, of table: [String: String]) -> UnsafePointer<AVCodec>? {
        table[name(codec)].flatMap { avcodec_find_decoder_by_name($0) }
    }
}
