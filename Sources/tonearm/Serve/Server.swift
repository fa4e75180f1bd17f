// SPDX-License-Identifier: Apache-2.0

import Announcing
import CurlTransport
import Deciphering
import FoundationEssentials
import FrontDoor
import Glibc
import HTTP
import Library
import Logging
import Logind
import Media
import MediaWorkerClient
import MicrohttpdServer
import Mpg123Decoding
import Playback
import RangeCache
import Recording
import RemoteAPI
import Session
import Resampling
import StaticSite
import Threading
import WebsocketServer
import XMLScanning

/// Everything that runs, wired together; no decisions of its own.
final class Server {
    let links: PageLinks
    private let player: Player
    private let api: RemoteAPI
    private let door: FrontDoor
    private let http: MicrohttpdServer
    private let webSockets: WebsocketServer
    private let store: StateStore
    private let library: LocalMusicLibrary?
    private let network: CurlTransport?
    private let surfaces: Surfaces
    private let recorder: Recorder?
    private let streams: StreamRecorder?
    private let cache: RangeCache?
    private let session: LiveSession
    private let players: ServerPlayers
    private let logind: LogindService?
    private let announcer: Announcer
    private let playlists: PlaylistStore

    init(_ configuration: ServerConfiguration, log: Logger) throws {
        let resources = try Resources(publicDirectory: configuration.publicDirectory)
        let tokens = try Self.tokens(configuration)
        let descriptors = DescriptorLimit.raise(toAtLeast: ConnectionLimits().total + Self.reservedDescriptors)

        let roots = MusicRoots(configuration.music)
        let workers = MediaWorkers(MediaWorkers.find(configuration.mediaWorker), limits: Self.workerLimits)
        let factories: [any DecoderFactory] = [Mpg123DecoderFactory(), MediaWorkerFactory(workers)]
        let examiner = MediaExaminer(factories: factories)
        let recordings = try Self.recordings(configuration, examiner)
        // What was recorded can be played; it is not music that is browsed and scanned.
        let playable = recordings.map { MusicRoots(configuration.music + [$0.root]) } ?? roots
        let files = LocalMediaOpener(roots: playable, factories: factories)
        network = Self.network(configuration)
        cache = try Self.cache(configuration, log)
        let opener = NetworkMediaOpener(
            transport: network, limits: configuration.networkLimits, cache: cache, cipher: OpenSSLCipher(),
            factories: factories, local: files)
        store = try Self.store(configuration.data, log)
        let clock = SystemClock()
        let output = Self.output(configuration)
        let environment = { @Sendable (output: any AudioOutput, store: any PlayerStore, streams: OpenStreams?) in
            var own = opener
            own.streams = streams
            var environment = Player.Environment(
                opener: own, output: output, conversion: SoxrConversion(), store: store,
                clock: clock, buffering: configuration.buffering)
            environment.networkBuffering = configuration.networkBuffering
            return environment
        }
        let keeper = NamedStore(store, PlayerDirectories.Beginning(name: "main"))
        let sources = PlayerStreams()
        let player = Player(environment(output, keeper, sources.streams(of: "main")))
        sources.join("main", player)
        self.player = player
        let group = PlayerGroup()
        group.join("main") { command, done in player.perform(command) { _ in done() } }
        session = Self.session(group, output, keeper, configuration)
        let announcers = Self.announcers(
            environment(output, keeper, nil), session, configuration,
            check: WaitingCheck(roots: playable, examiner: examiner))
        announcer = announcers("main", player)
        streams = Self.streamRecorder(recordings, sources)
        let following = Following(log: log)
        following.join("main", player)
        players = ServerPlayers(
            ServerPlayers.Parts(
                environment: {
                    environment(Self.output(configuration, player: $0), $1, sources.streams(of: $0))
                },
                main: player, announcer: announcers, session: session, group: group, following: following,
                sources: sources, streams: streams,
                directories: PlayerDirectories(data: configuration.data, logger: log), log: log))

        library = try Self.library(configuration, roots, examiner, log)
        let catalogue = LocalMusicCatalogue(
            roots: roots, playable: playable, opener: files, examiner: examiner,
            lists: MediaListReader(roots: roots, transport: network, scanner: ExpatScanner()),
            pictures: WebPictures(transport: network))
        surfaces = Surfaces(configuration, player, catalogue, log)
        var settings = RemoteAPI.Configuration(
            player: player, clock: clock, media: catalogue,
            site: try Self.site(resources), epoch: Self.epoch(clock), serverVersion: ServerVersion.text)
        settings.access = Self.access(configuration, tokens)
        settings.log = log
        settings.library = library
        settings.renditions = LocalRenditions(roots: playable, opener: files, workers: workers)
        settings.session = session
        settings.roster = players
        playlists = try Self.playlists(configuration, log)
        settings.playlists = playlists
        recorder = Self.recorder(recordings, player, session, log)
        settings.recorder = recorder
        settings.streams = streams
        settings.announcer = announcer
        settings.cache = cache
        settings.openAPI = resources.openAPI
        settings.asyncAPI = resources.asyncAPI
        let api = RemoteAPI(settings)
        self.api = api
        let session = session
        announcer.obey(SessionRules(besideMusic: session.status))
        session.observe { [recorder, announcer, players] status in
            api.observe(status)
            announcer.obey(SessionRules(besideMusic: status))
            players.sessionChanged(status)
            recorder?.permissionChanged()
        }
        let sound = OutputWatch(log: log)
        sound.receive(player.snapshot.output)
        player.observe { [surfaces, streams] event in
            api.observe(event)
            if case .output(let output) = event.kind { sound.receive(output) }
            if case .interruption(isBeginning: false, .timeout, _) = event.kind { group.forgetClients() }
            streams?.receive(event, of: "main")
            session.receive(event, of: "main")
            following.receive(event, of: "main")
            surfaces.observe(event)
        }
        session.receive(player.snapshot, of: "main")
        players.restore(into: api)
        surfaces.start()
        logind = Self.logind(configuration, session, log)
        library?.observe { api.observe($0) }
        recorder?.observe { api.observe($0) }
        streams?.observe { api.observe($1, of: $0) }
        cache?.observe { api.observe($0) }

        let webSockets = try Self.start { try WebsocketServer(application: api.webSockets, log: log) }
        let http = try Self.start { try MicrohttpdServer(log: log, responder: api, upgrader: webSockets) }
        self.http = http
        self.webSockets = webSockets
        door = try Self.listen(configuration, Self.limits(descriptors), log, http, webSockets)
        links = PageLinks(
            host: configuration.host, port: door.port, token: Self.linkToken(configuration, tokens))
        if let path = configuration.portFile { try Self.publish(door.port, path) }
    }

