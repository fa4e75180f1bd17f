// SPDX-License-Identifier: Apache-2.0

/// org.mpris.MediaPlayer2: a server is neither raised nor quit by a desktop.
enum RootProperties {
    static let all: [String: BusValue] = [
        "CanQuit": .flag(false), "CanRaise": .flag(false), "HasTrackList": .flag(true),
        "Identity": .text("Tonearm"),
        "SupportedUriSchemes": .texts(["file", "http", "https"]),
        "SupportedMimeTypes": .texts(["audio/mpeg", "audio/mp3", "audio/x-mp3"]),
    ]
}
