// SPDX-License-Identifier: Apache-2.0

import Service
import Synchronization

/// A stream whose bytes come from the test.
final class ScriptedStream: RecordableStream {
    private struct State {
        var parts: [StreamPart] = []
        var listener: (@Sendable () -> Void)?
        var isEnded = false
        var offsets: [Int64] = []
    }

    let item: String
    let isLive: Bool
    let size: Int64?
    let format = RecordedFormat.mp3
    private let state = Mutex(State())

    init(item: String = "i1", isLive: Bool = true, size: Int64? = nil) {
        (self.item, self.isLive, self.size) = (item, isLive, size)
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }
    var offsets: [Int64] { state.withLock { $0.offsets } }

    func begin(_ listener: @escaping @Sendable () -> Void) throws(RecordingError) -> Int64 {
        state.withLock { $0.listener = listener }
        return 1_000
    }

    func take(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> StreamPart {
        state.withLock { state in
            guard !state.parts.isEmpty else { return .nothingYet }
            state.offsets.append(offset)
            if case .bytes(let count, _) = state.parts[0] {
                for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: offset + Int64(index)) }
            }
            return state.parts.removeFirst()
        }
    }

    func end() { state.withLock { $0.isEnded = true } }

    /// Adds bytes without notifying the listener.
    func put(_ parts: [StreamPart]) { state.withLock { $0.parts += parts } }

    func give(_ parts: StreamPart...) {
        let listener = state.withLock { state in
            state.parts += parts
            return state.listener
        }
        listener?()
    }
}

final class MemoryStreams: StreamStore {
    final class Writer: StreamWriter {
        let id: String
        private let store: MemoryStreams
        private(set) var count: Int64 = 0

        init(_ id: String, _ store: MemoryStreams) { (self.id, self.store) = (id, store) }

        func write(_ bytes: UnsafeRawBufferPointer) throws(RecordingError) {
            let room = store.room.withLock { $0 }
            store.files.withLock { $0[id, default: []] += bytes.prefix(Int(room - count)) }
            count = min(room, count + Int64(bytes.count))
            if count == room { throw .diskFull("There is no room.") }
        }

        func finish() throws(RecordingError) { store.finished.withLock { $0.append(id) } }
    }

    let files = Mutex<[String: [UInt8]]>([:])
    let finished = Mutex<[String]>([])
    let room = Mutex(Int64.max)

    func createStream(name: String?, _ format: RecordedFormat) throws(RecordingError) -> any StreamWriter {
        Writer("\(name ?? "take").\(format.rawValue)", self)
    }
}
