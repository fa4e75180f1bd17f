// SPDX-License-Identifier: Apache-2.0

public import Playback
public import Service
import Synchronization
import Kernel

/// The player's output on PulseAudio (or PipeWire's PulseAudio server).
///
/// A handle for any thread; `PulseSession` performs its commands on libpulse's mainloop thread.
public final class PulseAudioOutput: AudioOutput {
    private enum State {
        /// With the commands sent before the thread started.
        case idle([PulseCommand])
        case active(PulseThread)
        case ended
    }

    private let board = ClockBoard()
    private let state: Mutex<State>
    private let server: String?
    private let player: String?
    private let title: String
    private let only: String?

    /// - Parameters:
    ///   - server: as `PULSE_SERVER`; nil for that of the environment and the client configuration.
    ///   - player: distinguishes it from this process's other outputs in mixers, and in what the server remembers of its streams.
    ///   - title: what mixers call its streams.
    ///   - only: the only device to be used: without it there is no sound. nil: any device.
    public init(server: String? = nil, player: String? = nil, title: String = "Music", only: String? = nil) {
        self.server = server
        self.player = player
        self.title = title
        self.only = only
        state = Mutex(.idle([]))
    }

    deinit { shutdown() }

    public func activate(_ handler: @escaping @Sendable (AudioOutputEvent) -> Void) {
        state.withLock { state in
            guard case .idle(let commands) = state else { return }
            let thread = PulseThread()
            thread.start(
                PulseSession(
                    api: thread.api, server: server, player: player, title: title, only: only, board: board,
                    framesCame: { thread.wakeUp() }, handler: handler))
            state = .active(thread)
            for command in commands { thread.post(command) }
        }
    }

    private func post(_ command: PulseCommand) {
        state.withLock { state in
            switch state {
            case .idle(let earlier): state = .idle(earlier + [command])
            case .active(let thread): thread.post(command)
            case .ended: break
            }
        }
    }

    public func perform(_ command: OutputCommand) { post(.output(command)) }

    public func clock() -> OutputClock { board.read(at: .now) }

    public func shutdown() {
        let previous = state.withLock { state in
            defer { state = .ended }
            return state
        }
        guard case .active(let thread) = previous else { return }
        let silence = Mailbox<Bool>()
        thread.post(.shutdown(silence))
        _ = silence.take(until: .now.advanced(bySeconds: 0.4))
        thread.stop()
    }
}

extension PulseAudioOutput: OtherStreamsWatch {
    public func watchOtherStreams(_ handler: @escaping @Sendable (OtherStreams?) -> Void) {
        post(.watchOtherStreams(handler))
    }

    public func changeOtherStreams(_ changes: [OtherStreamChange]) { post(.changeOtherStreams(changes)) }
}
