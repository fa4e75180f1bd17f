// SPDX-License-Identifier: Apache-2.0

import Logging

/// What the server runs with: flag over environment over file over default.
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
    var data: String
    var publicDirectory: String?
    var output = Output.pulse
    var sink: String?
    var tokenFile: String?
    var allowedOrigins: [String] = []
    var allowedHosts: [String] = []
    var portFile: String?
    var logLevel = Logger.Level.info
    var isAnonymous = false

    /// Throws a `Failure` with a sentence that names the setting and where it came from.
    init(_ options: ServeOptions, environment: [String: String]) throws {
        let file = options.config ?? environment["TONEARM_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        let values = try SettingValues(environment: environment, file: file)

        data = try values.text("data", options.data) ?? Self.defaultData(environment)
        host = try values.text("host", options.host) ?? host
        if let setting = try values.setting("port", options.port) {
            guard let number = Int(setting.text) else { throw setting.wrong("is not a whole number") }
            guard let valid = UInt16(exactly: number) else { throw setting.wrong("is not between 0 and 65535") }
            port = valid
        }
        music = try values.list("music", options.music)
        hasLibrary = try values.flag("library", options.library, default: true)
        publicDirectory = try values.text("public", options.publicDirectory)
        if let setting = try values.setting("output", options.output) { output = try Self.output(setting) }
        sink = try values.text("sink", options.sink)
        tokenFile = try values.text("token-file", options.tokenFile)
        allowedOrigins = try values.list("allow-origin", options.allowOrigin)
        allowedHosts = try values.list("allow-host", options.allowHost)
        portFile = try values.text("port-file", options.portFile)
        if let setting = try values.setting("log-level", options.logLevel) {
            guard let level = Logger.Level(rawValue: setting.text.lowercased()) else {
                let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw setting.wrong("is none of \(names)")
            }
            logLevel = level
        }
        isAnonymous = try values.flag("anonymous", options.anonymous)
    }

    /// Only this machine can reach it.
    var isLoopback: Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    private static func defaultData(_ environment: [String: String]) throws -> String {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/tonearm" }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw Failure.configuration(
                "data: neither --data nor HOME nor XDG_STATE_HOME says where to keep the state")
        }
        return home + "/.local/state/tonearm"
    }

    private static func output(_ setting: Setting) throws -> Output {
        let text = setting.text
        switch text {
        case "auto", "pulse": return .pulse
        case "null": return .null
        case _ where text.hasPrefix("file:") && text.count > 5: return .file(String(text.dropFirst(5)))
        default: throw setting.wrong("is none of auto, pulse, null, file:PATH")
        }
    }
}
