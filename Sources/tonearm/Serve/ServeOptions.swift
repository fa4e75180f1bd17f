// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The flags of `tonearm serve`. Each is also `TONEARM_…` in the environment and a key of the configuration file.
struct ServeOptions: ParsableArguments {
    @Option(help: "Address to listen on (default 127.0.0.1). Any but loopback needs a token.")
    var host: String?

    @Option(help: "Port to listen on; 0 takes a free one (default 8080).")
    var port: String?

    @Option(
        name: .customLong("music"), help: "Music directory; may be given several times.", completion: .directory)
    var music: [String] = []

    @Option(
        help: "on or off: whether the music directories are scanned and watched, for search and albums (default on).",
        completion: .list(["on", "off"]))
    var library: String?

    @Option(
        help: "Directory for the saved state (default $XDG_STATE_HOME/tonearm or ~/.local/state/tonearm).",
        completion: .directory)
    var data: String?

    @Option(
        name: .customLong("public"), help: "Directory of the web page (default: beside the program, or ./public).",
        completion: .directory)
    var publicDirectory: String?

    @Option(
        help: "auto (PulseAudio), pulse, null (a clock without sound) or file:PATH (a WAV file).",
        completion: .list(["auto", "pulse", "null", "file:"]))
    var output: String?

    @Option(help: "PulseAudio sink to play on (default: the server's default sink).")
    var sink: String?

    @Option(help: "File with access tokens; made with a new one when it does not exist.", completion: .file())
    var tokenFile: String?

    @Option(name: .customLong("allow-origin"), help: "Web origin that may use the API; may be given several times.")
    var allowOrigin: [String] = []

    @Option(
        name: .customLong("allow-host"),
        help: "Host name under which the server may be addressed; may be given several times.")
    var allowHost: [String] = []

    @Option(help: "File that gets the bound port once requests are answered.", completion: .file())
    var portFile: String?

    @Option(
        help: "trace, debug, info, notice, warning, error or critical (default info).",
        completion: .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]))
    var logLevel: String?

    @Option(
        help: "YAML or JSON file with the same names as the flags.",
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var config: String?

    @Flag(help: "Listen on other addresses than loopback without a token.")
    var anonymous = false
}
