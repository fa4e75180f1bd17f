// SPDX-License-Identifier: Apache-2.0

internal import MediaWorkerProtocol
public import Playback

/// All formats except MPEG audio, decoded by worker processes.
public struct MediaWorkerFactory: DecoderFactory {
    private let workers: MediaWorkers

    public init(_ workers: MediaWorkers) { self.workers = workers }

    public func recognises(_ head: [UInt8], of source: any ByteSource) throws(MediaError) -> Bool {
        // Only for HLS segments: in a whole transport stream, positions are not exact to the frame.
        if FileSignature(head) == .transportStream { return !source.isSeekable }
        if Self.isPlayed(FileSignature(head)) { return true }
        // An ID3v2 tag may precede raw AAC and others.
        guard let size = VersionTwoTag.size(head) else { return false }
        return Self.isPlayed(FileSignature(try source.bytes(at: size, count: 64)))
    }

    public func open(_ source: any ByteSource) throws(MediaError) -> any AudioDecoder {
        let process = try naming(source) { () throws(MediaError) in try workers.startForItem() }
        return try MediaWorkerDecoder(WorkerConversation(process, source, workers.limits))
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

    /// Adds the file's name to errors of starting a worker.
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
