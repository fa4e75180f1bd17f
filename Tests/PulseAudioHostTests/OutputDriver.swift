// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import OutputTesting
import Playback
import PulseAudioHost
import Synchronization
import Kernel

/// An output with a log of its events, and a producer for its ring.
final class OutputDriver: Sendable {
    let output: PulseAudioOutput
    private let events = Mutex<[(event: AudioOutputEvent, time: MonotonicTime)]>([])
    private let came = Mailbox<Void>()

    init(_ daemon: PulseDaemon) {
        output = PulseAudioOutput(server: daemon.server)
        let driver = Weak(self)
        output.activate { event in driver.value?.note(event) }
    }

    /// Runs `body` with an available output on its own server.
    static func with(
        sinks: [String] = ["one"], _ body: (_ daemon: PulseDaemon, _ driver: OutputDriver) throws -> Void
    ) throws {
        let daemon = try PulseDaemon(sinks: sinks)
        defer { daemon.remove() }
        let driver = OutputDriver(daemon)
        defer { driver.output.shutdown() }
        try driver.waitAvailable()
        try body(daemon, driver)
    }

    private func note(_ event: AudioOutputEvent) {
        events.withLock { $0.append((event, .now)) }
        came.post(())
    }

    var all: [AudioOutputEvent] { events.withLock { $0.map(\.event) } }
    var count: Int { events.withLock { $0.count } }
    var hasFailed: Bool { all.contains { $0.name == "failed" } }

    /// The value and time of the first event from index `start` on for which `pick` returns a value.
    @discardableResult
    func wait<T>(_ what: String, from start: Int = 0, within seconds: Double = 3, _ pick: (AudioOutputEvent) -> T?)
        throws -> (value: T, time: MonotonicTime)
    {
        let deadline = MonotonicTime.now.advanced(bySeconds: seconds)
        while true {
            for entry in events.withLock({ Array($0[start...]) }) {
                if let value = pick(entry.event) { return (value, entry.time) }
            }
            guard MonotonicTime.now < deadline else {
                throw PulseDaemon.Failure("no \(what) in \(seconds) s; events: \(all)")
            }
            _ = came.take(until: deadline)
        }
    }

    /// The time of the first event from index `start` on with this name, of the stream `number`.
    @discardableResult
    func wait(
        _ name: String, _ number: UInt64 = 1, from start: Int = 0, within seconds: Double = 5
    ) throws -> MonotonicTime {
        try wait(name, from: start, within: seconds) { event in
            event.name == name && event.generation == Generation(number) ? true : nil
        }.time
    }

    func waitLost(_ number: UInt64, from start: Int = 0, within seconds: Double = 3) throws {
        try wait("failure", from: start, within: seconds) {
            if case .failed(Generation(number), .lost) = $0 { true } else { nil }
        }
    }

    func waitSuspended(_ isSuspended: Bool, from start: Int) throws {
        try wait("suspension", from: start) { if case .suspended(_, isSuspended) = $0 { true } else { nil } }
    }

    func waitAvailable(from start: Int = 0) throws {
        try wait("availability", from: start, within: 8) {
            if case .availability(.available) = $0 { true } else { nil }
        }
    }

    func waitDevices(
        from start: Int = 0, within seconds: Double = 3, _ condition: (OutputDevices) -> Bool = { _ in true }
    ) throws -> OutputDevices {
        try wait("devices", from: start, within: seconds) { event in
            if case .devices(let devices) = event, condition(devices) { devices } else { nil }
        }.value
    }

    func open(_ number: UInt64 = 1) throws -> FrameRing {
        let start = count
        output.perform(.open(AudioFormat(sampleRate: 44_100, layout: .stereo), Generation(number)))
        return try wait("opened", from: start) {
            if case .opened(Generation(number), let ring) = $0 { ring } else { nil }
        }.value
    }

    func send(_ command: StreamCommand, _ number: UInt64 = 1) {
        output.perform(.stream(command, Generation(number)))
    }

    /// Opens and starts a stream with these samples.
    func start(_ samples: [Float], _ number: UInt64 = 1) throws -> FrameRing {
        let ring = try open(number)
        feed(samples, ring)
        send(.start(), number)
        return ring
    }

    /// Writes samples as a decode thread would, until their end or that of the lease; then drains the first stream if `drains`.
    func feed(_ samples: [Float], _ ring: FrameRing, framesAtOnce: Int = 1152, drains: Bool = false) {
        let lease = ring.grant().lease
        NamedThread("feed") { [driver = drains ? self : nil] in
            var position = 0
            while position < samples.count {
                guard ring.waitForSpace(framesAtOnce, lease: lease) else { return }
                let part = samples[position..<min(samples.count, position + 2 * framesAtOnce)]
                guard case .wrote(let frames, _) = part.withUnsafeBufferPointer({ ring.write($0, lease: lease) })
                else { return }
                position += frames * 2
            }
            driver?.send(.drain)
        }.detach()
    }
}

/// 16-bit noise that is never silent, so that it can be found and compared exactly.
struct Noise {
    let frames: [SIMD2<Int16>]

    init(seconds: Double, seed: UInt64 = 1) {
        var random = SeededGenerator(seed: seed)
        func next() -> Int16 {
            let value = Int16(truncatingIfNeeded: random.next()) / 2
            return value == 0 ? 1 : value
        }
        frames = (0..<Int(seconds * 44_100)).map { _ in SIMD2(next(), next()) }
    }

    var samples: [Float] { frames.flatMap { [Float($0.x) / 32_768, Float($0.y) / 32_768] } }
}

/// A sine of 441 Hz at a quarter of full scale, on both channels.
enum Sine {
    private static let turn = 2 * Double.pi * 441 / 44_100

    static func samples(seconds: Int) -> [Float] {
        (0..<44_100 * seconds).flatMap { index in
            let sample = Float(sin(turn * Double(index)) / 4)
            return [sample, sample]
        }
    }

    /// A sine's next sample follows from the two before; the difference is a step. The stream's fade-in ends after 5 ms.
    static func largestStep(_ frames: [SIMD2<Int16>]) -> Double {
        let heard = frames.map { Double($0.x) / 32_768 }
        return heard.indices.dropFirst(1_000).map { index in
            abs(heard[index] - 2 * cos(turn) * heard[index - 1] + heard[index - 2])
        }.max() ?? 0
    }
}
