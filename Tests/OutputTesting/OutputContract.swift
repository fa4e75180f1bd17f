// SPDX-License-Identifier: Apache-2.0

internal import Audio
public import Playback
internal import Testing
internal import Kernel

/// The contract of `AudioOutput`, checked in real time on any implementation.
public func checkContract(of makeOutput: () throws -> any AudioOutput) throws {
    for check in [
        playsDrainsAndCloses, pausesAndContinues, flushes, flushesLastFrames, reportsUnderruns, dropsOtherGenerations,
        choosesDevices, clockRunsInRealTime,
    ] {
        let harness = OutputHarness(try makeOutput())
        harness.expect("devices")
        harness.expect("availability")
        try check(harness)
        harness.output.shutdown()
        harness.output.shutdown()
        #expect(!harness.output.clock().isAdvancing)
    }
}

private func playsDrainsAndCloses(_ harness: OutputHarness) throws {
    try harness.open()
    try harness.fill(4_410)
    #expect(!harness.output.clock().isAdvancing)
    harness.send(.start(), expecting: "started")
    #expect(harness.output.clock().isAdvancing)
    harness.send(.drain, expecting: "drained")
    #expect(harness.output.clock().ringIndex == 4_410 && !harness.output.clock().isAdvancing)
    #expect(!harness.log.contains("underrun"))
    // A drained stream stays silent until the next start; then the end of its frames is an underrun.
    harness.send(.flush(to: 4_410), expecting: "flushed")
    try harness.fill(441)
    #expect(harness.isQuiet("started", seconds: 0.1))
    #expect(!harness.output.clock().isAdvancing)
    harness.send(.start(), expecting: "started")
    harness.expect("underrun")
    harness.send(.close, expecting: "closed")
}

private func pausesAndContinues(_ harness: OutputHarness) throws {
    try harness.open()
    try harness.fill(44_100)
    harness.send(.start(), expecting: "started")
    harness.send(.pause(), expecting: "paused")
    let paused = harness.output.clock()
    #expect(!paused.isAdvancing && paused.ringIndex < 44_100)
    #expect(harness.isQuiet("underrun", seconds: 0.1))
    #expect(harness.output.clock().ringIndex == paused.ringIndex)
    harness.send(.start(), expecting: "started")
    #expect(harness.output.clock().ringIndex >= paused.ringIndex)
    // A pause ends draining.
    harness.send(.drain)
    harness.send(.pause(), expecting: "paused")
    #expect(harness.isQuiet("drained", seconds: 0.1))
}

private func flushes(_ harness: OutputHarness) throws {
    try harness.open()
    try harness.fill(44_100)
    harness.send(.start(), expecting: "started")
    let index = try harness.cut()
    harness.send(.flush(to: index), expecting: "flushed")
    #expect(harness.output.clock().ringIndex == 44_100)
    #expect(harness.isQuiet("underrun", seconds: 0.1))
    try harness.fill(4_410)
    harness.expect("started")
    harness.send(.pause(), expecting: "paused")
    // A paused stream stays silent after a flush.
    harness.send(.flush(to: try harness.cut()), expecting: "flushed")
    try harness.fill(4_410)
    #expect(harness.isQuiet("started", seconds: 0.1))
}

/// The sink has taken all frames: their end is no underrun.
private func flushesLastFrames(_ harness: OutputHarness) throws {
    try harness.open()
    try harness.fill(4_410)
    harness.send(.start(), expecting: "started")
    let deadline = MonotonicTime.now.advanced(bySeconds: 5)
    while harness.output.clock().ringIndex < 4_200, MonotonicTime.now < deadline {}
    harness.send(.flush(to: try harness.cut()), expecting: "flushed")
    #expect(harness.isQuiet("underrun", seconds: 0.1))
    try harness.fill(441)
    harness.expect("started")
}

private func reportsUnderruns(_ harness: OutputHarness) throws {
    try harness.open()
    harness.send(.start())
    try harness.fill(2_205)
    harness.expect("started")
    harness.expect("underrun")
    let clock = harness.output.clock()
    #expect(clock.ringIndex == 2_205 && !clock.isAdvancing)
    try harness.fill(2_205)
    harness.expect("started")
    #expect(harness.log.filter { $0 == "underrun" }.count == 1)
}

private func dropsOtherGenerations(_ harness: OutputHarness) throws {
    try harness.open()
    try harness.fill(4_410)
    try harness.open(2)
    try harness.fill(44_100)
    harness.send(.start())
    harness.send(.close)
    harness.send(.pause())
    #expect(harness.isQuiet("started", seconds: 0.1))
    harness.send(.start(), 2)
    guard case .started(let generation)? = harness.expect("started") else { return }
    #expect(generation == Generation(2))
    // The replaced stream may report that it was closed; the new one must not.
    #expect(!harness.log.contains("paused") && !harness.closed.contains(Generation(2)))
}

private func choosesDevices(_ harness: OutputHarness) throws {
    harness.output.perform(.select(nil))
    #expect(harness.isQuiet("failed", seconds: 0.02))
}

private func clockRunsInRealTime(_ harness: OutputHarness) throws {
    try harness.open()
    try harness.fill(66_150)
    harness.send(.start(), expecting: "started")
    let first = harness.output.clock()
    var last = first
    while last.ringIndex - first.ringIndex < 22_050, MonotonicTime.now.seconds(since: first.sampledAt) < 5 {
        let next = harness.output.clock()
        #expect(next.ringIndex >= last.ringIndex)
        last = next
    }
    let seconds = last.sampledAt.seconds(since: first.sampledAt)
    #expect(abs(seconds - Double(last.ringIndex - first.ringIndex) / 44_100) < 0.05)
}
