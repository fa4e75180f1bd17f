// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The flags of `tonearm serve`. Each is also `TONEARM_…` in the environment and a key of the configuration file.
struct ServeOptions: ParsableArguments {
    @OptionGroup(title: "Music and sound options") var sound: SoundOptions
    @OptionGroup(title: "Network and access options") var network: NetworkOptions
    @OptionGroup(title: "Network item options") var items: NetworkItemOptions
    @OptionGroup(title: "Cache options") var cache: CacheOptions
    @OptionGroup(title: "File and log options") var files: FileOptions
}

struct SoundOptions: ParsableArguments {
    @Option(
        name: .customLong("music"),
        help: ArgumentHelp("Music directory; may be given several times.", valueName: "directory"),
        completion: .directory)
    var music: [String] = []

    @Option(
        help: .onOff("Whether the music directories are scanned and watched, for search and albums (default on)."),
        completion: .onOff)
    var library: String?

    @Option(
        help: .onOff(
            "Whether the loudness of scanned music without ReplayGain tags is measured in the background (default on)."),
        completion: .onOff)
    var measureLoudness: String?

    @Option(
        help: "auto (PulseAudio), pulse, null (a clock without sound) or file:PATH (a WAV file).",
        completion: .list(["auto", "pulse", "null", "file:"]))
    var output: String?

    @Option(help: ArgumentHelp("PulseAudio sink to play on (default: the server's default sink).", valueName: "name"))
    var sink: String?

    @Option(
        help: .onOff("Whether music silences other programs' sound, unless the session mixes (default off)."),
        completion: .onOff)
    var interruptOthers: String?

    @Option(help: ArgumentHelp("Frames decoded at a time, 512 to 65536 (default 4608).", valueName: "n"))
    var decodeBufferFrames: String?

    @Option(
        help: ArgumentHelp(
            "How many times that may be decoded ahead of the sound card, 2 to 64 (default 20).", valueName: "n"))
    var bufferCount: String?

    @Option(
        help: .onOff("Whether media keys and playerctl reach the player on the desktop's session bus (default on)."),
        completion: .onOff)
    var mpris: String?

    @Option(
        help: .onOff(
            "Whether the screen's lock and the machine's sleep, as systemd's logind reports them, reach the session (default on)."
        ), completion: .onOff)
    var logind: String?
}

struct NetworkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Address to listen on (default 127.0.0.1); 0.0.0.0 is the whole network. Any but loopback needs a token.",
            valueName: "address"))
    var host: String?

    @Option(
        help: ArgumentHelp(
            "What this server is called, for people and for clients that list servers (default: the machine's name).",
            valueName: "text"))
    var name: String?

    @Option(
        help: .onOff("Whether a server that listens on the network is announced there, where Avahi runs (default on)."),
        completion: .onOff)
    var zeroconf: String?

    @Option(help: ArgumentHelp("Port to listen on; 0 takes a free one (default 8080).", valueName: "n"))
    var port: String?

    @Option(
        help: ArgumentHelp(
            "Unix socket to listen on as well, for a proxy or for programs of this machine.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp("File with access tokens; made with a new one when it does not exist.", valueName: "file"),
        completion: .file())
    var tokenFile: String?

    @Flag(help: "Listen on other addresses than loopback without a token.")
    var anonymous = false

    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp("Web origin that may use the API; may be given several times.", valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "Host name under which the server may be addressed; may be given several times.", valueName: "name"))
    var allowHost: [String] = []
}

struct NetworkItemOptions: ParsableArguments {
    @Option(
        help: .onOff("Whether items may be http: and https: addresses (default on)."), completion: .onOff)
    var network: String?

    @Option(
        help: ArgumentHelp(
            "Seconds within which a server must begin to send, or send more, 1 to 30 (default 29).",
            valueName: "seconds"))
    var networkTimeout: String?

    @Option(
        help: ArgumentHelp(
            "Seconds of an item that are loaded before it sounds, 0 to 30 (default 1).", valueName: "seconds"))
    var prebuffer: String?

    @Option(
        help: ArgumentHelp(
            "Seconds that are loaded after it ran dry, before it goes on, 0 to 30 (default 7.5).", valueName: "seconds")
    )
    var rebuffer: String?
}

struct FileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("YAML or JSON file with the same names as the flags.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "Directory for the saved state (default $XDG_STATE_HOME/tonearm or ~/.local/state/tonearm).",
            valueName: "directory"),
        completion: .directory)
    var data: String?

    @Option(
        help: ArgumentHelp(
            "Directory for recordings; without it the server does not record.", valueName: "directory"),
        completion: .directory)
    var recordings: String?

    @Option(
        name: .customLong("public"),
        help: ArgumentHelp(
            "Directory of the web page (default: beside the program, or ./public).", valueName: "directory"),
        completion: .directory)
    var publicDirectory: String?

    @Option(
        help: ArgumentHelp(
            "Program that decodes everything but MPEG audio (default: tonearm-media-worker beside this one).",
            valueName: "file"),
        completion: .file())
    var mediaWorker: String?

    @Option(
        help: ArgumentHelp("File that gets the bound port once requests are answered.", valueName: "file"),
        completion: .file())
    var portFile: String?

    @Option(
        help: ArgumentHelp(
            "trace, debug, info, notice, warning, error or critical (default info).", valueName: "level"),
        completion: .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]))
    var logLevel: String?
}

extension ArgumentHelp {
    static func onOff(_ text: String) -> ArgumentHelp { ArgumentHelp(text, valueName: "on|off") }
}

extension CompletionKind {
    static var onOff: CompletionKind { .list(["on", "off"]) }
}
