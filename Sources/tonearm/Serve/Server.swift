// SPDX-License-Identifier: Apache-2.0

import Service
import LoadedLibraries
import FoundationEssentials
import FrontDoor
import Glibc
import HTTP
import Store
import Logging
import Desktop
import Media
import MicrohttpdServer
import Mpg123Decoding
import Playback
import RemoteAPI
import StaticSite
import Kernel
import WebsocketServer

/// Wires all parts together. Makes no decisions of its own.
final class Server {
    let links: PageLinks
    var port: UInt16 { door.port }
    private let api: RemoteAPI
    private let door: FrontDoor
    private let http: MicrohttpdServer
    private let webSockets: WebsocketServer
    private let library: LocalMusicLibrary?
    private let network: CurlTransport?
    private let mpris: MPRISService?
    private let recorder: Recorder?
    private let streams: StreamRecorder?
    private let cache: RangeCache?
    private let session: LiveSession
    private let timers: Timers
    private let renders: Renders?
    private let players: PlayerHost
    private let logind: LogindService?
    private let zeroconf: ZeroconfService?
    private let playlists: PlaylistStore

    init(_ configuration: ServerConfiguration, log: Logger) throws {
        let resources = try Resources(publicDirectory: configuration.publicDirectory)
        let tokens = try Self.tokens(configuration)
        let descriptors = DescriptorLimit.raise(toAtLeast: ConnectionLimits().total + Self.reservedDescriptors)

        let roots = MusicRoots(configuration.music)
        var limits = WorkerLimits()
        // A spare worker makes an occasional sound, such as a doorbell, start at once.
        limits.spare = 600
        let workers = MediaWorkers(MediaWorkers.find(configuration.mediaWorker), limits: limits)
        let factories: [any DecoderFactory] = [Mpg123DecoderFactory(), MediaWorkerFactory(workers)]
        let examiner = MediaExaminer(factories: factories)
        let recordings = try Self.recordings(configuration, examiner)
        // Recordings can be played, but are not browsed or scanned.
        let playable = recordings.map { MusicRoots(configuration.music + [$0.root]) } ?? roots
        // First: it creates the data directory and locks out other servers.
        let keeper = StateKeeper(
            main: try Self.store(configuration.data, log), data: configuration.data, log: log)
        library = try Self.library(configuration, roots, examiner, log)
        var files = LocalMediaOpener(roots: playable, factories: factories)
        files.catalogue = library
        network = Self.network(configuration)
        cache = try Self.cache(configuration, log)
        let opener = NetworkMediaOpener(
            transport: network, limits: configuration.networkLimits, cache: cache, cipher: OpenSSLCipher(),
            factories: factories, local: files)
        let clock = SystemClock()
        let output = try Self.mainOutput(configuration)
        let memory = Player.QueueMemory()
        let environment = { @Sendable (output: any AudioOutput, store: any PlayerStore, streams: OpenStreams?) in
            var own = opener
            own.streams = streams
            var environment = Player.Environment(
                opener: ToneOpener(others: own), output: output, conversion: SoxrConversion(),
                stretching: SoundTouchStretching(), store: store, clock: clock, buffering: configuration.buffering)
            environment.networkBuffering = configuration.networkBuffering
            environment.memory = memory
            if configuration.output == .pulse { environment.device = configuration.sink }
            return environment
        }
        let (sources, sessionPlayers, bus) = (PlayerStreams(), SessionPlayers(), EventBus())
        session = LiveSession(
            store: keeper.main, otherStreams: output as? any OtherStreamsWatch,
            interruptsOthers: configuration.interruptsOthers, notes: keeper.main.notes, players: sessionPlayers)
        streams = Self.streamRecorder(recordings, sources)
        timers = Timers(clock: clock)
        timers.observe { bus.publish(.timers(of: $0)) }
        renders = Self.renders(configuration, opener, clock, examiner, log)
        renders?.observe { bus.publish(.renders(of: $0)) }
        bus.observe { [session, streams, timers, renders] event in
            switch event {
            case .players(let change, let player):
                sources.receive(change, of: player)
                timers.receive(change, of: player)
                renders?.receive(change, of: player)
            case .player(let event, let id):
                session.receive(event, of: id)
                streams?.receive(event, of: id)
                timers.receive(event, of: id)
            default: break
            }
        }
        var parts = PlayerHost.Parts(
            environment: { id, store in
                let own = id == HostedPlayer.main ? output : Self.output(configuration, player: id)
                return environment(own, store, sources.streams(of: id))
            },
            announcer: Self.announcers(
                environment(output, keeper.main, nil), session, configuration,
                check: WaitingCheck(roots: playable, examiner: examiner)),
            keeper: keeper, session: session, sessionPlayers: sessionPlayers, bus: bus)
        parts.hasThreads = { SpareThreads.exist(4) }
        parts.endRecording = { [streams] in streams?.forgetSoon($0) }
        parts.handOver = { [timers] in timers.handOver($0, to: $1) }
        parts.warn = { log.error("\($0)", metadata: ["player": "\($1)"]) }
        players = try Self.host(parts)
        let main = players.main

        let mediaAccess = LocalMediaAccess(
            roots: roots, playable: playable, opener: files, examiner: examiner, transport: network,
            scanner: ExpatScanner())
        var service = ServerService.Parts(media: mediaAccess)
        service.library = library
        service.renditions = LocalRenditions(
            roots: playable, opener: files, workers: workers,
            folder: ThumbnailFolder(configuration.data + "/thumbnails", logger: log))
        service.session = session
        service.roster = players
        let key = KeptID(directory: configuration.data, name: "address-key", logger: log)
        if let problem = key.problem { log.warning("references to items are valid for this run only: \(problem)") }
        service.sealed = SealedAddresses(OpenSSLSeal(key.key))
        playlists = try Failure.unlessData { try PlaylistStore(directory: configuration.data, logger: log) }
        service.playlists = playlists
        recorder = Self.recorder(recordings, main, session, log)
        service.recorder = recorder
        service.streams = streams
        service.cache = cache
        service.timers = timers
        service.renders = renders
        let verbs = PlayerService(HostedPlayer.main, main, announcer: main.announcer, server: ServerService(service))
        var settings = RemoteAPI.Configuration(
            main: verbs, clock: clock, site: try Self.site(resources), epoch: Self.epoch(clock),
            serverVersion: ServerVersion.text)
        settings.access = Self.access(configuration, tokens)
        let identity = KeptID(directory: configuration.data, name: "server-id", logger: log)
        if let problem = identity.problem { log.warning("the server's id is not saved: \(problem)") }
        settings.serverID = identity.id
        settings.serverName = configuration.name ?? LocalNetwork.machineName()
        settings.log = log
        settings.openAPI = resources.openAPI
        settings.asyncAPI = resources.asyncAPI
        let api = RemoteAPI(settings)
        self.api = api
        mpris = Self.mpris(configuration, verbs, log)
        bus.observe { event in
            if case .player(let event, _) = event { verbs.server.details.receive(event) }
            api.observe(event)
        }
        let sound = OutputWatch(log: log)
        sound.receive(main.snapshot.output)
        bus.observe { [mpris, recorder] event in
            switch event {
            case .player(let event, of: HostedPlayer.main):
                if case .output(let output) = event.kind { sound.receive(output) }
                if case .interruption(isBeginning: false, .timeout, _) = event.kind { sessionPlayers.forgetClients() }
                mpris?.observe(event)
            case .session: recorder?.permissionChanged()
            default: break
            }
        }
        session.observe { bus.publish(.session($0)) }
        players.restore()
        timers.begin(verbs.server)
        mpris?.start()
        logind = Self.logind(configuration, session, log)
        library?.observe { bus.publish(.library($0)) }
        recorder?.observe { bus.publish(.recorder($0)) }
        streams?.observe { bus.publish(.stream($1, of: $0)) }
        cache?.observe { bus.publish(.cache($0)) }

        let webSockets = try Self.start { try WebsocketServer(application: api.webSockets, log: log) }
        let http = try Self.start { try MicrohttpdServer(log: log, responder: api, upgrader: webSockets) }
        self.http = http
        self.webSockets = webSockets
        door = try Self.listen(configuration, Self.limits(descriptors), log, http)
        links = PageLinks(
            host: configuration.host, port: door.port, token: Self.linkToken(configuration, tokens))
        zeroconf = Self.zeroconf(
            configuration, id: identity.id, name: settings.serverName, port: door.port, log)
        if let path = configuration.portFile { try Self.publish(door.port, path) }
    }

