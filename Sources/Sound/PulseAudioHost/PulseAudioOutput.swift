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
        case idle
        case active(PulseSession)
        case ended
    }

    private let options: PulseOptions
    private let board = ClockBoard()
    /// Commands sent before the activation wait here.
    private let commands = Mailbox<PulseCommand>(descriptorFor: "pulse")
    private let state = Mutex(State.idle)

    /// - Parameters:
    ///   - server: as `PULSE_SERVER`; nil: the server of the environment and the client configuration.
    ///   - player: distinguishes this output from the process's others in mixers and in the server's memory of streams.
    ///   - title: the name of its streams in mixers.
    ///   - only: the only device to use; without it there is no sound. nil: any device.
    public init(server: String? = nil, player: String? = nil, title: String = "Music", only: String? = nil) {
        options = PulseOptions(server: server, player: player, title: title, only: only)
    }

    deinit { shutdown() }

    public func activate(_ handler: @escaping @Sendable (AudioOutputEvent) -> Void) {
        state.withLock { state in
            guard case .idle = state else { return }
            state = .active(PulseSession(commands, options, board: board, handler: handler))
        }
    }

    public func perform(_ command: OutputCommand) { commands.post(.output(command)) }

    public func clock() -> OutputClock { board.read(at: .now) }

    public func shutdown() {
        let previous = state.withLock { state in
            defer { state = .ended }
            return state
        }
        defer { _ = commands.close() }
        guard case .active(let session) = previous else { return }
        let silence = Mailbox<Bool>()
        commands.post(.shutdown(silence))
        _ = silence.take(until: .now.advanced(bySeconds: 0.4))
        session.stop()
    }
}

/// The parameters of `PulseAudioOutput.init`.
struct PulseOptions: Sendable {
    let server: String?
    let player: String?
    let title: String
    let only: String?
}

extension PulseAudioOutput: OtherStreamsWatch {
    public func watchOtherStreams(_ handler: @escaping @Sendable (OtherStreamsReport) -> Void) {
        commands.post(.watchOtherStreams(handler))
    }

    public func changeOtherStreams(_ changes: [OtherStreamChange]) { commands.post(.changeOtherStreams(changes)) }
}
