// SPDX-License-Identifier: Apache-2.0

/// org.mpris.MediaPlayer2: a server is neither raised nor quit by a desktop.
enum RootProperties {
    /// As desktops name them (freedesktop's shared-mime-info), with the names that are older.
    private static let mimeTypes = [
        "audio/mpeg", "audio/mp3", "audio/x-mp3", "audio/mp2", "audio/flac", "audio/x-flac", "audio/ogg",
        "audio/vorbis",
        "audio/x-vorbis+ogg", "audio/opus", "audio/x-opus+ogg", "audio/x-flac+ogg", "audio/aac", "audio/mp4",
        "audio/x-m4a", "audio/x-m4b", "audio/vnd.wave", "audio/wav", "audio/x-wav", "audio/x-aiff", "audio/x-caf",
        "audio/x-ape", "audio/x-wavpack", "audio/x-tta", "audio/x-ms-wma", "audio/x-ms-asf", "audio/x-matroska",
        "audio/webm", "audio/x-dsf", "audio/x-dff",
    ]

    static let all: [String: BusValue] = [
        "CanQuit": .flag(false), "CanRaise": .flag(false), "HasTrackList": .flag(true),
        "Identity": .text("Tonearm"),
        "SupportedUriSchemes": .texts(["file", "http", "https"]),
        "SupportedMimeTypes": .texts(mimeTypes),
    ]
}
