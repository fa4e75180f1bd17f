// SPDX-License-Identifier: Apache-2.0

import Logging
import Media
import Playback
import RemoteAPI

/// The server's configuration: flag over environment over file over default.
struct ServerConfiguration: Equatable {
    enum Output: Equatable {
        case pulse
        case null
        case file(String)
    }

    var host = "127.0.0.1"
    var port: UInt16 = 8080
    var music: [String] = []
    /// Whether the music folders are scanned for tags, to be searched and browsed by them.
    var hasLibrary = true
    /// Whether the loudness of what is scanned is measured where tags lack it.
    var measuresLoudness = true
    var data: String
    var publicDirectory: String?
    var output = Output.pulse
    var sink: String?
    /// The program that decodes everything but MPEG audio; nil for the one beside this program.
    var mediaWorker: String?
    /// An exclusive session silences other programs' streams.
    var interruptsOthers = false
    var buffering = DecodeBuffering()
    var tokenFile: String?
    /// A Unix socket beside the port.
    var socket: String?
    var allowedOrigins: [String] = []
    var allowedHosts: [String] = []
    var portFile: String?
    /// The server's name for people; nil: the machine's name.
    var name: String?
    var logLevel = Logger.Level.info
    var isAnonymous = false
    /// Items may be `http:` and `https:` URLs.
    var usesNetwork = true
    /// PEM file in place of the system's certificate authorities, as other programs read it from `SSL_CERT_FILE`.
    var certificateAuthorities: String?
    var cache = CacheSettings()
    var networkLimits = NetworkLimits()
    var networkBuffering = NetworkBuffering()
    /// The player may show on the desktop's session bus; whether it does is a setting.
    var hasMPRIS = true
    /// Lock and sleep reach the session from the login manager, where there is one.
    var followsLogind = true
    /// Clients of the local network find the server by themselves.
    var isAnnounced = true
    /// Where recordings go; nil: it does not record.
    var recordings: String?

    /// Throws a `Failure` with a sentence that names the setting and where it came from.
    init(_ options: ServeOptions, environment: [String: String]) throws {
        let file = options.files.config ?? environment["TONEARM_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        try self.init(options, OptionValues(environment: environment, file: file), environment)
    }

    init(_ options: ServeOptions, _ values: OptionValues, _ environment: [String: String]) throws {
        data = try values.text("data", options.files.data) ?? Self.defaultData(environment)
        host = try values.text("host", options.network.host) ?? host
        port = try values.number("port", options.network.port, in: 0...65_535).map(UInt16.init) ?? port
        music = try values.list("music", options.sound.music)
        hasLibrary = try values.flag("library", options.sound.library, default: true)
        measuresLoudness = try values.flag("measure-loudness", options.sound.measureLoudness, default: true)
        publicDirectory = try values.text("public", options.files.publicDirectory)
        if let value = try values.value("output", options.sound.output) { output = try Self.output(value) }
        sink = try values.text("sink", options.sound.sink)
        mediaWorker = try values.text("media-worker", options.files.mediaWorker)
        interruptsOthers = try values.flag("interrupt-others", options.sound.interruptOthers, default: false)
        buffering.frames =
            try values.number("decode-buffer-frames", options.sound.decodeBufferFrames, in: DecodeBuffering.frameRange)
            ?? buffering.frames
        buffering.count =
            try values.number("buffer-count", options.sound.bufferCount, in: DecodeBuffering.countRange)
            ?? buffering.count
        socket = try values.text("socket", options.network.socket)
        tokenFile = try values.text("token-file", options.network.tokenFile)
        allowedOrigins = try values.list("allow-origin", options.network.allowOrigin)
        allowedHosts = try values.list("allow-host", options.network.allowHost)
        if let origin = allowedOrigins.first(where: { !AccessPolicy.isOrigin($0) }) {
            throw Failure.configuration(
                "allow-origin: \(origin) is not an origin as browsers send it, such as https://music.example")
        }
        if let host = allowedHosts.first(where: { !AccessPolicy.isHost($0) }) {
            throw Failure.configuration("allow-host: \(host) is not a host name, such as music.example")
        }
        portFile = try values.text("port-file", options.files.portFile)
        name = try values.text("name", options.network.name)
        if let value = try values.value("log-level", options.files.logLevel) {
            guard let level = Logger.Level(rawValue: value.text.lowercased()) else {
                let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw value.wrong("is not one of \(names)")
            }
            logLevel = level
        }
        isAnonymous = try values.flag("anonymous", options.network.anonymous)
        recordings = try values.text("recordings", options.files.recordings)
        hasMPRIS = try values.flag("mpris", options.sound.mpris, default: true)
        followsLogind = try values.flag("logind", options.sound.logind, default: true)
        isAnnounced = try values.flag("zeroconf", options.network.zeroconf, default: true)
        try setNetwork(values, options.items, environment)
        cache = try CacheSettings(values, options.cache, data: data)
        try values.checkFile()
    }

    private mutating func setNetwork(
        _ values: OptionValues, _ options: NetworkItemOptions, _ environment: [String: String]
    ) throws {
        usesNetwork = try values.flag("network", options.network, default: true)
        if let seconds = try values.seconds("network-timeout", options.networkTimeout, in: 1...30) {
            networkLimits.start = seconds
            networkLimits.stall = seconds / 2
            networkLimits.connect = min(10, seconds)
            networkBuffering.limit = seconds
        }
        networkBuffering.start =
            try values.seconds("prebuffer", options.prebuffer, in: 0...30) ?? networkBuffering.start
        networkBuffering.resume =
            try values.seconds("rebuffer", options.rebuffer, in: 0...30) ?? networkBuffering.resume
        certificateAuthorities = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whom to serve without a token. Names of other hosts and pages mean a proxy, or others than this machine's users.
    var anonymous: AccessPolicy.Anonymous {
        if isAnonymous { return .everyone }
        return tokenFile == nil && allowedHosts.isEmpty && allowedOrigins.isEmpty ? .loopback : .nobody
    }

    var tokenPath: String { tokenFile ?? data + "/tokens" }

    /// Only this machine can reach it.
    var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    private static func defaultData(_ environment: [String: String]) throws -> String {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/tonearm" }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw Failure.configuration(
                "data: no directory for the state; set --data, HOME or XDG_STATE_HOME")
        }
        return home + "/.local/state/tonearm"
    }

    private static func output(_ value: OptionValue) throws -> Output {
        let text = value.text
        switch text {
        case "auto", "pulse": return .pulse
        case "null": return .null
        case _ where text.hasPrefix("file:") && text.count > 5: return .file(String(text.dropFirst(5)))
        default: throw value.wrong("is not one of auto, pulse, null, file:PATH")
        }
    }
}
