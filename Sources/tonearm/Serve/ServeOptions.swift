// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The flags of `tonearm serve`. Each is also a variable `TONEARM_…` and a key of the configuration file.
struct ServeOptions: ParsableArguments {
    @OptionGroup(title: "Music and sound options") var sound: SoundOptions
    @OptionGroup(title: "Network and access options") var network: NetworkOptions
    @OptionGroup(title: "Network item options") var items: NetworkItemOptions
    @OptionGroup(title: "Cache options") var cache: CacheOptions
    @OptionGroup(title: "File and log options") var files: FileOptions
}

struct SoundOptions: ParsableArguments {
    @Option(value: "directory", "Music folder; may be given several times.", completion: .directory)
    var music: [String] = []

    @Option(onOff: "Whether the music folders are scanned and watched, for search and albums (default on).")
    var library: String?

    @Option(
        onOff:
            "Whether the loudness of scanned music without ReplayGain tags is measured in the background (default on).")
    var measureLoudness: String?

    @Option(
        help: "auto or pulse (PulseAudio), null (a clock without sound) or file:PATH (a WAV file) (default auto).",
        completion: .list(["auto", "pulse", "null", "file:"]))
    var output: String?

    @Option(
        value: "name",
        "PulseAudio sink to play on, until a client chooses another (default: headphones that are plugged in, else the default sink)."
    )
    var sink: String?

    @Option(
        onOff: "Whether music silences other programs while it plays, unless the session mixes or ducks (default off).")
    var interruptOthers: String?

    @Option(value: "n", "Frames decoded at a time, 512 to 65536 (default 4608).")
    var decodeBufferFrames: String?

    @Option(
        value: "n",
        "Number of portions of --decode-buffer-frames frames decoded ahead of the sound card, 2 to 64 (default 20)."
    )
    var bufferCount: String?

    @Option(onOff: "Whether media keys and playerctl control the player over the desktop's session bus (default on).")
    var mpris: String?

    @Option(
        onOff:
            "Whether the screen's lock and the machine's sleep reach the session, if systemd's logind reports them (default on)."
    )
    var logind: String?
}

struct NetworkOptions: ParsableArguments {
    @Option(
        value: "address",
        "Address to listen on; 0.0.0.0 is the whole network; any but loopback needs a token (default 127.0.0.1).")
    var host: String?

    @Option(
        value: "text",
        "Display name of this server, also for clients that list servers (default: the machine's name).")
    var name: String?

    @Option(onOff: "Whether a server that listens on the network is announced there, where Avahi runs (default on).")
    var zeroconf: String?

    @Option(value: "n", "Port to listen on; 0 takes a free one (default 8080).")
    var port: String?

    @Option(
        value: "path", "Unix socket to listen on as well, for a proxy or for programs of this machine.",
        completion: .file())
    var socket: String?

    @Option(
        value: "file", "File with access tokens; created with a new one if missing (default DATA/tokens).",
        completion: .file())
    var tokenFile: String?

    @Flag(help: "Serve everybody without a token, at any address.")
    var anonymous = false

    @Option(
        value: "origin", "Web origin that may use the API, such as https://music.example; may be given several times.")
    var allowOrigin: [String] = []

    @Option(
        value: "name", "Host name under which the server may be addressed; may be given several times.")
    var allowHost: [String] = []
}

struct NetworkItemOptions: ParsableArguments {
    @Option(onOff: "Whether items may be http: and https: addresses (default on).")
    var network: String?

    @Option(
        value: "seconds",
        "Seconds within which a server must begin to send, 1 to 30; half of that may pass between bytes (default 29).")
    var networkTimeout: String?

    @Option(value: "seconds", "Seconds of a network item loaded before it plays, 0 to 30 (default 1).")
    var prebuffer: String?

    @Option(value: "seconds", "Seconds loaded after an underrun before it plays on, 0 to 30 (default 7.5).")
    var rebuffer: String?
}

struct FileOptions: ParsableArguments {
    @Option(
        value: "file", "YAML or JSON file with the same names as the flags.",
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var config: String?

    @Option(
        value: "directory",
        "Directory for the saved state (default $XDG_STATE_HOME/tonearm or ~/.local/state/tonearm).",
        completion: .directory)
    var data: String?

    @Option(
        value: "directory", "Directory for recordings; without it the server does not record.", completion: .directory)
    var recordings: String?

    @Option(
        value: "directory", "Directory of the web page (default: beside the program, or ./public).",
        name: .customLong("public"), completion: .directory)
    var publicDirectory: String?

    @Option(
        value: "file",
        "Program that decodes everything but MPEG audio (default: tonearm-media-worker beside this program).",
        completion: .file())
    var mediaWorker: String?

    @Option(value: "file", "File that receives the bound port once the server answers requests.", completion: .file())
    var portFile: String?

    @Option(
        value: "level", "trace, debug, info, notice, warning, error or critical (default info).",
        completion: .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]))
    var logLevel: String?
}

extension Option {
    /// `value`: the placeholder of the value in the help.
    init<Given: ExpressibleByArgument>(
        value: String, _ text: String, name: NameSpecification = .long, completion: CompletionKind? = nil
    ) where Value == Given? {
        self.init(name: name, help: ArgumentHelp(text, valueName: value), completion: completion)
    }

    /// The same for an option that may be given several times.
    init<Given: ExpressibleByArgument>(
        wrappedValue: [Given], value: String, _ text: String, name: NameSpecification = .long,
        completion: CompletionKind? = nil
    ) where Value == [Given] {
        self.init(
            wrappedValue: wrappedValue, name: name, help: ArgumentHelp(text, valueName: value),
            completion: completion)
    }

    init(onOff text: String, name: NameSpecification = .long) where Value == String? {
        self.init(value: "on|off", text, name: name, completion: .list(["on", "off"]))
    }
}
