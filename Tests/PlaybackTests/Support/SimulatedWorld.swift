// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel

@testable import Playback

/// Scripted decoders, a sink and time around a `PlayerCore`, all on one thread: performs its actions and returns the
/// reports of real ones, after delays that a seed determines.
struct SimulatedWorld {
    static let sampleRate = 1_000

    /// The behaviour of a URI's media.
    enum Media {
        case good(seconds: Double)
        /// Opens and fails after this many seconds.
        case damaged(seconds: Double)
        /// A minute long; writes this many seconds and then waits for data.
        case starving(seconds: Double)
        /// Never ends; writes this many seconds.
        case live(seconds: Double)
        /// Like `good`, but not seekable.
        case unsearchable(seconds: Double)
        case missing
        case never
        /// Ten seconds long; takes this many seconds to open.
        case late(seconds: Double)
        /// Like `good`, with six channels.
        case surround(seconds: Double)
    }

    static let surround = ChannelLayout(
        positions: [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .rearLeft, .rearRight])

    struct Session {
        var media: Media
        var run = DecodeRun()
        var place = 0.0
        var scan: Double?
        var tempo = Tempo.normal
        var pace: Timeline.Pace { scan.map { .scan($0) } ?? .played(tempo.rate) }
        /// Media seconds for each second of the ring.
        var stretch: Double { scan.map { max(1, abs($0)) } ?? tempo.rate }
        var loops = 0
        /// Seconds of the end that are held back.
        var held = 0.0
        var tail: HeldTail?
    }

    struct TimerGain {
        var gain: Double
        var seconds: Double
        var at: MonotonicTime
    }

    /// The start delay of a kind of output, and the precision of its clock.
    struct OutputModel: Sendable {
        /// Seconds from the start until the first frame is heard.
        var startsAfter: ClosedRange<Double>
        /// The maximum error of its clock in seconds.
        var jitter: Double
        /// The layout of its streams, whatever is requested.
        var layout: ChannelLayout?
        /// Seconds from the ring to the ear.
        var latency = 0.02

        /// Frames are heard when they are rendered.
        static let file = OutputModel(startsAfter: 0...0, jitter: 0)
        /// A buffered sink that may have to wake up, with a measured latency.
        static let pulseAudio = OutputModel(startsAfter: 0.01...0.35, jitter: 0.003)
    }

    struct Sink {
        var generation: Generation?
        var isOpen = false
        var layout = ChannelLayout.stereo
        var isStarted = false
        var isDraining = false
        var isDry = false
        /// When a requested start is heard.
        var startsAt: MonotonicTime?
        /// When the fade-out ends and the sink pauses.
        var fadeEnd: MonotonicTime?
        /// Takes no frames although it was started and has some.
        var isFrozen = false
        /// Reports no pause: the sound server is frozen.
        var isMute = false
        var written: FrameCount = 0
        var heard = 0.0
        var cut: FrameCount = 0

        /// Holds frames that were neither heard nor flushed.
        var isAudible: Bool { max(heard, Double(cut)) < Double(written) }
    }

    var core: PlayerCore
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    var random: SeededGenerator
    var sessions: [Generation: Session] = [:]
    var sink = Sink()
    var model = OutputModel.file
    var isAvailable = true
    private(set) var due: [(at: MonotonicTime, input: PlayerCore.Input)] = []
    private(set) var events: [PlayerEvent.Kind] = []
    private(set) var replies: [CommandToken: CommandOutcome] = [:]
    private(set) var saved: [SavedChange] = []
    private(set) var selected: [String?] = []
    /// The effects that the output received.
    var effects: [EffectSettings] = []
    private(set) var unmutes = 0
    /// Cuts of the ring in the middle of an item.
    private(set) var cuts = 0
    private(set) var timerGains: [TimerGain] = []
    private(set) var volumes: [(sent: Double, seconds: Double)] = []
    private(set) var balances: [ChannelGains] = []
    /// The fade of each pause and flush, in seconds.
    private(set) var fades: [Double] = []
    /// The fade of each start, in seconds.
    private(set) var fadeIns: [Double] = []
    private(set) var asked: [CommandToken: MonotonicTime] = [:]
    /// Commands that were answered after more than 1 s, or twice.
    private(set) var lateOrDoubleReplies = 0
    /// The longest series of ticks, without any other input, that each requested the next one at once.
    private(set) var mostSpins = 0
    private var spins = 0
    var check: (inout SimulatedWorld) -> Void = { _ in }

    init(saved: SavedPlayer = SavedPlayer(), seed: UInt64 = 1, device: String? = nil) {
        random = SeededGenerator(seed: seed)
        core = PlayerCore(saved, now: now, seed: seed, device: device)
        perform(core.begin())
        send(.output(.availability(.available)))
    }

    var status: PlayerStatus { core.status }
    var position: Double { core.positionClock.position(at: now) }
    var loads = 0
    /// The number of streams opened.
    private(set) var opened = 0
    /// The number of requests to connect.
    private(set) var connects = 0

