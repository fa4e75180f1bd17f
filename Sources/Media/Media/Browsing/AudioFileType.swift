// SPDX-License-Identifier: Apache-2.0

/// The file name extensions that a listing shows; what a file really is, its bytes show when it is opened.
public enum AudioFileType {
    /// In lower case.
    public static let extensions: Set<String> = [
        "mp3", "mp2", "mp1", "mpga",
        "aac", "adts", "flac", "oga", "ogg", "opus", "wav", "wave", "w64", "aif", "aiff", "aifc", "caf", "dsf", "dff",
        "m4a", "m4b", "m4r", "mp4", "m4v", "mov", "3gp", "3g2", "mka", "mkv", "webm", "weba", "wma", "asf", "wmv",
        "ape",
        "wv", "tta", "tak", "mpc", "mp+", "mpp", "spx", "ac3", "eac3", "ec3", "dts", "dtshd", "afc",
    ]

    /// Asked of every item that is added, so that it looks at the last few bytes only.
    public static func isAudioFile(_ name: some StringProtocol) -> Bool {
        let end = Substring(name).utf8.suffix(longest + 1)
        guard let dot = end.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return extensions.contains(Substring(end[end.index(after: dot)...]).lowercased())
    }

    private static let longest = extensions.map(\.utf8.count).max() ?? 0
}
