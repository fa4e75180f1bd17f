// SPDX-License-Identifier: Apache-2.0

import Glibc

extension ServerClient {
    /// The server answers a command within a second even if the item still opens; so long its outcome is waited for.
    private static let openingLimit = 30.0

    /// `POST /player/NAME` for what leads to an item that plays; prints what plays now, fails when the item has failed.
    func command(_ name: String, _ body: RequestBody? = nil) throws {
        let state = try settled(post(name, body))
        try state.checkFailure()
        Console.output(state.line)
    }

    /// `POST /player/NAME` for what ends sound: it is done whatever became of the item.
    func silence(_ name: String, _ body: RequestBody? = nil) throws {
        Console.output(try post(name, body).line)
    }

    /// `POST /player/play`. `named`: the item that was asked for, so that another one playing in its place is a failure.
    func play(_ body: RequestBody, named id: String?) throws {
        // `play` takes an older error back: one that is there is its own.
        try printStart(settled(post("play", body)), wanted: id.map { [$0] })
    }

    /// Adds at the end of the queue and plays the first of it.
    func play(_ items: [MediaArgument]) throws {
        struct Added: Decodable { var ids: [String] }
        let ids = try add(Added.self, ["items": items, "play": true, "check": true]).ids
        try printStart(settled(get(PlayerState.self, PlayerState.path)), wanted: ids)
    }

    /// What cannot be played should be refused (`check`): it must not end what plays.
    func add<Added: Decodable>(_ type: Added.Type, _ body: RequestBody) throws -> Added {
        try decode(type, send(.post, "\(QueuePage.path)/items", body, patience: Self.addingTimeout))
    }

    /// An error is a failure when none of the `wanted` items plays, else a notice; nil when any item will do.
    private func printStart(_ state: PlayerState, wanted: [String]?) throws {
        try state.checkFailure()
        if let error = state.error {
            let plays = state.item.map { wanted?.contains($0.id) ?? true } == true
            guard plays else {
                let isOfWanted = error.itemId.map { wanted?.contains($0) ?? true } == true
                throw Failure(isOfWanted ? error.message : "It cannot be played; another item plays: \(error.message)")
            }
            Console.complain("tonearm: \(error.message)")
        }
        Console.output(state.line)
    }

    private func post(_ name: String, _ body: RequestBody?) throws -> PlayerState {
        try decode(PlayerState.self, send(.post, "\(PlayerState.path)/\(name)", body))
    }

    private func settled(_ state: PlayerState) throws -> PlayerState {
        var state = state
        var waited = 0.0
        while state.status == "loading", waited < Self.openingLimit {
            usleep(100_000)
            waited += 0.1
            state = try get(PlayerState.self, PlayerState.path)
        }
        return state
    }
}

extension PlayerState {
    func checkFailure() throws {
        guard status == "failed" else { return }
        throw Failure(error?.message ?? "The item cannot be played.")
    }
}