    static func media(_ uri: String) -> Media {
        if uri.hasPrefix("missing") { return .missing }
        if uri.hasPrefix("never") { return .never }
        let seconds = Double(uri.split(separator: "-").last ?? "1") ?? 1
        if uri.hasPrefix("starving") || uri.hasPrefix("http://starving") { return .starving(seconds: seconds) }
        if uri.hasPrefix("unsearchable") { return .unsearchable(seconds: seconds) }
        if uri.hasPrefix("surround") { return .surround(seconds: seconds) }
        if uri.hasPrefix("late") { return .late(seconds: seconds) }
        if uri.hasPrefix("live") || uri.hasPrefix("http://live") { return .live(seconds: seconds) }
        return uri.hasPrefix("damaged") ? .damaged(seconds: seconds) : .good(seconds: seconds)
    }

    // MARK: Driving

    @discardableResult
    mutating func command(_ command: PlayerCommand) -> CommandToken {
        let token = CommandToken(number: UInt64(asked.count))
        asked[token] = now
        send(.command(command, token))
        return token
    }

    @discardableResult
    mutating func apply(_ change: (inout SettingsPatch) -> Void) -> CommandToken { command(.apply(.with(change))) }

    mutating func send(_ input: PlayerCore.Input) {
        let actions = core.handle(input, clock: reading, now: now)
        perform(actions)
        check(&self)
    }

    /// Advances time, event by event.
    mutating func run(seconds: Double) {
        let end = now.advanced(bySeconds: seconds)
        var guardCount = 0
        while true {
            guardCount += 1
            precondition(guardCount < 100_000, "no rest: \(core) \(sink) due \(due.count) now \(now)")
            due.sort { $0.at < $1.at }
            guard let next = [due.first?.at, core.nextDeadline, sinkDeadline].compactMap({ $0 }).min(), next <= end
            else { break }
            advance(to: max(next, now.advanced(bySeconds: 0.000_1)))
            if let first = due.first, first.at <= now {
                due.removeFirst()
                send(first.input)
            } else if !reportSink() {
                send(.tick)
                isSpinning(tick: true)
                continue
            }
            isSpinning(tick: false)
        }
        if now < end { advance(to: end) }
    }

    /// Advances time until the condition holds; returns false if it does not within `seconds`.
    mutating func run(upTo seconds: Double = 5, until condition: (SimulatedWorld) -> Bool) -> Bool {
        let end = now.advanced(bySeconds: seconds)
        while !condition(self) {
            guard now < end else { return false }
            run(seconds: 0.002)
        }
        return true
    }

    /// A core that keeps requesting the next tick at once keeps a processor busy.
    private mutating func isSpinning(tick: Bool) {
        let isAtOnce = core.nextDeadline.map { $0.seconds(since: now) < 0.001_5 } ?? false
        spins = tick && isAtOnce ? spins + 1 : 0
        mostSpins = max(mostSpins, spins)
    }

    mutating func loseSink(_ message: String = "gone") {
        guard let generation = sink.generation else { return }
        send(.tick)
        sink = Sink()
        send(.output(.failed(generation, .lost(message))))
    }

    mutating func loseServer() {
        isAvailable = false
        send(.output(.availability(.unavailable("no server"))))
        loseSink()
    }

    mutating func returnServer() {
        isAvailable = true
        send(.output(.availability(.available)))
    }

    // MARK: The sink

    var reading: OutputClock {
        mutating get {
            let isOff = isSounding && model.jitter > 0
            let error = isOff ? Double.random(in: -model.jitter...model.jitter, using: &random) : 0
            return OutputClock(
                ringIndex: max(core.stream.timeline.heard, FrameCount(sink.heard)), isAdvancing: isSounding,
                sampledAt: now.advanced(bySeconds: error), latency: model.latency)
        }
    }

    private var isSounding: Bool {
        sink.isOpen && sink.isStarted && !sink.isDry && !sink.isFrozen && sink.isAudible
            && sink.startsAt.map { $0 <= now } ?? true
    }

    /// Without the inputs that are due.
    mutating func advance(to time: MonotonicTime) {
        if isSounding {
            sink.heard = min(
                Double(sink.written),
                max(sink.heard, Double(sink.cut)) + time.seconds(since: now) * Double(Self.sampleRate))
        }
        now = time
    }

    private var sinkDeadline: MonotonicTime? {
        [sink.fadeEnd, beginning, runningDry, runningLow].compactMap(\.self).min()
    }

    private var beginning: MonotonicTime? { sink.startsAt.flatMap { $0 > now ? $0 : nil } }

    private var runningDry: MonotonicTime? {
        guard beginning == nil, sink.isOpen, sink.isStarted, !sink.isDry, !sink.isFrozen else { return nil }
        return now.advanced(
            bySeconds: (Double(sink.written) - max(sink.heard, Double(sink.cut))) / Double(Self.sampleRate) + 0.000_2)
    }

    /// Reports what the sink reports by itself now. Returns false if nothing.
    private mutating func reportSink() -> Bool { writeTails() || reportFade() || reportEmptiness() }

