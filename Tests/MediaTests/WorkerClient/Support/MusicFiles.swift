// SPDX-License-Identifier: Apache-2.0

import Foundation
import Media
import Kernel
import KernelTesting
import Playback
import Synchronization

/// A temporary directory with files made by ffmpeg; removed with its owner.
final class MusicFiles: Sendable {
    static let pcm = ["-c:a", "pcm_s16le"]
    /// Output of ffmpeg by options, shared by all tests of the process.
    private static let made = Mutex<[[String]: Data]>([:])

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let noise = "anoisesrc=d=4:c=pink:r=44100:a=0.3:seed=1"
        let tone = "aevalsrc='0.3*sin(2*PI*(200+150*t)*t)':s=44100:d=4"
        let join = ["-filter_complex", "[0][1]join=inputs=2:channel_layout=stereo"]
        try make("source.wav", ["-f", "lavfi", "-i", noise, "-f", "lavfi", "-i", tone] + join + Self.pcm)
    }

    var directory: String { folder.path }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name)))) }

    /// The source in another format.
    @discardableResult
    func make(_ name: String, _ options: String...) throws -> String {
        try make(name, ["-i", "source.wav"] + options)
    }

    /// Makes a file that depends on no other file than the source.
    @discardableResult
    func make(_ name: String, _ options: [String]) throws -> String {
        let place = URL(fileURLWithPath: path(name))
        if let bytes = Self.made.withLock({ $0[[name] + options] }) {
            try bytes.write(to: place)
        } else {
            try ffmpeg(name, options)
            let bytes = try Data(contentsOf: place)
            Self.made.withLock { $0[[name] + options] = bytes }
        }
        return name
    }

    func ffmpeg(_ name: String, _ options: String...) throws { try ffmpeg(name, options) }

    func ffmpeg(_ name: String, _ options: [String]) throws {
        try folder.run(["ffmpeg", "-nostdin", "-v", "error", "-y"] + options + [path(name)])
    }

    /// A file decoded by `ffmpeg -f f32le`.
    func reference(_ name: String) throws -> [Float] {
        let raw = path("reference.f32")
        try folder.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", path(name), "-f", "f32le", raw])
        let data = try Data(contentsOf: URL(fileURLWithPath: raw))
        return data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    /// Makes an executable shell script; returns its path.
    func program(_ name: String, _ script: String) throws -> String {
        try Data("#!/bin/bash\nPATH=/usr/bin:/bin\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path(name))
        return path(name)
    }

    func source(_ name: String) throws -> BytesSource { BytesSource(try bytes(name), name: name) }
}

/// Bytes in memory. Reads may fail from an offset on.
final class BytesSource: ByteSource {
    let name: String
    let size: ByteCount?
    let isSeekable: Bool
    let isLocal: Bool
    private let content: [UInt8]
    private let closed = Atomic(false)
    /// Reads beyond this offset fail; nil: none.
    let failsAt: Int64?
    /// The most bytes of a read.
    private let piece: Int

    init(
        _ content: [UInt8], name: String = "music", isSeekable: Bool = true, isLocal: Bool = true,
        failsAt: Int64? = nil, hasSize: Bool = true, piece: Int = .max
    ) {
        self.content = content
        size = hasSize ? ByteCount(content.count) : nil
        self.name = name
        self.isSeekable = isSeekable
        self.isLocal = isLocal
        self.failsAt = failsAt
        self.piece = piece
    }

    var isClosed: Bool { closed.load(ordering: .acquiring) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) -> Int {
        if isClosed { throw MediaError(.cancelled, "\(name) was closed.") }
        if let failsAt, offset + Int64(buffer.count) > failsAt {
            throw MediaError(.network, "\(name): the cable was cut.")
        }
        guard offset < content.count else { return 0 }
        let count = min(buffer.count, piece, content.count - Int(offset))
        content.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[Int(offset)..<Int(offset) + count]))
        }
        return count
    }

    func close() { closed.store(true, ordering: .releasing) }
}

/// The worker that was built beside the tests.
let testWorkers = MediaWorkers(MediaWorkers.find(nil))

func decodeAll(_ decoder: any AudioDecoder, samples capacity: Int = 10_000) throws(MediaError) -> [Float] {
    let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: capacity)
    defer { buffer.deallocate() }
    var samples: [Float] = []
    for _ in 0..<200_000 {
        let channels = decoder.media.format.channelCount
        let decoded = try decoder.decode(into: buffer)
        samples += buffer[..<(decoded.frames * channels)]
        if decoded.endOfStream { return samples }
    }
    throw MediaError(.unreadable, "it does not end")
}

/// The next frames of a stereo media; fewer at its end.
func decodeSome(_ decoder: any AudioDecoder, frames: Int) throws(MediaError) -> [Float] {
    let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: frames * 2)
    defer { buffer.deallocate() }
    var samples: [Float] = []
    while samples.count < frames * 2 {
        let decoded = try decoder.decode(
            into: UnsafeMutableBufferPointer(rebasing: buffer[..<(frames * 2 - samples.count)]))
        samples += buffer[..<(decoded.frames * 2)]
        if decoded.endOfStream { break }
    }
    return samples
}
