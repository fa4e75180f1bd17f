// SPDX-License-Identifier: Apache-2.0

import FrontDoor
import Glibc
import Logging
import Media
import RemoteAPI
import Service

/// Checks the requirements of `tonearm serve` other than sound, without changing anything.
enum ServerChecks {
    /// `server`: the one that runs with these settings.
    static func dataDirectory(_ path: String, _ server: ServerClient?) -> Finding {
        let name = "data directory"
        guard access(path, F_OK) == 0 else {
            let above = nearest(path)
            guard access(above, W_OK | X_OK) == 0 else {
                return .problem(
                    name, "\(path) does not exist and cannot be created in \(above): \(reason())",
                    ["name another one with --data DIR"])
            }
            return .ok(name, "\(path) will be created at the first start")
        }
        guard Resources.isDirectory(path) else {
            return .problem(name, "\(path) is not a directory", ["name another one with --data DIR"])
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            return .problem(
                name, "\(path) cannot be written by user \(geteuid()): \(reason())",
                ["make it writable (chown \(geteuid()) \(path)) or name another one with --data DIR"])
        }
        guard isLocked(path + "/state.lock", O_RDWR) || isLocked(path, O_RDONLY | O_DIRECTORY) else {
            return .ok(name, path)
        }
        let detail = "\(path) is in use by a running server"
        return server == nil ? .note(name, detail, "a second server needs its own: --data DIR") : .ok(name, detail)
    }

    static func music(_ directories: [String]) -> [Finding] {
        guard !directories.isEmpty else {
            return [
                .note("music", "no directory is given: there would be nothing to play", "give one with --music DIR")
            ]
        }
        return directories.map { path in
            guard let directory = opendir(path) else {
                return .problem(
                    "music", "\(path) cannot be read: \(reason())",
                    ["check the path, that it is mounted, and its permissions for user \(geteuid())"])
            }
            defer { closedir(directory) }
            var count = 0
            while let entry = readdir(directory) {
                let isHidden = withUnsafeBytes(of: &entry.pointee.d_name) { $0.first == UInt8(ascii: ".") }
                if !isHidden { count += 1 }
            }
            guard count > 0 else {
                return .note("music", "\(path) is empty", "put music there or name another directory")
            }
            return .ok("music", "\(path), \(count) \(count == 1 ? "entry" : "entries")")
        }
    }