    private mutating func reportFade() -> Bool {
        guard !sink.isMute, let end = sink.fadeEnd, end <= now, let generation = sink.generation else { return false }
        sink.fadeEnd = nil
        sink.isStarted = false
        after(delay(), .output(.paused(generation)))
        return true
    }

    private mutating func reportEmptiness() -> Bool {
        guard let generation = sink.generation, sink.isOpen, sink.isStarted, !sink.isDry,
            !sink.isAudible
        else { return false }
        sink.isDry = true
        if sink.isDraining {
            sink.isStarted = false
            send(.output(.drained(generation)))
        } else {
            send(.output(.underrun(generation)))
        }
        return true
    }

    // MARK: Performing

    mutating func after(_ seconds: Double, _ input: PlayerCore.Input) {
        due.append((now.advanced(bySeconds: seconds), input))
    }

    mutating func delay(_ range: ClosedRange<Double> = 0.001...0.02) -> Double {
        Double.random(in: range, using: &random)
    }

    private mutating func perform(_ actions: [PlayerAction]) {
        for action in actions {
            switch action {
            case .load(let generation, let item, let start): load(item, generation, start)
            case .reposition(let generation, let run, let start): reposition(generation, run, start)
            case .feed(let generation, let feed): self.feed(generation, feed)
            case .hold(let generation, let seconds):
                sessions[generation]?.held = seconds
                writeTails()
            case .unload(let generation): sessions[generation] = nil
            case .cutFading: cuts += 1
            case .output(.open(let format, let generation)): open(generation, format)
            case .output(.connect): connects += 1
            case .output(.stream(.start(let fade, _), let generation)):
                guard generation == sink.generation, sink.isOpen else { continue }
                fadeIns.append(fade)
                if !sink.isStarted, model.startsAfter.upperBound > 0 {
                    sink.startsAt = now.advanced(bySeconds: delay(model.startsAfter))
                }
                sink.isStarted = true
                sink.isDraining = false
                sink.fadeEnd = nil
                sink.isDry = !sink.isAudible
                if !sink.isDry {
                    after(delay() + (sink.startsAt?.seconds(since: now) ?? 0), .output(.started(generation)))
                }
            case .output(.stream(.pause(let fade), let generation)):
                guard generation == sink.generation else { continue }
                sink.isDraining = false
                fades.append(fade)
                sink.fadeEnd = now.advanced(bySeconds: fade > 0 && isSounding ? fade : 0)
                _ = reportFade()
            case .flushStream(let generation, let fade):
                guard generation == sink.generation else { continue }
                fades.append(fade)
                for id in sessions.keys { sessions[id]?.tail = nil }
                // The clock stays at the last audible frame until new frames arrive.
                sink.cut = sink.written
                after(delay(), .output(.flushed(generation)))
                if sink.fadeEnd != nil { sink.fadeEnd = now }
                _ = reportFade()
            case .output(.stream(.drain, let generation)):
                guard generation == sink.generation else { continue }
                sink.isDraining = true
                sink.isDry = false
            case .output(.stream(.close, let generation)):
                if generation == sink.generation { sink = Sink() }
                for id in sessions.keys { sessions[id]?.tail = nil }
            case .output(.setGain(.timer(let gain, let seconds))):
                timerGains.append(TimerGain(gain: gain, seconds: seconds, at: now))
            case .output(.stream(.shift(let frames), let generation)):
                if generation == sink.generation, isSounding { sink.heard += Double(frames) }
            case .output(.setTap), .output(.describe), .output(.setGain(.ducking)), .output(.stream(.flush, _)),
                .output(.stream(.splice, _)):
                continue
            case .output(.setGain(.volume(let new, let seconds))): volumes.append((new, seconds))
            case .output(.setGain(.balance(let new))): balances.append(new)
            case .output(.setEffects(let new)): effects.append(new)
            case .output(.stream(.unmute, _)): unmutes += 1
            case .output(.select(let device)): selected.append(device)
            case .emit(let kind): events.append(kind)
            case .save(let change): saved.append(change)
            case .request(let command):
                let token = CommandToken(number: UInt64(asked.count))
                asked[token] = now
                after(delay(), .command(command, token))
            case .reply(let token, let outcome):
                if replies.updateValue(outcome, forKey: token) != nil || now.seconds(since: asked[token]!) > 1 {
                    lateOrDoubleReplies += 1
                }
            }
        }
    }

    private mutating func open(_ generation: Generation, _ format: AudioFormat) {
        sink = Sink(generation: generation)
        sink.layout = model.layout ?? core.layout(for: format)
        opened += 1
        guard isAvailable else { return after(delay(), .output(.failed(generation, .lost("nobody there")))) }
        sink.isOpen = true
        let ring = FrameRing(
            format: AudioFormat(sampleRate: Self.sampleRate, layout: sink.layout), capacity: 64, retained: 16)
        after(delay(), .output(.opened(generation, ring)))
    }
}
