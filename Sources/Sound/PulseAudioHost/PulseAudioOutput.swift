// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Playback
public import Service
import Synchronization
import Kernel

/// The player's output on PulseAudio (or PipeWire's PulseAudio server).
///
/// A handle for any thread; what it asks for happens on libpulse's mainloop thread (`PulseSession`).
public final class PulseAudioOutput: AudioOutput {
    private enum State {
        case idle(Wishes)
        case active(PulseThread, Activity)
        case ended
    }

    /// Set before there is a thread.
    private struct Wishes {
        var gains = ChannelGains.unity
        var effects = EffectSettings.off
        var tap: SoundTap?
        var device: String?
    }

    /// The mainloop thread's state; here only to be kept and torn down.
    ///
    /// `@unchecked Sendable` because the session is touched before the thread starts and after it was joined.
    private final class Activity: @unchecked Sendable {
        let session: PulseSession
        init(_ session: PulseSession) { self.session = session }
    }

    private let board = ClockBoard()
    private let state: Mutex<State>
    /// The observer of the other streams; in practice set before the output is active.
    private let watcher = Mutex(Watcher())

    private struct Watcher {
        var handler: (@Sendable (OtherStreams?) -> Void)?
    }

    private let server: String?
    private let player: String?
    private let title: String

    /// - Parameters:
    ///   - title: what its streams are called at the server.
    ///   - device: name of the sink to use from the start, as `select(device:)`.
    ///   - server: as `PULSE_SERVER`; nil for that of the environment and the client configuration.
    ///   - player: distinguishes it from this process's other outputs in mixers, and in what the server remembers of its streams.
    ///   - title: what mixers call its streams.
    public init(device: String? = nil, server: String? = nil, player: String? = nil, title: String = "Music") {
        self.server = server
        self.player = player
        self.title = title
        state = Mutex(.idle(Wishes(device: device)))
    }

    deinit { shutdown() }

    public func activate(_ handler: @escaping @Sendable (AudioOutputEvent) -> Void) {
        state.withLock { state in
            guard case .idle(let wishes) = state else { return }
            let thread = PulseThread()
            let session = PulseSession(
                api: thread.api, server: server, player: player, title: title, board: board,
                gains: wishes.gains, effects: wishes.effects,
                framesCame: { thread.wakeUp() },
                handler: handler)
            session.devices.chosen = wishes.device
            thread.start({ session.connect() }, perform: session.perform, framesCame: session.framesArrived)
            state = .active(thread, Activity(session))
            if let tap = wishes.tap { thread.post(.setTap(tap)) }
            if let handler = watcher.withLock({ $0.handler }) { thread.post(.watchOtherStreams(handler)) }
        }
    }

    private func post(_ command: PulseCommand) {
        state.withLock { state in
            if case .active(let thread, _) = state { thread.post(command) }
        }
    }

    public func open(_ preferred: AudioFormat, generation: Generation) { post(.open(preferred, generation)) }
    public func start(fade: Double, generation: Generation) { post(.start(generation, fade: fade)) }
    public func pause(fade: Double, generation: Generation) { post(.pause(generation, fade: fade)) }
    public func flush(to ringIndex: FrameCount, fade: Double, generation: Generation) {
        post(.flush(ringIndex, generation, fade: fade))
    }
    public func drain(generation: Generation) { post(.drain(generation)) }
    public func close(generation: Generation) { post(.close(generation)) }

    public func shift(by frames: FrameCount, generation: Generation) { post(.shift(frames, generation)) }

    public func unmute(generation: Generation) { post(.unmute(generation)) }

    public func describe(role: String) { post(.describe(role: role)) }

    public func setGains(_ gains: ChannelGains, over seconds: Double) {
        wish({ $0.gains = gains }, orPost: .setGains(gains, seconds: seconds))
    }

    public func setEffects(_ effects: EffectSettings) {
        wish({ $0.effects = effects }, orPost: .setEffects(effects))
    }

    public func setTap(_ tap: SoundTap?) {
        wish({ $0.tap = tap }, orPost: .setTap(tap))
    }

    private func wish(_ change: (inout Wishes) -> Void, orPost command: PulseCommand) {
        state.withLock { state in
            switch state {
            case .idle(var wishes):
                change(&wishes)
                state = .idle(wishes)
            case .active(let thread, _): thread.post(command)
            case .ended: break
            }
        }
    }

    public func duck(to gain: Float, over seconds: Double) { post(.duck(gain, seconds: seconds)) }

    public func clock() -> OutputClock { board.read(at: .now) }

    public func select(device: String?) {
        wish({ $0.device = device }, orPost: .select(device))
    }

    public func shutdown() {
        let previous = state.withLock { state in
            defer { state = .ended }
            return state
        }
        guard case .active(let thread, let activity) = previous else { return }
        let silence = Mailbox<Bool>()
        thread.post(.shutdown(silence))
        _ = silence.take(until: .now.advanced(bySeconds: 0.4))
        thread.stop { activity.session.tearDown() }
    }
}

extension PulseAudioOutput: OtherStreamsWatch {
    public func watchOtherStreams(_ handler: @escaping @Sendable (OtherStreams?) -> Void) {
        watcher.withLock { $0.handler = handler }
        post(.watchOtherStreams(handler))
    }

    public func changeOtherStreams(_ changes: [OtherStreamChange]) { post(.changeOtherStreams(changes)) }
}
