// SPDX-License-Identifier: Apache-2.0

import KernelTesting
import PulseAudioHost
import Service
import Synchronization
import Testing

/// Changes to the streams of other programs (SPEC rows 97, 104): a user's change comes first.
@Suite(.serialized) struct PulseOtherStreamsTests {
    /// A program that plays, and the server's reports about it.
    private struct Neighbour {
        let daemon: PulseDaemon
        let output: PulseAudioOutput
        let index: UInt32
        let reports: Reports

        func mute(_ isMuted: Bool) { daemon.pactl("set-sink-input-mute", "\(index)", isMuted ? "1" : "0") }
        var isMuted: Bool { daemon.pactl("list", "sink-inputs").contains("Mute: yes") }

        func change(_ value: OtherStreamChange.Value, expected: OtherStreamChange.Value? = nil) -> OtherStreamChange {
            OtherStreamChange(index: index, value: value, expected: expected)
        }

        func make(_ changes: OtherStreamChange...) { output.changeOtherStreams(changes) }
    }

    private final class Reports: Sendable {
        let latest = Mutex<OtherStreams?>(nil)
        private let decided = Mutex<[OtherStreamChange: Bool]>([:])

        var stream: OtherStream? { latest.withLock { $0?.streams.first } }
        /// Whether each change was made.
        var answers: [OtherStreamChange: Bool] { decided.withLock { $0 } }

        func note(_ report: OtherStreamsReport) {
            switch report {
            case .streams(let new): latest.withLock { $0 = new }
            case .decided(let change, let isMade): decided.withLock { $0[change] = isMade }
            }
        }
    }

    private func withNeighbour(_ body: (Neighbour) throws -> Void) throws {
        try OutputDriver.with { daemon, driver in
            let reports = Reports()
            driver.output.watchOtherStreams { reports.note($0) }
            let program = try ChildProcess("/usr/bin/pacat", ["--raw", "/dev/zero"], environment: daemon.environment)
            defer { program.end() }
            try #require(eventually { reports.stream != nil })
            let index = try #require(reports.stream?.index)
            try body(Neighbour(daemon: daemon, output: driver.output, index: index, reports: reports))
        }
    }

    @Test func aChangeThatAUserForestalled_isRefused() throws {
        try withNeighbour { neighbour in
            neighbour.mute(true)
            let mute = neighbour.change(.muted(true), expected: .muted(false))
            neighbour.make(mute)
            #expect(eventually { neighbour.reports.answers == [mute: false] })
            let duck = neighbour.change(.volume([1_000, 1_000]), expected: .volume([2_000, 2_000]))
            neighbour.make(duck)
            #expect(eventually { neighbour.reports.answers == [mute: false, duck: false] })
            #expect(neighbour.daemon.pactl("list", "sink-inputs").contains("100% "))
        }
    }

    @Test func anExpectedStream_isChanged() throws {
        try withNeighbour { neighbour in
            let mute = neighbour.change(.muted(true), expected: .muted(false))
            neighbour.make(mute)
            #expect(
                eventually { neighbour.reports.stream?.isMuted == true } && neighbour.reports.answers == [mute: true])
            neighbour.make(neighbour.change(.muted(false)))
            #expect(eventually { neighbour.reports.stream?.isMuted == false })
        }
    }

    /// The undone change waits for its listing.
    @Test func aChangeUndoneBeforeItIsMade_leavesTheStream() throws {
        try withNeighbour { neighbour in
            neighbour.mute(true)
            #expect(eventually { neighbour.reports.stream?.isMuted == true })
            neighbour.make(
                neighbour.change(.volume([1_000, 1_000]), expected: .volume([65_536, 65_536])),
                neighbour.change(.volume([65_536, 65_536])))
            // The undo is not made either.
            neighbour.make(
                neighbour.change(.muted(true), expected: .muted(false)), neighbour.change(.muted(false)))
            // Decided after all that came before it.
            let last = neighbour.change(.muted(true), expected: .muted(false))
            neighbour.make(last)
            #expect(eventually { neighbour.reports.answers == [last: false] })
            #expect(neighbour.isMuted && neighbour.reports.stream?.volume == [65_536, 65_536])
        }
    }
}
