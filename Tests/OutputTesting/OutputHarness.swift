// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Playback
public import Testing
internal import Kernel

/// Drives any `AudioOutput` with real threads: collects its events and waits for the one a test expects.
public final class OutputHarness {
    public let output: any AudioOutput
    private let mailbox = Mailbox<AudioOutputEvent>()
    /// Names of all stream events so far, oldest first.
    public private(set) var log: [String] = []
    public private(set) var closed: [Generation] = []
    public private(set) var ring: FrameRing?
    private var pending: [AudioOutputEvent] = []
    private var lease: FrameRing.Lease?

    public init(_ output: any AudioOutput) {
        self.output = output
        output.activate { [mailbox] in mailbox.post($0) }
    }

    deinit { output.shutdown() }

    /// Waits up to 10 s for an event with this name and skips those before it.
    @discardableResult
    public func expect(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) -> AudioOutputEvent? {
        let deadline = MonotonicTime.now.advanced(bySeconds: 10)
        while MonotonicTime.now < deadline {
            if pending.isEmpty { pending = mailbox.take(until: deadline) }
            guard !pending.isEmpty else { break }
            let event = pending.removeFirst()
            log.append(event.name)
            if case .opened(_, let ring) = event { self.ring = ring }
            if case .closed(let generation) = event { closed.append(generation) }
            if event.name == name { return event }
        }
        Issue.record("no \(name) after \(log)", sourceLocation: sourceLocation)
        return nil
    }

    public func open(
        _ generation: UInt64 = 1, _ format: AudioFormat = AudioFormat(sampleRate: 44_100, layout: .stereo)
    ) throws {
        output.perform(.open(format, Generation(generation)))
        expect("opened")
        lease = try #require(ring).grant().lease
    }

    /// Writes frames whose samples all have `value`.
    public func fill(_ frames: Int, _ value: Float = 0.5) throws {
        let (ring, lease) = (try #require(ring), try #require(lease))
        let samples = [Float](repeating: value, count: frames * ring.format.channelCount)
        let outcome = samples.withUnsafeBufferPointer { ring.write($0, lease: lease) }
        guard case .wrote(let count, _) = outcome, count == frames else {
            Issue.record("wrote \(outcome) of \(frames)")
            return
        }
    }

    /// Sends a command to a stream, then waits for the event.
    public func send(
        _ command: StreamCommand, _ generation: UInt64 = 1, expecting event: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        output.perform(.stream(command, Generation(generation)))
        if let event { expect(event, sourceLocation: sourceLocation) }
    }

    /// Plays all frames of the first stream.
    public func playOut() {
        send(.start())
        send(.drain, expecting: "drained")
    }

    /// Discards all frames before the returned index; further frames follow it.
    public func cut() throws -> FrameCount {
        let index = try #require(ring).cut()
        lease = try #require(ring).grant().lease
        return index
    }

    /// Whether no event of this name comes within `seconds`.
    public func isQuiet(_ name: String, seconds: Double) -> Bool {
        let deadline = MonotonicTime.now.advanced(bySeconds: seconds)
        while MonotonicTime.now < deadline { pending += mailbox.take(until: deadline) }
        return !pending.contains { $0.name == name }
    }
}

extension AudioOutputEvent {
    /// The stream that reports the event.
    public var generation: Generation? {
        switch self {
        case .opened(let generation, _), .started(let generation), .paused(let generation), .flushed(let generation),
            .drained(let generation), .closed(let generation), .underrun(let generation), .suspended(let generation, _),
            .corkRequested(let generation, _), .muted(let generation, _), .displaced(let generation),
            .failed(let generation, _):
            generation
        case .ducked, .availability, .devices: nil
        }
    }

    public var name: String {
        switch self {
        case .opened: "opened"
        case .started: "started"
        case .paused: "paused"
        case .flushed: "flushed"
        case .drained: "drained"
        case .closed: "closed"
        case .underrun: "underrun"
        case .suspended: "suspended"
        case .failed: "failed"
        case .availability: "availability"
        case .devices: "devices"
        case .corkRequested: "corkRequested"
        case .muted: "muted"
        case .displaced: "displaced"
        case .ducked: "ducked"
        }
    }
}
