// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

/// A call of a verb that REST and the event channel offer alike: JSON in.
struct Command: Sendable {
    /// Reads the members, calls the verb, writes the result; at once or later, from any thread. A thrown problem is the result.
    typealias Handler = @Sendable (Command, @escaping ServiceReply<Outcome>) throws(Problem) -> Void

    var body: JSONBody
    var caller: Caller
    /// The entity tags that the caller has seen (`If-Match`); empty: any.
    var seen: [String] = []
}

/// The result of a command: JSON out.
struct Outcome: Sendable {
    var status: Int
    var json: [UInt8]
    /// Of the HTTP response: entity tag, location.
    var headers: [(String, String)]

    init(_ json: [UInt8], status: Int = 200, _ headers: [(String, String)] = []) {
        self.status = status
        self.json = json
        self.headers = headers
    }
}

extension HTTPResponse {
    static func json(_ outcome: Outcome) -> HTTPResponse {
        .json(outcome.json, status: outcome.status, outcome.headers)
    }
}

extension Route {
    /// A route that is also a command of the event channel.
    static func command(
        _ name: String, _ method: HTTPMethod, _ pattern: String, largestBody: Int = smallBody,
        precondition: Precondition? = nil, _ perform: @escaping Command.Handler
    ) -> Route {
        var route = Route(
            method: method, pattern: pattern, scope: .control, largestBody: largestBody, precondition: precondition
        ) { call, reply throws(Problem) in
            try perform(call.command, answering(reply) { .json($0) })
        }
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
