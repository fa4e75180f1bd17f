// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A command to a running server.
protocol ClientCommand: ParsableCommand {
    var options: ClientOptions { get }

    func run(_ client: ServerClient) throws
}

extension ClientCommand {
    func run() throws { try run(options.client()) }

    /// Refuses a number outside its range.
    func check(_ option: String, _ value: Double?, _ range: ClosedRange<Int>) throws {
        guard let value, !(Double(range.lowerBound)...Double(range.upperBound)).contains(value) else { return }
        throw ValidationError("\(option) must lie in \(range.lowerBound) to \(range.upperBound).")
    }
}

/// A command that prints an answer of the server: for people, or with `--json` as it came.
protocol ShowingCommand: ClientCommand {
    associatedtype Answer: Decodable

    var json: Bool { get }

    func ask(_ client: ServerClient) throws -> [UInt8]
    func show(_ answer: Answer) throws
}

extension ShowingCommand {
    func run(_ client: ServerClient) throws {
        let bytes = try ask(client)
        if json { return Console.output(json: bytes) }
        try show(client.decode(Answer.self, bytes))
    }
}

enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }
