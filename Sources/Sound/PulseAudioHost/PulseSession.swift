// SPDX-License-Identifier: Apache-2.0

import Audio
internal import CPulse
import Playback
import Kernel

/// The output's state on the mainloop thread: connection, devices, streams.
///
/// Made before the thread starts and torn down after it has stopped; in between only the thread uses it, which `owner`
/// checks at each command.
final class PulseSession {
    enum Connection {
        case connecting(until: MonotonicTime)
        case ready
        /// Waits before the next try; with a sentence that gives the reason.
        case waiting(String)
    }

    let api: UnsafeMutablePointer<pa_mainloop_api>
    let server: String?
    let player: String?
    private let title: String
    private var owner = OwningThread()
    private let handler: @Sendable (AudioOutputEvent) -> Void
    private let board: ClockBoard
    private let framesCame: @Sendable () -> Void

    var context: OpaquePointer?
    var connection = Connection.waiting("Not connected yet.")
    var retryDelay = 0.1
    /// Reconnects, or gives up a connection attempt that takes too long.
    var retryTimer: PulseTimer?
    var announced: OutputAvailability?
    var devices = PulseDevices()
    var listings = Listings.none
    var publishedDevices: OutputDevices?
    /// The stream's device, of the same moment as the default in `devices`; nil without a stream.
    var place: String?
    /// Moves of the stream that we have requested. A list requested before the last move has an outdated device.
    var movesAsked = 0
    var movesBeforeListing = 0
    /// A device was chosen, or the choice was revoked, and the stream may still be on another device: the server would
    /// leave it there.
    var mustMove = false

    var current: PulseStream?
    private var leaving: [PulseStream] = []
    private var latest = Generation(0)
    /// Commands for a stream that came before the first connection succeeded or failed.
    private var deferred: [OutputCommand] = []
    private var ramp = StreamGainRamp(.unity)
    private var duckRamp = StreamGainRamp(.unity)
    private var effects = EffectSettings.off
    private var tap: SoundTap?
    /// The rate for frame counts of `ramp` and `duckRamp`: the last stream's.
    private var rampRate = 1
    private var streamCount: UInt16 = 0
    private var role = "music"
    let otherStreams = PulseOtherStreams()
    private(set) lazy var ducking = PulseDucking { [unowned self] in emit(.ducked($0)) }
    private var finished: Mailbox<Bool>?

    init(
        api: UnsafeMutablePointer<pa_mainloop_api>, server: String?, player: String?, title: String, only: String?,
        board: ClockBoard, framesCame: @escaping @Sendable () -> Void,
        handler: @escaping @Sendable (AudioOutputEvent) -> Void
    ) {
        self.api = api
        self.server = server
        self.player = player
        self.title = title
        self.board = board
        self.framesCame = framesCame
        self.handler = handler
        devices.only = only
    }

    func emit(_ event: AudioOutputEvent) { handler(event) }

    // MARK: Commands

    func perform(_ command: PulseCommand) {
        owner.check()
        guard finished == nil else { return }
        switch command {
        case .output(let command): perform(command)
        case .watchOtherStreams(let handler): otherStreams.watch(handler, context: readyContext)
        case .changeOtherStreams(let changes): otherStreams.change(changes, context: readyContext)
        case .shutdown(let mailbox): shutdown(mailbox)
        }
    }

    private func perform(_ command: OutputCommand) {
        switch command {
        case .open(let format, let generation): open(format, generation)
        case .stream(let command, let generation): perform(command, generation)
        case .setGains(let gains, let seconds): setGains(gains, seconds)
        case .duck(let gain, let seconds): duck(Float(gain), seconds)
        case .setEffects(let effects):
            self.effects = effects
            current?.setEffects(effects)
        case .setTap(let tap):
            self.tap = tap
            current?.setTap(tap)
        case .select(let id): select(id)
        case .describe(let role): describe(role)
        }
    }

    private func perform(_ command: StreamCommand, _ generation: Generation) {
        guard generation == latest else { return }
        if case .close = command, current == nil {
            // It has failed before, or does not exist yet.
            deferred = []
            return emit(.closed(generation))
        }
        guard deferred.isEmpty else { return deferred.append(.stream(command, generation)) }
        switch command {
        case .start(let fade): current?.start(fade: fade)
        case .pause(let fade): current?.pause(fade: fade)
        case .flush(let index, let fade): current?.flush(to: index, fade: fade)
        case .drain: current?.drain()
        case .shift(let frames): current?.shift(by: frames)
        case .close: leave()
        case .splice(let splice): current?.splice(splice)
        case .unmute: current?.unmute()
        }
    }

