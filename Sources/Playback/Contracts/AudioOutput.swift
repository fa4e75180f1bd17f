// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Kernel

/// Where the player's sound goes. It decouples the player from PulseAudio, so that the player can be tested with a
/// capturing output and a manual clock.
///
/// Every method may be called from any thread (the engine's, in practice), returns at once and never blocks on the
/// sink; the outcome comes through the event handler given to `activate`. Each stream carries the generation it
/// was opened with; commands and events of another generation are dropped.
///
/// One stream at a time: `open` of a new generation ends the previous stream.
public protocol AudioOutput: AnyObject, Sendable {
    /// Starts to watch the sink (and to connect, where there is something to connect to). `handler` is called from the
    /// output's own thread, in order, and must not block.
    func activate(_ handler: @escaping @Sendable (AudioOutputEvent) -> Void)

    /// Commands are carried out in order.
    func perform(_ command: OutputCommand)

    /// The position heard now. Callable from any thread at any rate; neither blocks nor enters the sink's thread.
    func clock() -> OutputClock

    /// Fades out, ends the stream and the connection, and joins the output's threads. Blocks up to 500 ms. Idempotent.
    func shutdown()
}

/// Commands of the player for its output.
public enum OutputCommand: Sendable {
    /// Creates a stream, silent until `start`. The output may choose another rate or layout than asked for (PulseAudio
    /// takes the sink's rate) and answers `.opened` with the ring to fill, or `.failed`.
    case open(AudioFormat, Generation)
    case stream(StreamCommand, Generation)
    /// Moves the gains linearly (in amplitude) over `seconds` from what is heard now on; a new command takes over from
    /// wherever the last one had got to. Kept across streams. Corners are rounded, and 0 s takes 35 ms to be nearly
    /// there.
    case setGains(ChannelGains, seconds: Double)
    /// A factor of its own beside the gains, 1 at the start, moving in the same way. Kept across streams.
    case duck(Double, seconds: Double)
    /// Moves from the effects that are heard to these without a click, within 0.1 s. Kept across streams; a new stream
    /// sounds with them from its first frame on.
    case setEffects(EffectSettings)
    /// From now on copies what is rendered, before the gains, for this tap; nil ends that. Kept across streams.
    case setTap(SoundTap?)
    /// The purpose of the stream, by the sound servers' names (`music`, `game`, `phone`): their policies use it.
    case describe(role: String)
    /// Chooses the device by id, nil for the default one. Moves a running stream, or asks for another one with
    /// `.displaced`; sticky until the device goes.
    case select(String?)
}

/// Commands for an open stream. `fade`: seconds; 0: as short as is possible without a click.
public enum StreamCommand: Sendable {
    /// Plays from the ring, fading in when the stream had been paused or flushed; within the fade-out of a pause, from the
    /// gain that it has reached. Answers `.started` once the sink's clock advances with our samples.
    case start(fade: Double = 0)
    /// Fades out, stops the clock, keeps what was not heard for the next `start`. Frames may go on to be written
    /// meanwhile. A shorter fade takes over from a longer one that runs.
    /// Answers `.paused`, unless a `start` came before; the clock then stands at the first frame that was not heard.
    case pause(fade: Double = 0)
    /// Drops every frame before this index that has not been heard, fading out first when sounding, or as far as there is
    /// something before the index. A running stream goes on with the frames from the index on as soon as they come (fading
    /// in); until then it is silent without counting an underrun. Answers `.flushed` when nothing before the index can
    /// sound any more.
    case flush(to: FrameCount, fade: Double = 0)
    /// The producer has written its last frame: plays what the ring holds, then answers `.drained` when the last frame
    /// was heard. Running dry is then no underrun. A later `start` or `flush` ends the draining state; once drained, only
    /// `start` lets anything sound again.
    case drain
    /// Fades out, gives the stream back to the sink, answers `.closed`.
    case close
    /// Lets a running stream be heard so many frames earlier from about now on (later when negative), by leaving frames
    /// out or playing some again, fading over a few milliseconds. By fewer where that many are not at hand.
    case shift(by: FrameCount)
    /// Replaces frames of the ring that are not audible yet and can be taken back from the sink. The splice itself receives
    /// the answer.
    case splice(RingSplice)
    /// Takes back a mute that someone else has put on the stream, such as a sound server for the time of a call.
    case unmute
}

/// Identifies one load of an item or one output stream; late callbacks of an older one are dropped.
public struct Generation: Hashable, Comparable, Sendable {
    public var number: UInt64

    public init(_ number: UInt64) {
        self.number = number
    }

    public static func < (left: Generation, right: Generation) -> Bool { left.number < right.number }
}

/// One reading of the sink's clock.
public struct OutputClock: Hashable, Sendable {
    /// Index in the ring of the frame that is heard at `sampledAt`; never decreases within a stream.
    public var ringIndex: FrameCount
    /// Whether it advances, at one second's frames a second, from `sampledAt` on.
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
    /// The ring ran empty while playing: silence is heard and the clock stands. `.started` follows when sound does.
    case underrun(Generation)
    /// The sink sleeps (or wakes): while suspended the clock stands although the stream is running.
    case suspended(Generation, Bool)
    /// The sound server wants the stream silent (a call begins), or takes that back. It may have muted it, too.
    case corkRequested(Generation, Bool)
    /// Somebody has muted the stream and nothing else, or takes that back.
    case muted(Generation, Bool)
    /// The sound server turns our stream down while another one plays, or no longer. Nobody's volume has changed.
    case ducked(Bool)
    /// The stream is not where it should be and cannot be moved there: another one is to be opened in its place.
    case displaced(Generation)
    /// The stream is gone or could not be made. `.lost` streams may be opened again at once or when available.
    case failed(Generation, AudioOutputError)
    /// The way to the sink opened or closed. Sent once after `activate` and at each change; when it opened, after the devices
    /// behind it.
    case availability(OutputAvailability)
    /// The list of devices, the default or the chosen one changed.
    case devices(OutputDevices)
}

public enum OutputAvailability: Hashable, Sendable {
    case available
    /// With a sentence for the user that names the cause (refused, no such socket, access denied).
    case unavailable(String)
}

/// Cases by reaction: retry when available / look at the devices first / inform the user.
public enum AudioOutputError: Error, Hashable, Sendable {
    /// The server went away; the same item may go on when there is one again.
    case lost(String)
    /// The device went away, or someone took the stream off it. Where to go on is a matter of the route.
    case deviceGone(String)
    /// The sink refused the stream for good.
    case refused(String)

    public var message: String {
        switch self {
        case .lost(let message), .deviceGone(let message), .refused(let message): message
        }
    }
}
