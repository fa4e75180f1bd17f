// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Kernel

/// The player's output. The protocol keeps PulseAudio out of the player, so that tests can use a manual clock.
///
/// Any thread may call any method; in practice the player's thread does. Methods return at once and never block on the
/// sink; results arrive through the event handler that `activate` receives. Each stream carries the generation with which
/// it was opened; commands and events of another generation are dropped.
///
/// There is one stream at a time: `open` ends the previous stream.
public protocol AudioOutput: AnyObject, Sendable {
    /// Connects to the sink and watches it. The output's thread calls `handler`, in order; it must not block.
    func activate(_ handler: @escaping @Sendable (AudioOutputEvent) -> Void)

    /// Commands are performed in order.
    func perform(_ command: OutputCommand)

    /// The audible position. Any thread may call this at any rate; it neither blocks nor enters the sink's thread.
    func clock() -> OutputClock

    /// Fades out, ends the stream and the connection, and joins the output's threads. Blocks up to 500 ms. Idempotent.
    func shutdown()
}

/// Commands of the player for its output.
public enum OutputCommand: Sendable {
    /// Creates a stream, silent until `start`. The output may choose another rate or layout (PulseAudio takes the sink's
    /// rate). It reports `.opened` with the ring to fill, or `.failed`.
    case open(AudioFormat, Generation)
    /// Connects at once: a request for sound was refused.
    case connect
    case stream(StreamCommand, Generation)
    /// Kept across streams.
    case setGain(GainChange)
    /// Changes to these effects without a click, within 0.1 s. A new stream starts with them.
    case setEffects(EffectSettings)
    /// Copies the rendered sound, before the gains, to this tap; nil ends that. Kept across streams.
    case setTap(SoundTap?)
    /// The role of the stream, by the names of the sound servers (`music`, `game`, `phone`), whose policies use it.
    case describe(role: String)
    /// Selects a device by id; nil: the default one. Moves a running stream, or requests another one with `.displaced`.
    /// Stays in force until the device disappears.
    case select(String?)
}

/// A change of one of the gains, which are multiplied; each is 1 at first. It moves linearly (in amplitude) over `seconds`
/// of sound, from the audible position and its present value on. Corners are rounded, and a change over 0 s takes 35 ms to
/// be nearly complete.
public enum GainChange: Sendable {
    /// In silence, a ramp waits for the next sound; all other changes apply at once.
    case volume(Double, seconds: Double)
    /// Mute and balance.
    case balance(ChannelGains)
    /// Lowers the music during an announcement.
    case ducking(Double, seconds: Double)
    /// Falling asleep and rising.
    case timer(Double, seconds: Double)
}

/// Commands for an open stream. `fade`: seconds; 0: as short as possible without a click.
public enum StreamCommand: Sendable {
    /// Plays from the ring, with a fade-in after a pause or flush; during the fade-out of a pause, from its present gain.
    /// `beginsItem`: after silence, nothing fades in, and the effects have no past, as in a new stream. Reports `.started`
    /// once the sink's clock advances with our samples.
    case start(fade: Double = 0, beginsItem: Bool = false)
    /// Fades out, stops the clock and keeps the frames that were not heard for the next `start`. The producer may still
    /// write meanwhile. A shorter fade replaces a longer one that runs. Reports `.paused`, unless a `start` came before;
    /// the clock then stands at the first frame that was not heard.
    case pause(fade: Double = 0)
    /// Drops the frames before this index that were not heard. Audible sound fades out, as far as there are frames before
    /// the index. A running stream continues with the frames from the index on (fading in), and counts no underrun until
    /// they arrive. Reports `.flushed` when no frame before the index can sound any more.
    case flush(to: FrameCount, fade: Double = 0)
    /// The last frame was written: plays the frames in the ring without counting an underrun, then reports `.drained`. A
    /// later `start`, `pause` or `flush` ends draining; after `.drained`, only `start` restarts the sound.
    case drain
    /// Fades out, closes the stream and reports `.closed`.
    case close
    /// Shifts a running stream by this many frames, earlier if positive, by skipping or repeating frames with a fade of a
    /// few milliseconds. Shifts by less if fewer frames are available.
    case shift(by: FrameCount)
    /// Replaces ring frames that are not audible yet and can be taken back from the sink. The splice gets the result.
    case splice(RingSplice)
    /// Removes a mute that another program has set, such as a sound server during a call.
    case unmute
}

/// Identifies one load of an item or one output stream; late callbacks of older generations are dropped.
public struct Generation: Hashable, Sendable {
    public var number: UInt64

    public init(_ number: UInt64) {
        self.number = number
    }
}

/// One reading of the sink's clock.
public struct OutputClock: Hashable, Sendable {
    /// The ring index of the frame that is heard at `sampledAt`; never decreases within a stream.
    public var ringIndex: FrameCount
    /// True if the index advances in real time from `sampledAt` on.
    public var isAdvancing: Bool
    public var sampledAt: MonotonicTime
    /// Seconds from the ring to the ear.
    public var latency: Double

    public init(ringIndex: FrameCount, isAdvancing: Bool, sampledAt: MonotonicTime, latency: Double) {
        self.ringIndex = ringIndex
        self.isAdvancing = isAdvancing
        self.sampledAt = sampledAt
        self.latency = latency
    }
}

public enum AudioOutputEvent: Sendable {
    case opened(Generation, FrameRing)
    case started(Generation)
    case paused(Generation)
    case flushed(Generation)
    case drained(Generation)
    case closed(Generation)
    /// The ring ran empty during playback: silence is heard and the clock stops. `.started` follows when sound does.
    case underrun(Generation)
    /// The sink is suspended or resumes. While suspended, the clock stops although the stream runs. Reported unchanged after a
    /// move, once the clock knows the new sink.
    case suspended(Generation, Bool)
    /// The sound server requests silence (a call begins), or withdraws the request. It may also mute the stream.
    case corkRequested(Generation, Bool)
    /// A person muted only this stream, or unmuted it.
    case muted(Generation, Bool)
    /// The sound server lowers our stream for another one, or restores it. No volume setting changes.
    case ducked(Bool)
    /// The stream is on the wrong device and cannot be moved: it must be replaced.
    case displaced(Generation)
    /// The stream ended or could not be created. After `.lost`, it may be reopened at once.
    case failed(Generation, AudioOutputError)
    /// The connection to the sink opened or closed. Sent after `activate` and at each change, after the devices.
    case availability(OutputAvailability)
    /// The devices, the default or the chosen device changed.
    case devices(OutputDevices)
}

public enum OutputAvailability: Hashable, Sendable {
    case available
    /// With a sentence for the user that names the cause (refused, no such socket, access denied).
    case unavailable(String)
}

/// The cases differ in the reaction: retry when available, check the devices first, or inform the user.
public enum AudioOutputError: Error, Hashable, Sendable {
    /// The server disappeared; the item can resume when it is back.
    case lost(String)
    /// The device disappeared, or another program took the stream off it. The route decides where to continue.
    case deviceGone(String)
    /// The sink permanently rejected the stream.
    case refused(String)

    public var message: String {
        switch self {
        case .lost(let message), .deviceGone(let message), .refused(let message): message
        }
    }
}
