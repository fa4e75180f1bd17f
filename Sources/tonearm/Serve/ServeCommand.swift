// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import Logging
import Kernel

struct ServeCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        "serve", "Plays music and answers clients.",
        discussion: """
            tonearm serve --music ~/Music                   for this machine alone
            tonearm serve --music ~/Music --host 0.0.0.0    for the network, with a token

            Each flag is also an environment variable (--token-file is TONEARM_TOKEN_FILE) and a name in the file given \
            with --config. A flag overrides the environment, and the environment overrides the file.
            """)

    @OptionGroup var options: ServeOptions

    func run() throws {
        let configuration = try ServerConfiguration(options, environment: ProcessInfo.processInfo.environment)
        var log = Logger(label: "tonearm") { SentenceFirst(.standardError(label: $0)) }
        log.logLevel = configuration.logLevel
        CrashLine.install()
        Signals.block()
        let server = try Server(configuration, log: log)
        for directory in configuration.music where access(directory + "/.", R_OK | X_OK) != 0 {
            log.warning(
                "this music folder cannot be read now; the server tries again at each use",
                metadata: ["directory": "\(directory)", "reason": "\(String(cString: strerror(errno)))"])
        }
        // For people and scripts; everything else goes to the log.
        Console.output("Tonearm is ready at \(server.links.main)")
        if server.links.hasToken { AccessTokens.noteShown(configuration.tokenPath) }
        if let (name, link) = server.links.named {
            // On its own thread: a resolver may take seconds to fail.
            NamedThread(ifPossible: "resolver") { if LocalNetwork.resolves(name) { Console.output("and at \(link)") } }?
                .detach()
        }
        if !server.links.hasToken, configuration.anonymous != .everyone,
            configuration.anonymous == .nobody || !configuration.isLoopback
        {
            let line = LinkCommand.line(CommandLine.arguments[0], configuration, port: server.port)
            Console.output("A token is needed. This prints the link with it: \(line)")
        }
        if configuration.music.isEmpty {
            log.warning("no music folder was given: nothing can be played (--music DIR)")
        }
        ProgramPages.giveBack()
        let signal = Signals.awaitEnd()
        log.info("ending", metadata: ["signal": "\(signal)"])
        Signals.endAtOnce(on: signal)
        let limit = EndInTime(seconds: 1.8) { [log] in
            log.warning("a part of the server hangs: the shutdown is incomplete")
            // All answered changes are saved.
            _exit(0)
        }
        server.stop()
        limit.ended()
    }
}
