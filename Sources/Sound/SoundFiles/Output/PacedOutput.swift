// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Playback
internal import Synchronization
internal import Kernel

/// An output without hardware: a thread that consumes the ring in real time.
///
/// This is the handle for any thread; the state lives in `PacedLoop`, on the output's own thread.
// Unchecked because a class with subclasses cannot be checked; all members are immutable and Sendable.
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

    init(_ makeSink: @escaping @Sendable () -> any PacedSink) {
        self.makeSink = makeSink
    }

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

    public func open(_ preferred: AudioFormat, generation: Generation) { mailbox.post(.open(preferred, generation)) }
    public func start(fade: Double, generation: Generation) { mailbox.post(.stream(.start(fade: fade), generation)) }
    public func pause(fade: Double, generation: Generation) { mailbox.post(.stream(.pause(fade: fade), generation)) }
    public func flush(to ringIndex: FrameCount, fade: Double, generation: Generation) {
        mailbox.post(.stream(.flush(ringIndex, fade: fade), generation))
    }
    public func shift(by frames: FrameCount, generation: Generation) {
        mailbox.post(.stream(.shift(frames), generation))
    }
    public func drain(generation: Generation) { mailbox.post(.stream(.drain, generation)) }
    public func close(generation: Generation) { mailbox.post(.stream(.close, generation)) }
    public func setGains(_ gains: ChannelGains, over seconds: Double) { mailbox.post(.setGains(gains, seconds)) }
    public func duck(to gain: Float, over seconds: Double) { mailbox.post(.duck(gain, seconds)) }
    public func setEffects(_ effects: EffectSettings) { mailbox.post(.setEffects(effects)) }
    public func setTap(_ tap: SoundTap?) { mailbox.post(.setTap(tap)) }
    public func select(device: String?) { mailbox.post(.select(device)) }
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
