// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging
import Media
import Playback
import RemoteAPI
import Store

/// The configuration of `tonearm serve`: a flag overrides the environment, which overrides the file, which overrides the default.
struct ServerConfiguration {
    enum Output: Equatable {
        case pulse
        case null
        case file(String)
    }

    let host: String
    let port: UInt16
    /// A Unix socket beside the port.
    let socket: String?
    let portFile: String?
    /// The server's display name; nil for the machine's name.
    let name: String?
    /// Avahi announces the server in the local network.
    let isAnnounced: Bool
    let tokenFile: String?
    let isAnonymous: Bool
    let allowedOrigins: [String]
    let allowedHosts: [String]
    let music: [String]
    /// The music folders are scanned for tags, for search and browsing.
    let hasLibrary: Bool
    /// The loudness of scanned music without ReplayGain tags is measured.
    let measuresLoudness: Bool
    let data: String
    /// nil: the server does not record.
    let recordings: String?
    let publicDirectory: String?
    /// The program that decodes everything but MPEG audio; nil for the one beside this program.
    let mediaWorker: String?
    let output: Output
    let sink: String?
    /// An exclusive session silences other programs' streams.
    let interruptsOthers: Bool
    let buffering: DecodeBuffering
    /// The player may appear on the desktop's session bus; a setting decides whether it does.
    let hasMPRIS: Bool
    /// logind reports screen lock and sleep to the session.
    let followsLogind: Bool
    /// Items may be `http:` and `https:` URLs.
    let usesNetwork: Bool
    /// A PEM file that replaces the system's certificate authorities: `SSL_CERT_FILE`, as in other programs.
    let certificateAuthorities: String?
    let networkLimits: NetworkLimits
    let networkBuffering: NetworkBuffering
    /// nil if the cache is off.
    let cache: RangeCache.Configuration?
    let logLevel: Logger.Level
    /// The given settings that `tonearm link` needs too, from any source, as flags.
    let linkFlags: [(name: String, value: String)]

    /// Throws a `Failure` that names the setting and its source.
    init(_ options: ServeOptions, environment: [String: String]) throws {
        let file = options.files.config ?? environment["TONEARM_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        try self.init(options, OptionValues(environment: environment, file: file), environment)
    }

    init(_ options: ServeOptions, _ values: OptionValues, _ environment: [String: String]) throws {
        let (sound, network, items, files) = (options.sound, options.network, options.items, options.files)
        host = try values.text("host", network.host) ?? "127.0.0.1"
        port = try values.number("port", network.port, in: 0...65_535).map(UInt16.init) ?? 8080
        socket = try values.text("socket", network.socket)
        portFile = try values.text("port-file", files.portFile)
        name = try values.text("name", network.name)
        isAnnounced = try values.flag("zeroconf", network.zeroconf, default: true)
        tokenFile = try values.text("token-file", network.tokenFile)
        isAnonymous = try values.flag("anonymous", network.anonymous ? "on" : nil, default: false)
        allowedOrigins = try values.list("allow-origin", network.allowOrigin)
        allowedHosts = try values.list("allow-host", network.allowHost)
        if let origin = allowedOrigins.first(where: { !AccessPolicy.isOrigin($0) }) {
            throw Failure.configuration(
                "allow-origin: \(origin) is not an origin as browsers send it, such as https://music.example")
        }
        if let host = allowedHosts.first(where: { !AccessPolicy.isHost($0) }) {
            throw Failure.configuration("allow-host: \(host) is not a host name, such as music.example")
        }
        music = try values.list("music", sound.music)
        hasLibrary = try values.flag("library", sound.library, default: true)
        measuresLoudness = try values.flag("measure-loudness", sound.measureLoudness, default: true)
        data = try values.text("data", files.data).map(Self.absolute) ?? Self.defaultData(environment)
        recordings = try values.text("recordings", files.recordings)
        publicDirectory = try values.text("public", files.publicDirectory)
        mediaWorker = try values.text("media-worker", files.mediaWorker)
        output = try values.value("output", sound.output).map(Self.output) ?? .pulse
        sink = try values.text("sink", sound.sink)
        interruptsOthers = try values.flag("interrupt-others", sound.interruptOthers, default: false)
        var buffering = DecodeBuffering()
        buffering.frames =
            try values.number("decode-buffer-frames", sound.decodeBufferFrames, in: DecodeBuffering.frameRange)
            ?? buffering.frames
        buffering.count =
            try values.number("buffer-count", sound.bufferCount, in: DecodeBuffering.countRange) ?? buffering.count
        self.buffering = buffering
        hasMPRIS = try values.flag("mpris", sound.mpris, default: true)
        followsLogind = try values.flag("logind", sound.logind, default: true)
        usesNetwork = try values.flag("network", items.network, default: true)
        certificateAuthorities = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        var (limits, networkBuffering) = (NetworkLimits(), NetworkBuffering())
        if let seconds = try values.seconds("network-timeout", items.networkTimeout, in: 1...30) {
            limits.start = seconds
            limits.stall = seconds / 2
            limits.connect = min(10, seconds)
            networkBuffering.limit = seconds
        }
        networkBuffering.start =
            try values.seconds("prebuffer", items.prebuffer, in: 0...30) ?? networkBuffering.start
        networkBuffering.resume =
            try values.seconds("rebuffer", items.rebuffer, in: 0...30) ?? networkBuffering.resume
        networkLimits = limits
        self.networkBuffering = networkBuffering
        cache = try options.cache.configuration(values, data: data)
        logLevel = try values.value("log-level", files.logLevel).map(Self.logLevel) ?? .info
        linkFlags = try [
            ("host", network.host), ("port", network.port), ("data", files.data), ("token-file", network.tokenFile),
        ].compactMap { name, flag in try values.text(name, flag).map { (name, $0) } }
        try values.checkFile()
    }

    /// The clients that need no token. Allowed hosts or origins mean that others than this machine's users reach the server.
    var anonymous: AccessPolicy.Anonymous {
        if isAnonymous { return .everyone }
        return tokenFile == nil && allowedHosts.isEmpty && allowedOrigins.isEmpty ? .loopback : .nobody
    }

    var tokenPath: String { tokenFile ?? data + "/tokens" }

    /// Only this machine can reach the server.
    var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    private static func defaultData(_ environment: [String: String]) throws -> String {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/tonearm" }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw Failure.configuration("data: no directory for the state; set --data, HOME or XDG_STATE_HOME")
        }
        return home + "/.local/state/tonearm"
    }

    /// Other programs open files in it by their URLs: pictures, over MPRIS.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
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
    private static func logLevel(_ value: OptionValue) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: value.text.lowercased()) else {
            let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw value.wrong("is not one of \(names)")
        }
        return level
    }
}
