// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc

struct LinkCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        "link", "Prints the link of the page, with its token.",
        discussion: """
            Takes the same settings as tonearm serve, from flags, environment and file, and reads the token file. Run it as \
            the user of the server: in a container, docker compose exec tonearm tonearm link.
            """)

    @OptionGroup var options: ServeOptions

    func run() throws {
        let settings = try ServerConfiguration(options, environment: ProcessInfo.processInfo.environment)
        Console.output(PageLinks(host: settings.host, port: try port(settings), token: try token(settings)).main)
    }

    private func token(_ settings: ServerConfiguration) throws -> String? {
        if settings.isAnonymous, settings.tokenFile == nil { return nil }
        guard access(settings.tokenPath, F_OK) == 0 else {
            throw Failure(
                "\(settings.tokenPath) does not exist: the first start of tonearm serve creates it; or give the "
                    + "server's --data.", .unavailable)
        }
        return AccessTokens(tokens: try AccessTokens.read(settings.tokenPath)).highest
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