    /// Fades out, saves, closes every socket; within 2 s. What hangs holds up nothing but itself, and above all no player on its
    /// way to the disk.
    func stop() {
        let start = MonotonicTime.now
        door.close()
        var parts = PartsEnding()
        // These end through the players: what was taken from other programs goes back over main's output, what is saved of a
        // stream has its end from its source, and the end of an announcement is told by its player. They have a moment for it.
        parts.begin { [session] in session.stop() }
        if let streams { parts.begin { streams.shutdown() } }
        parts.begin { [announcer] in announcer.endSounds() }
        players.endSounds(&parts)
        parts.wait(until: start.advanced(bySeconds: 0.2))
        parts.begin { [player, store] in
            player.shutdown()
            store.close()
        }
        players.beginEnd(&parts)
        parts.begin { [announcer] in announcer.shutdown() }
        if let recorder { parts.begin { recorder.shutdown() } }
        parts.begin { [surfaces] in surfaces.stop() }
        if let logind { parts.begin { logind.stop() } }
        parts.wait(until: start.advanced(bySeconds: 1.4))
        // Clients have heard of all that.
        api.shutdown()
        webSockets.stop()
        http.stop()
        if let library { parts.begin { library.close() } }
        parts.begin { [playlists] in playlists.close() }
        if let network { parts.begin { network.stop() } }
        if let cache { parts.begin { cache.stop() } }
        // Beyond what `EndInTime` allows: what hangs until then is left behind, and that is said.
        parts.wait(until: start.advanced(bySeconds: 1.9))
    }

