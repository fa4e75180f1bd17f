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
    /// What ffmpeg made of the same options, for all tests of the process.
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

    /// One file, of no other than the source.
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
        try run(["ffmpeg", "-nostdin", "-v", "error", "-y"] + options + [path(name)])
    }

    /// What `ffmpeg -f f32le` makes of a file.
    func reference(_ name: String) throws -> [Float] {
        let raw = path("reference.f32")
        try run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", path(name), "-f", "f32le", raw])
        let data = try Data(contentsOf: URL(fileURLWithPath: raw))
        return data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    func source(_ name: String) throws -> BytesSource { BytesSource(try bytes(name), name: name) }

    private func run(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        // Where ffmpeg leaves what it names itself.
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ProgramFailure(text: command.joined(separator: " ")) }
    }
}

struct ProgramFailure: Error {
    var text: String
}

/// Bytes in memory, which may be told to keep a reader waiting or to fail.
final class BytesSource: ByteSource {
    let name: String
    let isSeekable: Bool
    let isLocal: Bool
    private let content: [UInt8]
    private let closed = Atomic(false)
    /// From here on reading fails; nil for never.
    let failsAt: Int64?

    init(
        _ content: [UInt8], name: String = "music", isSeekable: Bool = true, isLocal: Bool = true, failsAt: Int64? = nil
    ) {
        self.content = content
        self.name = name
        self.isSeekable = isSeekable
        self.isLocal = isLocal
        self.failsAt = failsAt
    }

    var size: ByteCount? { ByteCount(content.count) }
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) -> Int {
        if isClosed { throw MediaError(.cancelled, "\(name) was closed.") }
        if let failsAt, offset + Int64(buffer.count) > failsAt {
            throw MediaError(.network, "\(name): the cable was cut.")
        }
        guard offset < content.count else { return 0 }
        let count = min(buffer.count, content.count - Int(offset))
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
