// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import Kernel

struct LinkCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        "link", "Prints the link of the page, with its token.",
        discussion: """
            Takes the same settings as tonearm serve, from flags, environment and file, and reads the token file. Run it as \
            the user of the server: in a container, docker compose exec tonearm tonearm link.
            """)

    @OptionGroup var options: ServeOptions

    /// The command line, for a shell, that prints the link of a server with these settings. `port`: the bound one.
    static func line(_ program: String, _ settings: ServerConfiguration, port: UInt16) -> String {
        let flags = settings.linkFlags.flatMap { ["--" + $0.name, $0.name == "port" ? String(port) : $0.value] }
        return ([program, _commandName] + flags).map(quoted).joined(separator: " ")
    }

    /// A word of a shell's command line (POSIX, XCU 2.2.2).
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { PercentEncoding.isAlphanumeric($0) || "-_./:@%+=,".utf8.contains($0) }
        return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }

    func run() throws {
        let settings = try ServerConfiguration(options, environment: ProcessInfo.processInfo.environment)
        let port = try port(settings)
        let listening = LocalNetwork.listeners(on: port)
        let isEverywhere = listening.contains { $0.allSatisfy { $0 == "0" } }
        let host = settings.isLoopback && isEverywhere ? "0.0.0.0" : settings.host
        let token = try token(settings)
        Console.output(PageLinks(host: host, port: port, token: token).main)
        if token != nil { AccessTokens.noteShown(settings.tokenPath) }
        if listening.isEmpty {
            Console.complain("tonearm: found no server of this user on port \(port); the link works while one runs.")
        }
    }

    private func token(_ settings: ServerConfiguration) throws -> String? {
        if settings.isAnonymous, settings.tokenFile == nil { return nil }
        guard access(settings.tokenPath, F_OK) == 0 else {
            throw Failure(
                "\(settings.tokenPath) does not exist: the first start of tonearm serve creates it; or give the "
                    + "server's --data.", .unavailable)
        }
        return try AccessTokens.read(settings.tokenPath).highest
    }

    private func port(_ settings: ServerConfiguration) throws -> UInt16 {
        guard settings.port == 0 else { return settings.port }
        guard let path = settings.portFile else {
            throw Failure.configuration("port: 0 is any port; give the bound one, or the server's --port-file.")
        }
        let text = String(decoding: try ConfigurationFile.read(path, setting: "port-file"), as: UTF8.self)
        guard let port = UInt16(text.prefix { !$0.isNewline }) else {
            throw Failure.configuration("port-file: \(path) contains no port")
        }
        return port
    }
}