    /// Fades out, saves and closes every socket, within 2 s. A part that hangs delays no other, least of all a player's save.
    func stop() {
        let start = MonotonicTime.now
        door.close()
        var parts = Shutdown()
        // These need the players to end: the session restores other programs' sound through main's output, a saved stream ends
        // with its source, and a player reports the end of its announcement.
        parts.begin { [session] in session.stop() }
        parts.begin { [timers] in timers.shutdown() }
        if let renders { parts.begin { renders.shutdown() } }
        if let streams { parts.begin { streams.shutdown() } }
        let players = players.beginEnd()
        for player in players { parts.begin { player.announcer?.endSounds() } }
        parts.wait(until: start.advanced(bySeconds: 0.2))
        for player in players {
            parts.begin { player.shutdown() }
            parts.begin { player.announcer?.shutdown() }
        }
        if let recorder { parts.begin { recorder.shutdown() } }
        if let mpris { parts.begin { mpris.stop() } }
        if let logind { parts.begin { logind.stop() } }
        if let zeroconf { parts.begin { zeroconf.stop() } }
        parts.wait(until: start.advanced(bySeconds: 1.4))
        // Clients have received all these events.
        api.shutdown()
        webSockets.stop()
        http.stop()
        if let library { parts.begin { library.close() } }
        parts.begin { [playlists] in playlists.close() }
        if let network { parts.begin { network.stop() } }
        if let cache { parts.begin { cache.stop() } }
        // Longer than `EndInTime` allows: it abandons and logs parts that still hang.
        parts.wait(until: start.advanced(bySeconds: 1.9))
    }

