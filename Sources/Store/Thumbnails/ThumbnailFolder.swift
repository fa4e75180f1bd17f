// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Kernel
public import Logging
public import Media
public import Service
import Synchronization

/// A cache of decoded video frames, one file each. Ignores files that cannot be read or written: frames can be decoded again.
/// All members block on the disk. Any thread may call them.
public final class ThumbnailFolder: Sendable {
    private let directory: String
    private let most: Int
    private let logger: Logger
    private let writing = Mutex(())
    /// The maximum of bytes before the picture. Frames of longer addresses are not kept.
    private static let headLimit = 8 << 10

    /// Creates the folder with the first frame. `most`: the maximum number of files; the oldest are removed.
    public init(_ directory: String, most: Int = 1_000, logger: Logger) {
        self.directory = directory
        self.most = most
        self.logger = logger
    }

    /// nil if there is no such frame of this version of the file.
    public func frame(_ uri: String, _ stamp: FileStamp, at seconds: Double, edge: Int) -> VideoThumbnail? {
        guard let file = File(path(uri, seconds, edge)), file.stamp == Self.text(stamp), file.kept.uri == uri,
            file.kept.seconds == seconds, file.kept.edge == edge
        else { return nil }
        return VideoThumbnail(time: file.kept.time, jpeg: file.jpeg)
    }

    public func keep(_ frame: VideoThumbnail, of uri: String, _ stamp: FileStamp, at seconds: Double, edge: Int) {
        let head = [uri, Self.text(stamp), "\(seconds)", "\(edge)", "\(frame.time)", ""].joined(separator: "\0")
        guard head.utf8.count <= Self.headLimit else { return }
        writing.withLock { _ in
            do {
                try DataDirectory.make(directory)
                try WholeFile.write(Array(head.utf8) + frame.jpeg, to: path(uri, seconds, edge), survives: false)
                for name in try names().dropFirst(most) { unlink("\(directory)/\(name)") }
            } catch {
                logger.warning("a thumbnail is not kept: \(error)")
            }
        }
    }

    /// Newest first.
    public func list() -> [KeptThumbnail] {
        guard access(directory, F_OK) == 0 else { return [] }
        do {
            return try names().compactMap { File("\(directory)/\($0)", limit: Self.headLimit)?.kept }
        } catch {
            logger.warning("the thumbnails cannot be listed: \(error)")
            return []
        }
    }

    /// Newest first.
    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).map { name in
            var status = stat()
            stat("\(directory)/\(name)", &status)
            return (name, status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }.sorted { ($0.1, $0.2) > ($1.1, $1.2) }.map(\.0)
    }

    private func path(_ uri: String, _ seconds: Double, _ edge: Int) -> String {
        "\(directory)/\(String(StableHash(of: "\(uri)\0\(seconds)\0\(edge)".utf8).value, radix: 36))"
    }

    private static func text(_ stamp: FileStamp) -> String {
        "\(stamp.size) \(stamp.modified) \(stamp.changed) \(stamp.inode)"
    }

    /// Fields that end with NUL, which no path contains; then the picture.
    private struct File {
        var kept: KeptThumbnail
        var stamp: String
        /// The part that was read.
        var jpeg: [UInt8]

        /// Reads the whole file, or its first `limit` bytes.
        init?(_ path: String, limit: Int = .max) {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return nil }
            let content = [UInt8](unsafeUninitializedCapacity: min(limit, status.st_size)) { buffer, count in
                count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
            }
            let fields = content.split(separator: 0, maxSplits: 5, omittingEmptySubsequences: false)
            guard fields.count == 6 else { return nil }
            let texts = fields[..<5].map { String(decoding: $0, as: UTF8.self) }
            guard let seconds = Double(texts[2]), let edge = Int(texts[3]), let time = Double(texts[4]) else {
                return nil
            }
            stamp = texts[1]
            jpeg = Array(fields[5])
            let bytes = status.st_size - fields[5].startIndex
            kept = KeptThumbnail(uri: texts[0], seconds: seconds, edge: edge, time: time, bytes: bytes)
        }
    }
}
