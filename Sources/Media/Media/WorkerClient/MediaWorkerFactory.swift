// SPDX-License-Identifier: Apache-2.0

internal import MediaWorkerProtocol
public import Playback

/// Every format but MPEG audio, decoded by workers.
public struct MediaWorkerFactory: DecoderFactory {
    private let workers: MediaWorkers

    public init(_ workers: MediaWorkers) { self.workers = workers }

    public func recognises(_ head: [UInt8], of source: any ByteSource) throws(MediaError) -> Bool {
        // In a row of segments; of a whole file in this form places are not known to the frame.
        if FileSignature(head) == .transportStream { return !source.isSeekable }
        if Self.isPlayed(FileSignature(head)) { return true }
        // An ID3v2 tag stands before raw AAC, sometimes before others.
        guard let size = VersionTwoTag.size(head) else { return false }
        return Self.isPlayed(FileSignature(try source.bytes(at: size, count: 64)))
    }

    public func open(_ source: any ByteSource) throws(MediaError) -> any AudioDecoder {
        try MediaWorkerDecoder(WorkerConversation(try start(for: source), source, workers.limits))
    }

    public func outline(_ source: any ByteSource) throws(MediaError) -> MediaOutline {
        let opened = try outlined(source)
        return MediaOutline(media: MediaDescription(opened), hasPicture: opened.hasPicture)
    }

    public func lyrics(in source: any ByteSource) throws(MediaError) -> String? {
        MediaDescription.Tags.lyrics(in: try outlined(source).tags)
    }

    private func outlined(_ source: any ByteSource) throws(MediaError) -> WorkerMedia {
        try naming(source) { () throws(MediaError) in
            try workers.borrow(for: source) { conversation throws(MediaError) in
                try conversation.open(isOutline: true)
            }
        }
    }

    private func start(for source: any ByteSource) throws(MediaError) -> WorkerProcess {
        try naming(source) { () throws(MediaError) in try workers.startForItem() }
    }

    /// A worker that is not there knows no file.
    private func naming<Value>(
        _ source: any ByteSource, _ body: () throws(MediaError) -> Value
    ) throws(MediaError) -> Value {
        do throws(MediaError) {
            return try body()
        } catch {
            if error.message.contains(source.name) { throw error }
            throw MediaError(error.code, "\(source.name) cannot be played: \(error.message).")
        }
    }

    private static func isPlayed(_ signature: FileSignature?) -> Bool {
        signature.map { $0.mayBeMedia && $0 != .transportStream } ?? false
    }
}
