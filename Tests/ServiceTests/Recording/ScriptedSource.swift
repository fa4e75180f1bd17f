// SPDX-License-Identifier: Apache-2.0

import Service
import Synchronization
import Kernel

/// A source whose samples and events come from the test.
final class ScriptedSource: AudioCapture {
    private struct State {
        var ring: CaptureRing?
        var report: @Sendable (CaptureEvent) -> Void = { _ in }
        var requests: [RecordingSettings] = []
        var pauses: [Bool] = []
        var closings = 0
    }

    final class Stream: CaptureStream {
        let source: ScriptedSource
        init(_ source: ScriptedSource) { self.source = source }
        func setPaused(_ isPaused: Bool) { source.state.withLock { $0.pauses.append(isPaused) } }
        func close() { source.state.withLock { $0.closings += 1 } }
    }

    private let state = Mutex(State())
    /// One message for each opening.
    let openings = Mailbox<Bool>()
    let failure: RecordingError?
    let isSilent: Bool

    init(failure: RecordingError? = nil, isSilent: Bool = false) {
        self.failure = failure
        self.isSilent = isSilent
    }

    var requests: [RecordingSettings] { state.withLock { $0.requests } }
    var pauses: [Bool] { state.withLock { $0.pauses } }
    var closings: Int { state.withLock { $0.closings } }

    func open(
        _ request: RecordingSettings, into ring: CaptureRing, report: @escaping @Sendable (CaptureEvent) -> Void
    ) -> (any CaptureStream)? {
        state.withLock { state in
            state.ring = ring
            state.report = report
            state.requests.append(request)
        }
        openings.post(true)
        if let failure { report(.failed(failure)) } else if !isSilent { report(.started(source: "mic")) }
        return Stream(self)
    }

    func sources() throws(RecordingError) -> [CaptureSource] { [] }

    func give(_ samples: [Float]) {
        let (ring, report) = state.withLock { ($0.ring, $0.report) }
        samples.withUnsafeBufferPointer { ring?.write($0.baseAddress, count: $0.count) }
        report(.frames)
    }

    func report(_ event: CaptureEvent) { state.withLock { $0.report }(event) }
}

/// Files in memory.
final class MemoryRecordings: RecordingStore {
    final class Writer: RecordingWriter {
        let id: String
        private let store: MemoryRecordings

        init(_ id: String, _ store: MemoryRecordings) {
            self.id = id
            self.store = store
        }

        func write(_ samples: UnsafeBufferPointer<Float>) throws(RecordingError) -> WriteOutcome {
            if store.isFull.withLock({ $0 }) { throw .diskFull("There is no room.") }
            if store.hangs.withLock({ $0 }) {
                store.hung.post(true)
                _ = store.release.take(until: nil)
            }
            store.files.withLock { $0[id, default: []] += samples }
            return .written
        }

        func finish() throws(RecordingError) { store.finished.withLock { $0.append(id) } }
    }

    let files = Mutex<[String: [Float]]>([:])
    let finished = Mutex<[String]>([])
    let isFull = Mutex(false)
    /// Writes hang until `release` gets a message.
    let hangs = Mutex(false)
    let hung = Mailbox<Bool>()
    let release = Mailbox<Bool>()

    func create(_ settings: RecordingSettings) throws(RecordingError) -> any RecordingWriter {
        let id = files.withLock { files in
            let id = "take-\(files.count + 1).wav"
            files[id] = []
            return id
        }
        return Writer(id, self)
    }

    func list() throws(RecordingError) -> [RecordingEntry] { [] }
    func entry(_ id: String) throws(RecordingError) -> RecordingEntry { throw .unknownRecording(id) }
    func open(_ id: String) throws(RecordingError) -> (descriptor: Int32, size: UInt64) { throw .unknownRecording(id) }
    func delete(_ id: String) throws(RecordingError) {}
    func address(_ id: String) -> String { "file:///\(id)" }
    func content(_ id: String) -> [Float] { files.withLock { $0[id] ?? [] } }
}
