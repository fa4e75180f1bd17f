// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kernel
import KernelTesting
import Synchronization

/// A temporary directory with audio made by lame, ffmpeg and sox; removed with its owner.
final class Fixtures: Sendable {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    var directory: String { folder.path }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    func bytes(_ name: String) throws -> [UInt8] { try bytes(at: path(name)) }

    func bytes(at path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    /// A rising tone with noise, so that no two moments are alike.
    func wave(_ name: String = "source.wav", seconds: Double = 8, rate: Int = 44_100, channels: Int = 2) throws
        -> String
    {
        try run(
            "sox", "-R", "-n", "-r", "\(rate)", "-b", "16", "-c", "\(channels)", path(name), "synth", "\(seconds)",
            "sine",
            "200-2000", "synth", "\(seconds)", "pinknoise", "mix", "gain", "-6")
        return path(name)
    }

    func lame(_ name: String, _ options: String..., source: String) throws -> String {
        try folder.run(["lame", "--quiet"] + options + [source, path(name)])
        return path(name)
    }

    func ffmpeg(_ name: String, _ options: String..., source: String) throws -> String {
        try folder.run(["ffmpeg", "-v", "error", "-y", "-i", source] + options + [path(name)])
        return path(name)
    }

    /// A file decoded by `mpg123 -w`: interleaved 16-bit samples.
    func reference(_ file: String) throws -> [Int16] {
        let wave = path("reference-\(UInt64.random(in: 0 ... .max)).wav")
        try run("mpg123", "-q", "-w", wave, file)
        let bytes = try bytes(at: wave)
        let data = bytes.firstRange(of: Array("data".utf8))!.upperBound + 4
        return stride(from: data, to: bytes.count - 1, by: 2).map {
            Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
        }
    }

    @discardableResult
    func run(_ arguments: String...) throws -> String { try folder.run(arguments) }
}

/// The kinds of streams that the decoder must play.
enum Kind: String, CaseIterable, Sendable {
    case constant, variable, variableNoHeader, average, vbri, freeFormat, mono, joint, mpeg2, mpeg25, lowest
    case layer2, layer2LowRate, layer1, padded48

    /// Shared by all tests of the process.
    private static let made = Mutex<[Kind: [UInt8]]>([:])

    /// The path of the file.
    func make(_ fixtures: Fixtures) throws -> String {
        if let bytes = Self.made.withLock({ $0[self] }) { return try fixtures.write("\(rawValue).mp3", bytes) }
        let path = try encode(fixtures)
        let bytes = try fixtures.bytes(at: path)
        Self.made.withLock { $0[self] = bytes }
        return path
    }

    private func encode(_ fixtures: Fixtures) throws -> String {
        let name = "\(rawValue).mp3"
        let source = try fixtures.wave("\(rawValue).wav")
        switch self {
        case .constant: return try fixtures.lame(name, "-b", "128", source: source)
        case .variable: return try fixtures.lame(name, "-V", "2", source: source)
        case .variableNoHeader: return try fixtures.lame(name, "-V", "4", "-t", source: source)
        case .average: return try fixtures.lame(name, "--abr", "140", source: source)
        case .freeFormat: return try fixtures.lame(name, "--freeformat", "-b", "400", source: source)
        case .mono: return try fixtures.lame(name, "-m", "m", "-b", "64", source: source)
        case .joint: return try fixtures.lame(name, "-m", "j", "-b", "112", source: source)
        case .mpeg2: return try fixtures.lame(name, "--resample", "22.05", "-b", "64", source: source)
        case .mpeg25: return try fixtures.lame(name, "--resample", "8", "-b", "16", "-m", "m", source: source)
        case .lowest: return try fixtures.lame(name, "--resample", "16", "-b", "8", "-m", "m", source: source)
        case .padded48: return try fixtures.lame(name, "--resample", "48", "-b", "320", source: source)
        case .layer2: return try fixtures.ffmpeg("layer2.mp2", "-c:a", "mp2", "-b:a", "192k", source: source)
        case .layer2LowRate:
            return try fixtures.ffmpeg(
                "low.mp2", "-ar", "24000", "-ac", "1", "-c:a", "mp2", "-b:a", "64k", source: source)
        case .layer1: return try fixtures.write("layer1.mp1", Self.layer1Frames(300))
        case .vbri:
            let stream = try fixtures.bytes("\(fixtures.lameName(source))")
            return try fixtures.write(name, Self.vbriFrame(before: stream) + stream)
        }
    }

    /// There is no layer I encoder: frames with a fixed bit allocation and random samples.
    private static func layer1Frames(_ count: Int) -> [UInt8] {
        var random = SeededGenerator(seed: 1)
        return (0..<count).flatMap { _ in
            var frame: [UInt8] = [0xFF, 0xFF, 0xC0, 0x00]
            // 4 bits for each of 32 subbands and 2 channels: 5-bit samples in the first eight subbands.
            frame += [UInt8](repeating: 0x44, count: 8) + [UInt8](repeating: 0, count: 24)
            // Scale factors of 6 bits, then the samples.
            frame += (0..<12).map { _ in UInt8.random(in: 0x30...0x5F, using: &random) }
            frame += (0..<120).map { _ in UInt8.random(in: 0...0xFE, using: &random) }
            return frame + [UInt8](repeating: 0, count: 416 - frame.count)
        }
    }

    private static func vbriFrame(before stream: [UInt8]) -> [UInt8] {
        // The first frame's header with 128 kbit/s and no padding: 417 bytes at 44.1 kHz.
        var frame = [UInt8](repeating: 0, count: 417)
        frame.replaceSubrange(0..<4, with: [0xFF, 0xFB, 0x90, stream[3]])
        frame.replaceSubrange(36..<46, with: Array("VBRI".utf8) + [0, 1, 0, 0, 0, 75])
        var frames = 0
        var offset = 0
        let table = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
        while offset + 4 < stream.count {
            frames += 1
            offset += 144_000 * table[Int(stream[offset + 2] >> 4)] / 44_100 + Int(stream[offset + 2] >> 1 & 1)
        }
        func big(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        frame.replaceSubrange(46..<54, with: big(stream.count + 417) + big(frames))
        frame.replaceSubrange(54..<62, with: [0, 1, 0, 1, 0, 2, UInt8(frames >> 8), UInt8(frames & 0xFF)])
        return frame
    }
}

extension Fixtures {
    /// The bytes of a stream of this kind.
    func clean(_ kind: Kind) throws -> [UInt8] { try bytes(at: kind.make(self)) }

    fileprivate func lameName(_ source: String) throws -> String {
        _ = try lame("vbri-body.mp3", "-V", "4", "-t", source: source)
        return "vbri-body.mp3"
    }
}
