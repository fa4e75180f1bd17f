// SPDX-License-Identifier: Apache-2.0

import Glibc

extension ServerClient {
    /// Seconds. The server answers within one, even while the item is still opening.
    private static let openingLimit = 30.0

    /// `POST /player/NAME` for commands that start an item: prints the item that plays, fails when it has failed.
    func start(_ name: String) throws {
        let state = try settled(ask(.post, "player/\(name)"))
        try state.checkSound()
        Console.output(state.line)
    }

    /// `POST /player/seek`. The new position counts during an interruption too.
    func seek(_ body: RequestBody?) throws {
        let state = try settled(ask(.post, "player/seek", body))
        try state.checkFailure()
        Console.output(state.line)
    }

    /// `POST /player/NAME` for commands that end sound: a failed item does not matter.
    func silence(_ name: String, _ body: RequestBody? = nil) throws {
        let state: PlayerState = try ask(.post, "player/\(name)", body)
        Console.output(state.line)
    }

    /// `POST /player/play`. `id`: the requested item; another one that plays in its place is a failure.
    func play(_ body: RequestBody, named id: String?) throws {
        // `play` clears an older error: one that is present belongs to this command.
        try printStart(settled(ask(.post, "player/play", body)), wanted: id.map { [$0] })
    }

    /// Adds items at the end of the queue and plays the first of them.
    func play(_ items: [MediaArgument]) throws {
        struct Added: Decodable { var ids: [String] }
        let added: Added = try add(["items": items, "play": true])
        guard !added.ids.isEmpty else { throw Failure("There is no music in it: nothing was added.") }
        try printStart(settled(ask(.get, "player")), wanted: added.ids)
    }

    /// `POST /playlists/ID/play`, which replaces the queue.
    func play(playlist path: String) throws {
        try send(.post, path + "/play")
        try printStart(settled(ask(.get, "player")), wanted: nil)
    }

    /// `check`: the server rejects unplayable items, so that they do not end what plays.
    func add<Added: Decodable>(_ body: RequestBody) throws -> Added {
        try ask(.post, "queue/items", body + ["check": true], patience: Self.addingTimeout)
    }

    /// An error is a failure if none of the `wanted` items plays, else a notice. nil: any item will do.
    private func printStart(_ state: PlayerState, wanted: [String]?) throws {
        try state.checkSound()
        if let error = state.error {
            func isWanted(_ id: String?) -> Bool { id.map { wanted?.contains($0) ?? true } ?? false }
            guard isWanted(state.item?.id) else {
                throw Failure(
                    isWanted(error.itemId)
                        ? error.message : "It cannot be played; another item plays: \(error.message)")
            }
            Console.complain("tonearm: \(error.message)")
        }
        Console.output(state.line)
    }

    private func settled(_ state: PlayerState) throws -> PlayerState {
        var state = state
        var waited = 0.0
        while state.status == "loading", waited < Self.openingLimit {
            usleep(100_000)
            waited += 0.1
            state = try ask(.get, "player")
        }
        return state
    }
}

extension PlayerState {
    func checkFailure() throws {
        guard status == "failed" else { return }
        throw Failure(error?.message ?? "The item cannot be played.")
    }

    /// For commands that start sound: an interrupted player is silent too.
    func checkSound() throws {
        try checkFailure()
        guard status == "interrupted" else { return }
        let cause = output.message ?? error.flatMap { $0.itemId == nil ? $0.message : nil }
        throw Failure("No sound: interrupted" + (reason.map { " (\($0))" } ?? "") + (cause.map { ": \($0)" } ?? "."))
    }
}