    private static func network(_ configuration: ServerConfiguration) -> CurlTransport? {
        guard configuration.usesNetwork else { return nil }
        return CurlTransport(
            CurlTransport.Configuration(
                userAgent: "Tonearm/\(ServerVersion.text)", authorities: configuration.certificateAuthorities))
    }

    private static func host(_ parts: PlayerHost.Parts) throws -> PlayerHost {
        do throws(SaveFailure) {
            return try PlayerHost(parts)
        } catch {
            throw Failure("data: \(error.reason)", .cannotCreate)
        }
    }

    private static func store(_ directory: String, _ log: Logger) throws -> StateStore {
        do throws(StateStoreError) {
            return try StateStore(
                directory: directory, logger: log, beginning: PlayerDirectories.Beginning(name: HostedPlayer.main))
        } catch {
            switch error {
            case .inUse: throw Failure("\(error); give this one its own with --data DIR.", .unavailable)
            case .unusable: throw Failure("data: \(error); name another directory with --data DIR.", .cannotCreate)
            }
        }
    }

    /// At the start these libraries fail only for lack of resources. The log has their messages.
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
        _ configuration: ServerConfiguration, _ limits: ConnectionLimits, _ log: Logger, _ http: MicrohttpdServer
    ) throws -> FrontDoor {
        do throws(ListenError) {
            return try FrontDoor(
                host: configuration.host, port: configuration.port, socket: configuration.socket, limits: limits,
                log: log, handOver: { http.adopt($0) })
        } catch {
            let advice =
                if case .addressInUse = error {
                    (ServerChecks.running(configuration) == nil ? "" : ", a Tonearm server")
                        + "; choose another port with --port, or end that process."
                } else { "." }
            // The path of the Unix socket is unusable, not in use.
            let isPlace =
                if case .failed(call: configuration.socket, let code) = error { code != EADDRINUSE } else { false }
            throw Failure("cannot listen: \(error)\(advice)", isPlace ? .cannotCreate : .unavailable)
        }
    }

    /// Reserved for files, pipes and libraries, so that clients cannot exhaust the music's descriptors.
    private static let reservedDescriptors = 1_024
    /// Used without any client, while files play.
    private static let neededDescriptors = 56

    private static func limits(_ descriptors: Int) -> ConnectionLimits {
        var limits = ConnectionLimits()
        let reserved = min(reservedDescriptors, max(neededDescriptors, descriptors / 2))
        limits.total = max(4, min(limits.total, descriptors - reserved))
        return limits
    }

    private static func site(_ resources: Resources) throws -> StaticFiles {
        guard let files = StaticFiles(directory: resources.publicDirectory) else {
            throw Failure.configuration("public: \(resources.publicDirectory) cannot be opened")
        }
        return files
    }

    private static func epoch(_ clock: SystemClock) -> String {
        String(clock.wallMilliseconds, radix: 36) + "-" + String(getpid(), radix: 36)
    }

    private static func publish(_ port: UInt16, _ path: String) throws {
        try Failure.unless("port-file: cannot write") {
            try WholeFile.write("\(port)\n".utf8, to: path, mode: 0o644, survives: false)
        }
    }
}
