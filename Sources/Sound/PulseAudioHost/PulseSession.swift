// SPDX-License-Identifier: Apache-2.0

import Audio
internal import CPulse
import Playback
import Kernel
import Service

/// Commands from the handle to the mainloop thread, in order.
enum PulseCommand: Sendable {
    case output(OutputCommand)
    case watchOtherStreams(@Sendable (OtherStreamsReport) -> Void)
    case changeOtherStreams([OtherStreamChange])
    /// Answered through the mailbox when all sound has ended.
    case shutdown(Mailbox<Bool>)
}

/// The output's state on the mainloop thread: connection, devices, streams.
///
/// Commands are performed between libpulse's own callbacks, so callers never wait for the mainloop's lock.
///
/// `@unchecked Sendable` because only the mainloop thread uses it, except before that starts and after it has stopped;
/// `owner` checks this at each command.
final class PulseSession: CallbackTarget, @unchecked Sendable {
    enum Connection {
        case connecting
        case ready
        /// Waits before the next attempt; the sentence gives the reason.
        case waiting(String)
    }

    private let mainloop: OpaquePointer
    let api: UnsafeMutablePointer<pa_mainloop_api>
    private var wakeEvent: OpaquePointer?
    private let commands: Mailbox<PulseCommand>
    let options: PulseOptions
    private var owner = OwningThread()
    let emit: @Sendable (AudioOutputEvent) -> Void
    let board: ClockBoard

    private static let ringSeconds = 1.5
    private static let retainedSeconds = 0.75

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
    var streamDevice: String?
    /// Moves of the stream that we have requested. A list requested before the last move has an outdated device.
    var requestedMoves = 0
    var movesBeforeListing = 0
    /// A device was chosen, or the choice was revoked, and the stream may still be on another device: the server would
    /// leave it there.
    var mustMove = false

    var current: PulseStream?
    private var leaving: [PulseStream] = []
    private var latest = Generation(0)
    /// Commands for a stream that came before the first connection succeeded or failed.
    private var deferred: [OutputCommand] = []
    /// Of the next stream, while there is none.
    private var gains = StreamGains()
    private var effects = EffectSettings.off
    private var tap: SoundTap?
    private var streamCount: UInt16 = 0
    private var role = "music"
    let otherStreams: PulseOtherStreams
    private var finished: Mailbox<Bool>?

    /// Starts the thread. A ring of `commands` without a command makes the stream look for frames.
    init(
        _ commands: Mailbox<PulseCommand>, _ options: PulseOptions, board: ClockBoard,
        handler: @escaping @Sendable (AudioOutputEvent) -> Void
    ) {
        self.commands = commands
        self.options = options
        self.board = board
        emit = handler
        otherStreams = PulseOtherStreams { handler(.ducked($0)) }
        devices.only = options.only
        mainloop = pa_threaded_mainloop_new()!
        api = pa_threaded_mainloop_get_api(mainloop)!
        pa_threaded_mainloop_set_name(mainloop, "pulse")
        wakeEvent = api.pointee.io_new(
            api, commands.descriptor, PA_IO_EVENT_INPUT,
            { _, _, _, _, userdata in PulseSession.from(userdata).performCommands() }, userdata)
        connect()
        let code = pa_threaded_mainloop_start(mainloop)
        precondition(code == 0, "pa_threaded_mainloop_start failed")
    }

    /// Joins the thread and frees everything. Call it once, not on the thread.
    func stop() {
        pa_threaded_mainloop_stop(mainloop)
        for stream in leaving + [current].compactMap({ $0 }) { stream.end() }
        current = nil
        leaving = []
        dropContext()
        if let wakeEvent { api.pointee.io_free(wakeEvent) }
        pa_threaded_mainloop_free(mainloop)
    }

    // MARK: Commands

    private func performCommands() {
        for command in commands.take() { perform(command) }
        current?.tick()
    }

