// SPDX-License-Identifier: Apache-2.0

import Playback

/// Runs the resolver where it may wait: web addresses have threads of their own, so that nobody who adds a file waits for a
/// server.
struct QueueItemExpansion: Sendable {
    let services: Services

    func resolve(
        _ items: [ItemRequest], _ rules: AddingRules, for client: APIClient, _ reply: @escaping Reply,
        then use: @escaping @Sendable (ResolvedItems) throws(Problem) -> Void
    ) throws(Problem) {
        try resolve(items, rules, for: client, refuse: { reply($0.response) }, then: use)
    }

    func resolve(
        _ items: [ItemRequest], _ rules: AddingRules, for client: APIClient,
        refuse: @escaping @Sendable (Problem) -> Void,
        then use: @escaping @Sendable (ResolvedItems) throws(Problem) -> Void
    ) throws(Problem) {
        let resolver = services.resolver
        let resolve = { @Sendable (cancellation: MediaCancellation) throws(Problem) -> ResolvedItems in
            do throws(ItemFault) {
                return try resolver.resolve(items, rules, cancellation)
            } catch {
                throw Problem(error)
            }
        }
        let servers = resolver.asksServers(for: items, rules)
        guard !servers.isEmpty || items.contains(where: resolver.readsFiles) else {
            return try use(try resolve(MediaCancellation()))
        }
        let (worker, shares) =
            servers.isEmpty
            ? (services.mediaWorker, []) : (services.listWorker, services.shares(ofServersOf: servers))
        try services.openMedia(for: client, on: worker, shares: shares, refuse: refuse) {
            cancellation throws(Problem) in
            try resolve(cancellation)
        } use: { resolved throws(Problem) in
            try use(resolved)
        }
    }
}

extension Services {
    var resolver: ItemResolver {
        ItemResolver(media: media, library: library, playlists: playlists, cache: cache)
    }

    /// No server, however slow, takes more than a part of the threads that ask servers.
    func shares(ofServersOf addresses: some Sequence<String>) -> [JobShare] {
        // One request with more servers than threads counts for the first of them.
        Set(addresses.map { media.server(of: $0) }).prefix(16).map { server in
            JobShare(name: "server \(server)", running: RemoteAPI.jobsOfOneServer, waiting: 16)
        }
    }
}