    private func leave() {
        guard let stream = current else { return }
        let renderer = stream.context.pointee.renderer
        func rest(of ramp: StreamGainRamp) -> StreamGainRamp {
            ramp.continued(from: renderer.cursor, rate: stream.sampleRate, newRate: stream.sampleRate)
        }
        (ramp, duckRamp) = (rest(of: renderer.ramp), rest(of: renderer.ducking))
        rampRate = stream.sampleRate
        stream.close()
    }

    private func setGains(_ gains: ChannelGains, _ seconds: Double) {
        ramp = StreamGainRamp(gains)
        current?.setGains(gains, over: seconds)
    }

    private func duck(_ gain: Float, _ seconds: Double) {
        let gains = ChannelGains(left: gain, right: gain, other: gain)
        duckRamp = StreamGainRamp(gains)
        current?.duck(to: gains, over: seconds)
    }

    func framesArrived() { current?.tick() }

    private func describe(_ role: String) {
        self.role = role
        current?.describe(role: role)
    }

    func isOwnStream(_ index: UInt32) -> Bool {
        guard let current, pa_stream_get_state(current.stream) == PA_STREAM_READY else { return false }
        return pa_stream_get_index(current.stream) == index
    }

    var readyContext: OpaquePointer? { if case .ready = connection { context } else { nil } }

    // MARK: Streams

    private func open(_ format: AudioFormat, _ generation: Generation) {
        latest = generation
        deferred = []
        if let current, current.phase != .ended {
            leave()
            if current.phase != .ended {
                current.isCurrent = false
                leaving.append(current)
            }
        }
        current = nil
        place = nil
        if leaving.contains(where: { $0.phase == .unanswered }) {
            // One request is enough to detect that the server answers again.
            emit(.failed(generation, .lost(PulseProblem.noAnswer)))
            return announce(.unavailable(PulseProblem.noAnswer))
        }
        switch connection {
        case .waiting(let reason): emit(.failed(generation, .lost(reason)))
        case .ready where devices.devices != nil: create(format, generation)
        case .connecting, .ready: deferred = [.open(format, generation)]
        }
    }

    /// The devices are known, or the connection failed.
    func performDeferred() {
        let commands = deferred
        deferred = []
        for command in commands { perform(command) }
    }

    private func create(_ preferred: AudioFormat, _ generation: Generation) {
        guard let context, let device = devices.target else {
            return emit(.failed(generation, .lost(PulseProblem.noDevice)))
        }
        let format = PulseFormat.chosen(for: preferred, at: device)
        let isPinned = device.isPrivate || devices.only != nil
        guard
            let stream = PulseStreamRequest.connect(
                context, format: format, device: isPinned ? device.id : devices.chosen, isPinned: isPinned,
                role: role, player: player, title: title)
        else {
            return emit(.failed(generation, PulseProblem.streamError(pa_context_errno(context))))
        }
        let ring = FrameRing(
            format: format, capacity: format.frames(1.5).asInt, retained: format.frames(0.75).asInt,
            onFrames: framesCame)
        streamCount &+= 1
        ramp = ramp.continued(from: 0, rate: rampRate, newRate: format.sampleRate)
        duckRamp = duckRamp.continued(from: 0, rate: rampRate, newRate: format.sampleRate)
        rampRate = format.sampleRate
        current = PulseStream(
            stream: stream, ring: ring, ramps: (ramp, duckRamp), generation: generation, number: streamCount,
            board: board,
            isPinned: isPinned, timers: (context, api), emit: handler,
            moved: { [unowned self] in streamMoved() },
            ended: { [unowned self] in streamEnded($0) })
        current?.setEffects(effects)
        current?.setTap(tap)
        emit(.opened(generation, ring))
    }

    private func streamEnded(_ stream: PulseStream) {
        leaving.removeAll { $0 === stream }
        // The caller is a method of the stream, which must stay alive until it returns.
        if current === stream {
            current = nil
            place = nil
        }
        // A device chosen meanwhile is the device of the next stream.
        if stream.isClosing, devices.chosen != nil { publishDevices() }
        if announced == .unavailable(PulseProblem.noAnswer), finished == nil, case .ready = connection {
            announceDevices()
        }
        withExtendedLifetime(stream) { finishIfDone() }
    }

    // MARK: End

    private func shutdown(_ mailbox: Mailbox<Bool>) {
        finished = mailbox
        deferred = []
        leave()
        finishIfDone()
    }

    private func finishIfDone() {
        guard let finished, current == nil, leaving.isEmpty else { return }
        finished.post(true)
    }

    /// After the thread has stopped.
    func tearDown() {
        for stream in leaving + [current].compactMap({ $0 }) { stream.end() }
        current = nil
        leaving = []
        dropContext()
    }
}

extension FrameCount {
    var asInt: Int { Int(self) }
}
