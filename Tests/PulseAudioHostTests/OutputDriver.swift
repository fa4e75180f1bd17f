// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import PulseAudioHost
import Synchronization
import Kernel

/// An output with its events in a list, and a producer for its ring.
final class OutputDriver: Sendable {
    let output: PulseAudioOutput
    private let events = Mutex<[(event: AudioOutputEvent, time: MonotonicTime)]>([])
    private let came = Mailbox<Bool>()

    init(_ daemon: PulseDaemon) {
        output = PulseAudioOutput(server: daemon.server)
        output.activate { [events = Weak(self)] event in events.driver?.note(event) }
    }

    private final class Weak: @unchecked Sendable {  // because `weak` is set once, before the output is used
        weak var driver: OutputDriver?
        init(_ driver: OutputDriver) { self.driver = driver }
    }

    private func note(_ event: AudioOutputEvent) {
        events.withLock { $0.append((event, .now)) }
        came.post(true)
    }

    var all: [AudioOutputEvent] { events.withLock { $0.map(\.event) } }
    var count: Int { events.withLock { $0.count } }

    /// The first event from index `start` on that `pick` takes; with its time.
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

    func waitAvailable() throws {
        try wait("availability", within: 8) { if case .availability(.available) = $0 { true } else { nil } }
    }

    func open(_ number: UInt64, layout: ChannelLayout = .stereo) throws -> FrameRing {
        let start = count
        output.perform(.open(AudioFormat(sampleRate: 44_100, layout: layout), Generation(number)))
        return try wait("opened", from: start) {
            if case .opened(Generation(number), let ring) = $0 { ring } else { nil }
        }.value
    }

    @discardableResult
    func waitStarted(_ number: UInt64, from start: Int) throws -> MonotonicTime {
        try wait("started", from: start) { if case .started(Generation(number)) = $0 { true } else { nil } }.time
    }

    @discardableResult
    func waitPaused(_ number: UInt64, from start: Int) throws -> MonotonicTime {
        try wait("paused", from: start) { if case .paused(Generation(number)) = $0 { true } else { nil } }.time
    }

    @discardableResult
    func waitFlushed(_ number: UInt64, from start: Int) throws -> MonotonicTime {
        try wait("flushed", from: start) { if case .flushed(Generation(number)) = $0 { true } else { nil } }.time
    }

    @discardableResult
    func waitDrained(_ number: UInt64, from start: Int, within: Double = 5) throws -> MonotonicTime {
        try wait("drained", from: start, within: within) {
            if case .drained(Generation(number)) = $0 { true } else { nil }
        }.time
    }

    @discardableResult
    func waitClosed(_ number: UInt64, from start: Int = 0) throws -> MonotonicTime {
        try wait("closed", from: start) { if case .closed(Generation(number)) = $0 { true } else { nil } }.time
    }
}

/// 16-bit noise that never is silent, so that it can be found and compared exactly.
struct Noise {
    let frames: [SIMD2<Int16>]

    init(seconds: Double, seed: UInt64 = 1) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func next() -> Int16 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            let value = Int16(truncatingIfNeeded: state >> 20) / 2
            return value == 0 ? 1 : value
        }
        frames = (0..<Int(seconds * 44_100)).map { _ in SIMD2(next(), next()) }
    }

    var samples: [Float] { frames.flatMap { [Float($0.x) / 32_768, Float($0.y) / 32_768] } }

    /// Writes as a decode thread would; ends with the material or the lease.
    func feed(_ ring: FrameRing, lease: FrameRing.Lease, done: (@Sendable () -> Void)? = nil) {
        Self.feed(samples, ring, lease: lease, done: done)
    }

    static func feed(
        _ samples: [Float], _ ring: FrameRing, lease: FrameRing.Lease, done: (@Sendable () -> Void)? = nil
    ) {
        NamedThread("feed") {
            var position = 0
            while position < samples.count {
                guard ring.waitForSpace(1152, lease: lease) else { return }
                let part = samples[position..<min(samples.count, position + 2304)]
                guard case .wrote(let frames, _) = part.withUnsafeBufferPointer({ ring.write($0, lease: lease) })
                else { return }
                position += frames * 2
            }
            done?()
        }.detach()
    }
}
