// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Checks how much of a database's write-ahead file SQLite will use (https://www.sqlite.org/fileformat2.html#walformat).
///
/// SQLite uses the frames before the first invalid one, and silently overwrites the others.
enum WriteAheadFile {
    enum Condition {
        /// SQLite uses all of it. Frames from before the last checkpoint, with an older salt, may follow.
        case whole
        /// It ends within a transaction, as after a kill or a power cut.
        case unfinished
        /// The header is invalid, or committed transactions follow an invalid frame: they are lost.
        case damaged
    }

    /// Reads the file to its end. No connection may be open.
    static func condition(_ path: String) throws(StateStoreError) -> Condition {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return .whole }
            throw .failed(errno, path: path)
        }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 32)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .failed(errno, path: path) }
        // No frame yet.
        guard try read(&header, descriptor, 0, path), status.st_size > header.count else { return .whole }
        let (magic, pageSize) = (word(header, 0), Int(word(header, 8)))
        var sum = Checksum(isBigEndian: magic & 1 == 1)
        sum.add(header[..<24])
        guard magic & ~1 == 0x377f_0682, (512...65_536).contains(pageSize), sum.isIn(header, 24) else {
            return .damaged
        }
        let (salt, checkpoints) = (word(header, 16), word(header, 12))
        var frame = [UInt8](repeating: 0, count: 24 + pageSize)
        var offset = header.count
        // The last valid frame is a commit.
        var endsWithCommit = true
        while try read(&frame, descriptor, offset, path) {
            var next = sum
            next.add(frame[..<8])
            next.add(frame[24...])
            guard frame[8..<16] == header[16..<24], word(frame, 0) != 0, next.isIn(frame, 16) else { break }
            sum = next
            endsWithCommit = word(frame, 4) != 0
            offset += frame.count
        }
        var isUnfinished = !endsWithCommit
        let firstWrong = offset
        while offset + 24 <= status.st_size {
            var head = [UInt8](repeating: 0, count: 24)
            guard try read(&head, descriptor, offset, path) else { break }
            let isOfThisRun = head[8..<16] == header[16..<24]
            // An invalid commit frame at `firstWrong` merely ends the last transaction.
            if isOfThisRun, word(head, 4) != 0, offset > firstWrong { return .damaged }
            // Each checkpoint increments the salt.
            let isOlder = (1...max(1, checkpoints)).contains(salt &- word(head, 8)) && checkpoints > 0
            if !isOlder { isUnfinished = true }
            offset += frame.count
        }
        return isUnfinished ? .unfinished : .whole
    }

    /// Returns false at the end of the file.
    private static func read(
        _ bytes: inout [UInt8], _ descriptor: Int32, _ offset: Int, _ path: String
    ) throws(StateStoreError) -> Bool {
        let count = pread(descriptor, &bytes, bytes.count, offset)
        guard count >= 0 else { throw .failed(errno, path: path) }
        return count == bytes.count
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The running checksum of the header and the frames.
    private struct Checksum {
        /// The byte order of the added words. The sums are always stored big-endian.
        let isBigEndian: Bool
        private var sums: (UInt32, UInt32) = (0, 0)

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        /// `bytes`: a multiple of 8.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: bytes.count, by: 8) {
                    let first = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                    let second = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                    sums.0 &+= (isBigEndian ? first.bigEndian : first.littleEndian) &+ sums.1
                    sums.1 &+= (isBigEndian ? second.bigEndian : second.littleEndian) &+ sums.0
                }
            }
        }

        func isIn(_ bytes: [UInt8], _ offset: Int) -> Bool {
            word(bytes, offset) == sums.0 && word(bytes, offset + 4) == sums.1
        }
    }
}
