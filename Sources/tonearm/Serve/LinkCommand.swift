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
        let (port, token) = (try port(settings), try token(settings))
        let host = isReachable(settings, port, token) ? "0.0.0.0" : settings.host
        Console.output(PageLinks(host: host, port: port, token: token).main)
    }

    /// Whether a running server with this token listens on the network, although the settings here name loopback.
    private func isReachable(_ settings: ServerConfiguration, _ port: UInt16, _ token: String?) -> Bool {
        struct Server: Decodable { var id: String }
        guard settings.isLoopback, let address = LocalNetwork.address() else { return false }
        do {
            let server = try ServerAddress("http://\(address):\(port)", source: "host")
            _ = try ServerClient(address: server, token: token).get(Server.self, "/api/v1/server")
            return true
        } catch {
            // None, or another one.
            return false
        }
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
