// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

/// A call of a verb that both REST and the event channel offer.
struct Command: Sendable {
    /// Reads the members, calls the verb and replies with JSON, at once or later, from any thread. A thrown problem is
    /// the reply.
    typealias Handler = @Sendable (Command, @escaping Reply) throws(Problem) -> Void

    var body: JSONBody
    var caller: Caller
    /// The entity tags of `If-Match`; empty if the caller expects no particular version.
    var expectedTags: [String] = []
}

extension Route {
    /// A route that is also a command of the event channel.
    static func command(
        _ name: String, _ method: HTTPMethod, _ pattern: String, largestBody: Int = smallBody,
        precondition: Precondition? = nil, _ perform: @escaping Command.Handler
    ) -> Route {
        var route = write(method, pattern, largestBody: largestBody) { call, reply throws(Problem) in
            try perform(call.command, reply)
        }
        route.precondition = precondition
        route.command = (name, perform)
        return route
    }
}

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
