// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import HTTP

/// Feeds a response from a stream. The connection is suspended while the stream has no bytes, and resumed by `wake`. On
/// the connection's thread.
final class StreamedBody {
    private let stream: any HTTPBodyStream
    private let core: ServerCore
    private let signal: StreamSignal
    private var rest: ArraySlice<UInt8> = []
    private var hasBegun = false

    private init(_ stream: any HTTPBodyStream, connection: OpaquePointer, core: ServerCore) {
        self.stream = stream
        self.core = core
        signal = StreamSignal(connection)
    }

    static func response(
        for stream: any HTTPBodyStream, connection: OpaquePointer, core: ServerCore
    ) -> OpaquePointer? {
        let body = Unmanaged.passRetained(StreamedBody(stream, connection: connection, core: core))
        let handle = cmicrohttpd_stream_response(
            4096,
            { context, _, buffer, capacity in
                guard let context, let buffer else { return cmicrohttpd_end_of_stream }
                return Unmanaged<StreamedBody>.fromOpaque(context).takeUnretainedValue()
                    .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
            }, body.toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<StreamedBody>.fromOpaque(context).takeRetainedValue().finish()
            })
        if handle == nil { body.release() }
        return handle
    }

    /// 0 if the connection was suspended.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if !hasBegun {
            hasBegun = true
            guard core.exchanges.insert(signal, end: { [signal] in signal.end() }) else {
                return cmicrohttpd_end_of_stream
            }
            stream.begin { [signal] in signal.wake() }
        }
        while rest.isEmpty {
            guard signal.takeWake() else { return cmicrohttpd_end_of_stream }
            switch stream.next() {
            case .bytes(let bytes): rest = bytes[...]
            case .finished: return cmicrohttpd_end_of_stream
            case .wait: if signal.suspend() { return 0 }
            }
        }
        let count = min(rest.count, buffer.count)
        rest.prefix(count).withUnsafeBytes { buffer.copyMemory(from: $0) }
        rest = rest.dropFirst(count)
        return count
    }

    /// The response was sent, or the client has disconnected.
    private func finish() {
        core.exchanges.remove(signal)
        signal.finish()
        stream.end()
    }
}