    private func perform(_ command: PulseCommand) {
        owner.check()
        switch command {
        case .output(let command): if finished == nil { perform(command) }
        // The session restores other programs' streams until the end.
        case .watchOtherStreams(let handler): otherStreams.watch(handler, context: readyContext)
        case .changeOtherStreams(let changes): otherStreams.change(changes, context: readyContext)
        case .shutdown(let mailbox): shutdown(mailbox)
        }
    }

    private func perform(_ command: OutputCommand) {
        switch command {
        case .open(let format, let generation): open(format, generation)
        case .connect: if case .waiting = connection { connect() }
        case .stream(let command, let generation): perform(command, generation)
        case .setGain(let change):
            if let current { current.setGain(change) } else { gains.apply(change, from: 0, isSilent: true) }
        case .setEffects(let effects):
            self.effects = effects
            current?.setEffects(effects)
        case .setTap(let tap):
            self.tap = tap
            current?.setTap(tap)
        case .select(let id): select(id)
        case .describe(let role):
            self.role = role
            current?.describe(role: role)
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
        case .start(let fade, let beginsItem):
            if beginsItem { current?.beginItem() }
            current?.start(fade: fade)
        case .pause(let fade): current?.pause(fade: fade)
        case .flush(let index, let fade): current?.flush(to: index, fade: fade)
        case .drain: current?.drain()
        case .shift(let frames): current?.shift(by: frames)
        case .close: current?.close()
        case .splice(let splice): current?.splice(splice)
        case .unmute: current?.unmute()
        }
    }

    /// The current stream once the server has created it.
    var readyStream: PulseStream? { current.flatMap { $0.isReady ? $0 : nil } }

    func isOwnStream(_ index: UInt32) -> Bool {
        readyStream.map { pa_stream_get_index($0.stream) == index } ?? false
    }

    var readyContext: OpaquePointer? { if case .ready = connection { context } else { nil } }

    // MARK: Streams

    private func open(_ format: AudioFormat, _ generation: Generation) {
        latest = generation
        deferred = []
        if let current, current.phase != .ended {
            current.close()
            if current.phase != .ended {
                current.isCurrent = false
                leaving.append(current)
            }
        }
        forgetCurrent()
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
        // The device's own rate, and a layout that suits both.
        let format = AudioFormat(
            sampleRate: min(192_000, max(8_000, device.sampleRate)),
            layout: device.streamLayout(for: preferred.layout))
        let isPinned = device.isPrivate || devices.only != nil
        guard
            let stream = PulseStreamRequest.connect(
                context, format: format, device: isPinned ? device.id : devices.chosen, isPinned: isPinned,
                role: role, options)
        else {
            return emit(.failed(generation, PulseProblem.streamError(pa_context_errno(context))))
        }
        let ring = FrameRing(
            format: format, capacity: Int(format.frames(Self.ringSeconds)),
            retained: Int(format.frames(Self.retainedSeconds)), onFrames: { [commands] in commands.ring() })
        streamCount &+= 1
        current = PulseStream(
            stream: stream, in: context, ring: ring, gains: gains, generation: generation, number: streamCount,
            isPinned: isPinned, session: self)
        current?.setEffects(effects)
        current?.setTap(tap)
        emit(.opened(generation, ring))
    }

    /// The next stream continues its gains.
    private func forgetCurrent() {
        if let current { gains = current.context.pointee.renderer.remainingGains }
        current = nil
        streamDevice = nil
    }

    /// `stream` no longer needs libpulse's stream.
    func streamEnded(_ stream: PulseStream) {
        leaving.removeAll { $0 === stream }
        // The caller is a method of the stream, which must stay alive until it returns.
        if current === stream { forgetCurrent() }
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
        current?.close()
        finishIfDone()
    }

    private func finishIfDone() {
        guard let finished, current == nil, leaving.isEmpty else { return }
        finished.post(true)
    }
}
