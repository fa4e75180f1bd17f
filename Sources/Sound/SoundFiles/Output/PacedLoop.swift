// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Playback
internal import Kernel

/// The state of a `PacedOutput`; lives on its thread.
///
/// Frames are consumed in arrears: every wake-up (a period, or when the ring runs empty) and every command first
/// renders the frames of the elapsed time. The clock is exact at those moments.
final class PacedLoop {
    enum Command: Sendable {
        case output(OutputCommand)
        /// Frames were written for a stream that waits for them.
        case frames
        case shutdown
    }

    /// Seconds between two wake-ups while running.
    private static let period = 0.02

    private let sink: any PacedSink
    private let mailbox: Mailbox<Command>
    private let published: Published<OutputClock, AudioOutputEvent>
    private var stream: PacedStream?
    /// Of the next stream, while there is none.
    private var gains = StreamGains()
    private var effects = EffectSettings.off
    private var tap: SoundTap?
    private var chosen = false

    init(sink: any PacedSink, mailbox: Mailbox<Command>, published: Published<OutputClock, AudioOutputEvent>) {
        self.sink = sink
        self.mailbox = mailbox
        self.published = published
    }

    func run() {
        reportDevices()
        published.notify(.availability(sink.check()))
        while true {
            let commands = mailbox.take(until: stream?.wakeUp(period: Self.period))
            guarded { stream throws(AudioOutputError) in try stream.advance(to: .now) }
            for command in commands {
                switch command {
                case .output(let command): perform(command)
                case .frames: break
                case .shutdown:
                    guarded { stream throws(AudioOutputError) in try stream.fadeOut() }
                    stream = nil
                    publish()
                    return sink.finish()
                }
            }
            publish()
        }
    }

    private func perform(_ command: OutputCommand) {
        switch command {
        case .open(let preferred, let generation): open(preferred, generation)
        case .stream(.close, let generation):
            guard stream?.generation == generation else { return }
            guarded { stream throws(AudioOutputError) in try stream.fadeOut() }
            guard stream != nil else { return }
            forgetStream()
            publish(.closed(generation))
        case .stream(let command, let generation):
            guard stream?.generation == generation else { return }
            guarded { stream throws(AudioOutputError) in try stream.perform(command) }
        case .setGain(let change):
            if stream == nil { gains.apply(change, from: 0, isSilent: true) } else { stream?.setGain(change) }
        case .setEffects(let effects):
            self.effects = effects
            stream?.setEffects(effects)
        case .setTap(let tap):
            self.tap = tap
            stream?.setTap(tap)
        case .select(let device):
            guard device == nil || device == sink.device.id, chosen != (device != nil) else { return }
            chosen = device != nil
            reportDevices()
        case .connect, .describe: break
        }
    }

    private func open(_ preferred: AudioFormat, _ generation: Generation) {
        guarded { stream throws(AudioOutputError) in try stream.fadeOut() }
        forgetStream()
        do throws(AudioOutputError) {
            let format = try sink.open(preferred)
            stream = PacedStream(format, generation, gains: gains, effects: effects, sink: sink) { [mailbox] in
                mailbox.post(.frames)
            }
            stream?.setTap(tap)
            if let stream { publish(.opened(generation, stream.ring)) }
        } catch {
            publish(.failed(generation, error))
        }
    }

    /// The next stream continues its gains.
    private func forgetStream() {
        if let stream { gains = stream.remainingGains }
        stream = nil
    }

    /// Calls the stream, then reports the results; a stream whose sink fails ends.
    private func guarded(_ act: (inout PacedStream) throws(AudioOutputError) -> Void) {
        guard var stream else { return }
        let generation = stream.generation
        do throws(AudioOutputError) {
            try act(&stream)
            let events = stream.takeEvents()
            self.stream = stream
            events.forEach(publish)
        } catch {
            forgetStream()
            publish(.failed(generation, error))
        }
    }

    /// Publishes the clock before the event, so that the event's receiver reads a matching clock.
    private func publish(_ event: AudioOutputEvent? = nil) {
        let silent = OutputClock(ringIndex: 0, isAdvancing: false, sampledAt: .now, latency: 0)
        published.change { clock in
            clock = stream?.clock ?? silent
            return event
        }
    }

    private func reportDevices() {
        published.notify(
            .devices(
                OutputDevices(devices: [sink.device], current: sink.device.id, isChosen: chosen, isFixed: true)))
    }
}

/// The destination of a `PacedOutput`'s sound. Used on the output's thread only.
protocol PacedSink: AnyObject {
    /// Shown as the only device.
    var device: OutputDevice { get }
    /// A sentence with the cause if nothing can be played; called once on activation.
    func check() -> OutputAvailability
    /// The format of the new stream.
    func open(_ preferred: AudioFormat) throws(AudioOutputError) -> AudioFormat
    func write(_ samples: UnsafeBufferPointer<Float>) throws(AudioOutputError)
    /// No more streams will come.
    func finish()
}
