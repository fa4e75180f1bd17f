// SPDX-License-Identifier: Apache-2.0

import Testing

/// For tests that compare each sample which PulseAudio plays. A sink that wakes up late takes more frames at once than its latency,
/// so an issue counts only if the sound server and the output's thread had the processors they needed.
struct RealTimeTrait: TestTrait, TestScoping {
    /// Seconds for which their threads together waited. The run lists each such issue as a known one.
    private static let tolerance = 0.05

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let before = PulseAudioOutputTests.Rig.secondsKeptWaiting
        try await withKnownIssue("the machine was late", isIntermittent: true) {
            try await function()
        } matching: { _ in
            PulseAudioOutputTests.Rig.secondsKeptWaiting - before > Self.tolerance
        }
    }
}

extension Trait where Self == RealTimeTrait {
    static var realTime: Self { Self() }
}