    private static func network(_ configuration: ServerConfiguration) -> CurlTransport? {
        guard configuration.usesNetwork else { return nil }
        return CurlTransport(
            CurlTransport.Configuration(
                userAgent: "Tonearm/\(ServerVersion.text)", authorities: configuration.certificateAuthorities))
    }

    private static func store(_ directory: String, _ log: Logger) throws -> StateStore {
        do throws(StateStoreError) {
            return try StateStore(directory: directory, logger: log)
        } catch {
            switch error {
            case .inUse: throw Failure("\(error); give this one its own with --data DIR.", .unavailable)
            case .unusable: throw Failure("data: \(error); name another directory with --data DIR.", .cannotCreate)
            }
        }
    }

    /// Their libraries fail at the start for no other reason; the log has their words.
    private static func start<Part>(_ make: () throws -> Part) throws -> Part {
        do {
            return try make()
        } catch {
            throw Failure(
                "cannot start: no threads, descriptors or memory are left; raise the limit (ulimit, TasksMax, pids_limit).",
                .unavailable)
        }
    }

    private static func listen(
        _ configuration: ServerConfiguration, _ limits: ConnectionLimits, _ log: Logger, _ http: MicrohttpdServer,
        _ webSockets: WebsocketServer
    ) throws -> FrontDoor {
        do throws(ListenError) {
            return try FrontDoor(
                host: configuration.host, port: configuration.port, socket: configuration.socket, limits: limits,
                log: log,
                plain: { http.adopt($0) }, upgrade: { webSockets.adopt($0) })
        } catch {
            let advice =
                if case .addressInUse = error { "; choose another port with --port, or end that process." } else { "." }
            throw Failure("cannot listen: \(error)\(advice)", .unavailable)
        }
    }

    /// What is played now and then, as a doorbell is, is heard at once for ten minutes after the last time.
    private static var workerLimits: WorkerLimits {
        var limits = WorkerLimits()
        limits.spare = 600
        return limits
    }

    /// For files, pipes and the libraries: clients must not take the music's.
    private static let reservedDescriptors = 1_024
    /// What it takes with no client at all, files that play included.
    private static let neededDescriptors = 56

    private static func limits(_ descriptors: Int) -> ConnectionLimits {
        var limits = ConnectionLimits()
        let reserved = min(reservedDescriptors, max(neededDescriptors, descriptors / 2))
        limits.total = max(4, min(limits.total, descriptors - reserved))
        return limits
    }

    private static func site(_ resources: Resources) throws -> any HTTPResponder {
        guard let files = StaticFiles(directory: resources.publicDirectory) else {
            throw Failure.configuration("public: \(resources.publicDirectory) cannot be opened")
        }
        return Site(files: files)
    }

    private static func epoch(_ clock: SystemClock) -> String {
        String(clock.wallMilliseconds, radix: 36) + "-" + String(getpid(), radix: 36)
    }

    /// Whole or not at all: a reader never sees half a number.
    private static func publish(_ port: UInt16, _ path: String) throws {
        let partial = path + ".partial"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw Failure("port-file: cannot write \(path): \(String(cString: strerror(errno)))", .cannotCreate)
        }
        defer { close(descriptor) }
        let text = "\(port)\n"
        guard write(descriptor, text, text.utf8.count) == text.utf8.count, rename(partial, path) == 0 else {
            throw Failure("port-file: cannot write \(path): \(String(cString: strerror(errno)))", .cannotCreate)
        }
    }
}