    static func port(_ settings: ServerConfiguration, _ server: ServerClient?) -> Finding {
        do throws(ListenError) {
            let log = Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }
            try FrontDoor(host: settings.host, port: settings.port, log: log, handOver: { _ in }).close()
            return .ok("port", settings.port == 0 ? "any free one" : "\(settings.host):\(settings.port) is free")
        } catch {
            guard case .addressInUse = error else {
                return .problem("port", "\(error)", ["choose another --host or --port"])
            }
            if let server { return .ok("port", "the server at \(server.address) uses it") }
            return .problem("port", "\(error)", ["choose another one with --port, or end the program there"])
        }
    }

    /// MPEG audio plays without the worker.
    static func mediaWorker(_ settings: ServerConfiguration) -> Finding {
        let name = "media worker"
        switch MediaWorkers.find(settings.mediaWorker) {
        case .failure(let missing):
            return .note(
                name, "missing (\(missing.reason)): only MPEG audio plays",
                "install tonearm-media-worker beside this program, or name it with --media-worker FILE")
        case .success(let path):
            if let problem = MediaWorkers.trySandbox(path) {
                return .note(name, "\(path) \(problem): only MPEG audio plays", "see docs/media-worker.md, “Sandbox”")
            }
            return .ok(name, "\(path), its sandbox works")
        }
    }

    static func page(_ settings: ServerConfiguration) -> Finding {
        do {
            let resources = try Resources(publicDirectory: settings.publicDirectory)
            return .ok("page and contracts", "page in \(resources.publicDirectory), contracts beside it")
        } catch {
            return .problem("page and contracts", "\(error)", ["install them beside the program, or use --public DIR"])
        }
    }

    /// The server that runs at the address of the settings, with a token if those say that this machine needs one.
    static func running(_ settings: ServerConfiguration) -> ServerClient? {
        let environment = ["TONEARM_HOST": settings.host, "TONEARM_PORT": String(settings.port)]
        struct Health: Decodable { var status: String }
        do {
            let address = try ServerAddress.find(nil, environment)
            let health: Health = try ServerClient(address: address, token: nil).ask(.get, "/healthz", patience: 2)
            return health.status == "alive" ? ServerClient(address: address, token: token(settings)) : nil
        } catch {
            // No server, or a program that is not Tonearm.
            return nil
        }
    }

    /// A program of another user gets none.
    private static func token(_ settings: ServerConfiguration) -> String? {
        let needsToken = settings.anonymous == .nobody || (settings.anonymous == .loopback && !settings.isLoopback)
        guard needsToken, !LocalNetwork.listeners(on: settings.port).isEmpty else { return nil }
        do {
            return try AccessTokens.read(settings.tokenPath).highest
        } catch {
            // `clientAccess` reports it.
            return nil
        }
    }

    /// The output of a running server, which may use another sound server than this terminal; nil if it has none.
    static func output(of server: ServerClient) -> [Finding]? {
        struct Readiness: Decodable { var output: String }
        do {
            let readiness: Readiness = try server.ask(.get, "/readyz")
            guard readiness.output == "available" else { return nil }
        } catch {
            // The server is not ready.
            return nil
        }
        var use = "has an output"
        var silent: [Finding] = []
        do {
            let answer: OutputsCommand.Answer = try server.ask(.get, "outputs")
            let outputs = answer.outputs
            let current = outputs.first(where: \.current)
            if let current { use = "plays on “\(current.description)” (id \(current.id))" }
            if current?.id == "file" {
                silent = [.note("output", "the sound is written to the file; nobody hears it")]
            } else if outputs.allSatisfy({ $0.bus == nil && $0.ports.isEmpty }) {
                silent = [SoundAdvice.noSoundCard(outputs.map(\.description))]
            }
        } catch {
            // The list needs a token.
        }
        return [.ok("output", "the server at \(server.address) \(use)")] + silent + silence(of: server)
    }

    /// `worksHere`: the sound server of this terminal works.
    static func noOutput(of server: ServerClient, worksHere: Bool) -> Finding {
        .note(
            "output",
            "the server at \(server.address) reports no output; the sound server of this terminal is checked instead",
            "see the server's log"
                + (worksHere ? "; start the server with the PULSE_SERVER and the user of this terminal" : ""))
    }

    /// Reasons why the player `main` of a running server refuses to play, or is silent.
    static func silence(of server: ServerClient) -> [Finding] {
        do {
            return try silence(server.ask(.get, "player"), server.ask(.get, "session"))
        } catch {
            return [
                .note(
                    "player", "the server at \(server.address) does not show its state",
                    "if it needs a token, name its file with --token-file FILE")
            ]
        }
    }

    static func silence(_ player: PlayerState, _ session: SessionCommand.Answer) -> [Finding] {
        let category = session.category
        let playback = "tonearm session --category playback"
        var findings: [Finding] = []
        if !category.playsSound {
            findings.append(.problem("session", "its category \(category.rawValue) plays nothing", [playback]))
        }
        if session.silentSwitch, category.followsSilentSwitch {
            findings.append(.note("session", "the silent switch is on, and silences \(category.rawValue)", playback))
        }
        if player.status == "interrupted", player.reason == "interruption" {
            findings.append(.note("player", "the music is interrupted", "tonearm play"))
        }
        if player.muted { findings.append(.note("volume", "the player is muted", "tonearm unmute")) }
        if player.level == 0 { findings.append(.note("volume", "the volume is 0", "tonearm volume 50")) }
        return findings
    }

    private static func isLocked(_ path: String, _ flags: Int32) -> Bool {
        let descriptor = open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        // Also releases the lock if it was free.
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    private static func nearest(_ path: String) -> String {
        var path = path[...]
        while let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex {
            path = path[..<slash]
            if access(String(path), F_OK) == 0 { return String(path) }
        }
        return path.hasPrefix("/") ? "/" : "."
    }

    private static func reason() -> String { String(cString: strerror(errno)) }

    static func clientAccess(_ settings: ServerConfiguration) -> Finding {
        let name = "access"
        if settings.tokenFile != nil || !settings.isAnonymous, access(settings.tokenPath, F_OK) == 0 {
            do {
                _ = try AccessTokens.read(settings.tokenPath)
            } catch {
                return .problem(name, "\(error)", ["correct the file, or name another one with --token-file FILE"])
            }
        }
        switch settings.anonymous {
        case .everyone:
            return .note(
                name, "anybody who reaches the port has full control (--anonymous)",
                "remove --anonymous; tonearm link then prints the link with a token")
        case .nobody: return .ok(name, "a token is needed everywhere; tonearm link prints the link with it")
        case .loopback where settings.isLoopback:
            return .ok(
                name,
                "open to this machine; requests through a proxy need a token (tonearm link). If the proxy adds no header "
                    + "about itself, use --token-file FILE, or --socket PATH and a separate user")
        case .loopback:
            return .ok(name, "open to this machine; other machines need a token (tonearm link)")
        }
    }
}
