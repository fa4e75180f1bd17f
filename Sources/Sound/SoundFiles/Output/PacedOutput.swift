// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization
internal import Kernel

/// An output without hardware: a thread that consumes the ring in real time.
///
/// A handle for any thread; the state lives in `PacedLoop`, on the output's own thread.
public final class PacedOutput: AudioOutput {
    private let mailbox = Mailbox<PacedLoop.Command>()
    private let published = Published<OutputClock, AudioOutputEvent>(
        OutputClock(ringIndex: 0, isAdvancing: false, sampledAt: MonotonicTime(nanoseconds: 0), latency: 0))
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
            published.observe(handler)
            life = .active(
                NamedThread("paced-output") { [mailbox, published, makeSink] in
                    PacedLoop(sink: makeSink(), mailbox: mailbox, published: published).run()
                })
        }
    }

    public func perform(_ command: OutputCommand) { mailbox.post(.output(command)) }

    public func clock() -> OutputClock { published.value }

    public func shutdown() {
        let previous = life.withLock { life in
            defer { life = .over }
            return life
        }
        guard case .active(let thread) = previous else { return }
        mailbox.post(.shutdown)
        thread.join(within: 0.5)
    }
}
