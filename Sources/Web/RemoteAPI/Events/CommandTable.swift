// SPDX-License-Identifier: Apache-2.0

import Service

/// The commands of the event channel, by name.
struct CommandTable: Sendable {
    let names: [String]
    private let commands: [String: (scope: AccessScope, perform: Command.Handler)]

    init(_ routes: [Route]) {
        let named = routes.compactMap { route in route.command.map { ($0.name, (route.scope ?? .read, $0.perform)) } }
        names = named.map(\.0)
        commands = Dictionary(uniqueKeysWithValues: named)
    }

    func command(_ name: String, scope: AccessScope) throws(Problem) -> Command.Handler {
        guard let command = commands[name] else {
            let known = names.joined(separator: ", ")
            throw .invalid("command", "\(name.prefix(40)) is not a command; there are: \(known).")
        }
        guard scope >= command.scope else { throw .scopeMissing(command.scope) }
        return command.perform
    }
}
