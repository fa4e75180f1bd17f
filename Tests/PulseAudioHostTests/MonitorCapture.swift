// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Kernel

/// A recording of a sink's monitor: 16-bit stereo frames with their times of arrival.
final class MonitorCapture: Sendable {
    private struct Content {
        var frames: [SIMD2<Int16>] = []
        var arrivals: [(frames: Int, time: MonotonicTime)] = []
    }

    private let content = Mutex(Content())
    private let arrived = Mailbox<Int>()
    private let process: ChildProcess

    init(_ daemon: PulseDaemon, sink: String = "spk") throws {
        let arguments = [
            "-d", "\(sink).monitor", "--format=s16le", "--rate=44100", "--channels=2", "--latency-msec=5",
        ]
        process = try ChildProcess(
            "/usr/bin/parec", arguments, environment: daemon.environment, pipesOutput: true)
        NamedThread("capture") { [self] in read(process.output) }.detach()
        // parec's timing is uneven in the first seconds.
        _ = try frames(from: 0, count: 110_250, within: 8)
    }

    private func read(_ descriptor: Int32) {
        var buffer = [SIMD2<Int16>](repeating: .zero, count: 8192)
        var left = 0
        while true {
            let count = buffer.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress! + left, $0.count - left)
            }
            guard count > 0 else { return }
            let frames = (left + count) / 4
            content.withLock {
                $0.frames += buffer[..<frames]
                $0.arrivals.append(($0.frames.count, .now))
            }
            arrived.post(frames)
            let rest = (left + count) % 4
            buffer.withUnsafeMutableBytes { $0.copyBytes(from: Array($0[(frames * 4)..<(frames * 4 + rest)])) }
            left = rest
        }
    }

    var count: Int { content.withLock { $0.frames.count } }

    /// The time of arrival of a frame.
    func arrival(of frame: Int) -> MonotonicTime? {
        content.withLock { $0.arrivals.first { $0.frames > frame }?.time }
    }

    func frames(from start: Int, count: Int, within seconds: Double) throws -> [SIMD2<Int16>] {
        try wait(within: seconds) { $0.count >= start + count ? Array($0[start..<start + count]) : nil }
    }

    func frames(from start: Int) -> [SIMD2<Int16>] { content.withLock { Array($0.frames[start...]) } }

    /// Index of the first frame from `start` on that is not silent.
    func firstSound(from start: Int, within seconds: Double) throws -> Int {
        try wait(within: seconds) { frames in frames[start...].firstIndex { $0 != .zero } }
    }

    private func wait<T>(within seconds: Double, for condition: (borrowing [SIMD2<Int16>]) -> T?) throws -> T {
        let deadline = MonotonicTime.now.advanced(bySeconds: seconds)
        while true {
            if let value = content.withLock({ condition($0.frames) }) { return value }
            guard MonotonicTime.now < deadline else { throw PulseDaemon.Failure("nothing heard in \(seconds) s") }
            _ = arrived.take(until: deadline)
        }
    }

    func stop() {
        process.end()
    }
}
