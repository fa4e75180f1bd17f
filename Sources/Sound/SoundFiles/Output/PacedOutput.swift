// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization
internal import Kernel

/// An output without hardware: a thread that consumes the ring in real time.
///
/// A handle for any thread; the state lives in `PacedLoop`, on the output's own thread. Unchecked because a class with
/// subclasses cannot be checked; all members are immutable and Sendable.
public class PacedOutput: AudioOutput, @unchecked Sendable {
    private let mailbox = Mailbox<PacedLoop.Command>()
    private let reading = ClockReading()
    private let makeSink: @Sendable () -> any PacedSink
    private let life = Mutex(Life.new)

    private enum Life {
        case new
        case active(NamedThread)
        case over
    }

    init(_ makeSink: @escaping @Sendable () -> any PacedSink) { self.makeSink = makeSink }

    deinit { shutdown() }

    public func activate(_ handler: @escaping @Sendable (AudioOutputEvent) -> Void) {
        life.withLock { life in
            guard case .new = life else { return }
            life = .active(
                NamedThread("paced-output") { [mailbox, reading, makeSink] in
                    PacedLoop(sink: makeSink(), mailbox: mailbox, reading: reading, handler: handler).run()
                })
        }
    }

    public func perform(_ command: OutputCommand) { mailbox.post(.output(command)) }

    public func clock() -> OutputClock { reading.value }

    public func shutdown() {
        let thread: NamedThread? = life.withLock { life in
            defer { life = .over }
            if case .active(let thread) = life { return thread }
            return nil
        }
        guard let thread else { return }
        mailbox.post(.shutdown)
        thread.join(within: 0.5)
    }
}

/// The clock as the loop last published it; the lock is held for a copy of a few words.
final class ClockReading: Sendable {
    private let state = Mutex(
        OutputClock(ringIndex: 0, isAdvancing: false, sampledAt: MonotonicTime(nanoseconds: 0), latency: 0))

    var value: OutputClock { state.withLock { $0 } }

    func publish(_ clock: OutputClock) { state.withLock { $0 = clock } }
}
