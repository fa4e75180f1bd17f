// SPDX-License-Identifier: Apache-2.0

import Testing
import Kernel

@testable import Service

@Suite struct RecorderLoopTests {
    @Test func whatComesBehindTheEnd_isAnswered() {
        let (mailbox, answers) = (Mailbox<RecorderMessage>(), Mailbox<RecordingError>())
        mailbox.post(.shutdown)
        mailbox.post(.start(RecordingSettings()) { if case .failure(let error) = $0 { answers.post(error) } })
        mailbox.post(.stop { if case .failure(let error) = $0 { answers.post(error) } })
        let environment = Recorder.Environment(
            capture: ScriptedSource(), store: MemoryRecordings(), refusal: { nil }, play: { _ in })
        RecorderLoop(environment, mailbox, Published(RecordingStatus())).run()
        #expect(answers.take(until: .now) == [.shuttingDown, .shuttingDown])
    }
}
