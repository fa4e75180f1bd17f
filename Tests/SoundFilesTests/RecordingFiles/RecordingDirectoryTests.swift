// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Kernel
import KernelTesting
import Media
import Mpg123Decoding
import Service
import Testing

@testable import SoundFiles

extension RecordingDirectory {
    /// With the worker built beside the tests.
    private static var examiner: MediaExaminer {
        MediaExaminer(factories: [Mpg123DecoderFactory(), MediaWorkerFactory(MediaWorkers(MediaWorkers.find(nil)))])
    }

    fileprivate convenience init(_ path: String) throws(RecordingError) { try self.init(path, Self.examiner) }

    fileprivate convenience init(_ path: String, link: @escaping Link) throws(RecordingError) {
        try self.init(path, Self.examiner, link: link)
    }
}

@Suite(.serialized) struct RecordingDirectoryTests {
    let place: TemporaryFolder
    let directory: RecordingDirectory

    init() throws {
        place = try TemporaryFolder()
        directory = try RecordingDirectory(place.path)
    }

    private func record(
        _ directory: RecordingDirectory, _ change: (inout RecordingSettings) -> Void = { _ in }
    ) throws -> String {
        var settings = RecordingSettings()
        change(&settings)
        let writer = try directory.create(settings)
        let samples = [Float](repeating: 0.25, count: settings.sampleRate * settings.channelCount)
        _ = try samples.withUnsafeBufferPointer { try writer.write($0) }
        try writer.finish()
        return writer.id
    }

    /// Saves the bytes of a stream.
    private func save(_ bytes: [UInt8], _ format: RecordedFormat) throws -> String {
        let writer = try directory.createStream(name: "radio", format)
        try bytes.withUnsafeBytes { try writer.write($0) }
        try writer.finish()
        return writer.id
    }

    /// FAT, exFAT and some network shares.
    @Test(arguments: [EPERM, EOPNOTSUPP, ENOSYS]) func recordingsNeedNoHardLinks(_ code: Int32) throws {
        let refusing: RecordingDirectory.Link = { _, _, _ in
            errno = code
            return -1
        }
        let directory = try RecordingDirectory(place.path, link: refusing)
        let first = try record(directory) { $0.name = "take" }
        let second = try record(directory) { $0.name = "take" }
        #expect(try directory.list().map(\.id).sorted() == [first, second].sorted() && first != second)
        let cut = try directory.createStream(name: "radio", .aac)
        try [UInt8](repeating: 1, count: 100).withUnsafeBytes { try cut.write($0) }
        let again = try RecordingDirectory(place.path, link: refusing)
        #expect(try again.list().map(\.id).contains("radio-recovered.aac"))
        #expect(try !place.names.contains { $0.hasSuffix(".part") })
        // Other errors are reported.
        let full = try RecordingDirectory(place.path) { _, _, _ in
            errno = ENOSPC
            return -1
        }
        #expect(throws: RecordingError.self) { try record(full) }
    }

    @Test func aStream_isWrittenAsReceived_andRecoveredAfterAKill() throws {
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let (whole, cut) = try (
            directory.createStream(name: "radio", .aac),
            directory.createStream(name: "radio", .aac)
        )
        #expect((whole.id, cut.id) == ("radio.aac", "radio-2.aac"))
        try bytes.withUnsafeBytes { bytes in
            try whole.write(bytes)
            try cut.write(bytes)
        }
        #expect(whole.count == 10_000)
        try whole.finish()
        #expect(try place.names == ["radio-2.aac.part", "radio.aac"])
        let again = try RecordingDirectory(place.path)
        #expect(try again.list().map(\.id).sorted() == ["radio-2-recovered.aac", "radio.aac"])
        for id in ["radio.aac", "radio-2-recovered.aac"] {
            #expect(FileManager.default.contents(atPath: place.path + "/" + id).map { [UInt8]($0) } == bytes)
        }
        #expect(try again.entry("radio-2-recovered.aac").isRecovered)
        try again.delete("radio.aac")
    }

    @Test func everyFormat_isWrittenAsRequested() throws {
        for bits in [8, 16, 24, 32] {
            let sound = try directory.entry(record(directory) { $0.bits = bits }).sound
            #expect(sound?.bits == bits && sound?.isFloat == false && sound?.duration == 1)
        }
        let float = try directory.entry(
            record(directory) { settings in
                (settings.isFloat, settings.bits) = (true, 32)
                (settings.channelCount, settings.sampleRate) = (2, 48_000)
            })
        #expect(float.sound?.isFloat == true && float.sound?.channelCount == 2 && float.sound?.sampleRate == 48_000)
        for bits in [8, 16, 24] {
            let id = try record(directory) { ($0.container, $0.bits) = (.flac, bits) }
            #expect(try directory.entry(id).sound?.bits == bits)
        }
        for container in [RecordingSettings.Container.opus, .mp3] {
            let sound = try directory.entry(record(directory) { $0.container = container }).sound
            #expect(sound != nil && sound?.bits == nil)
        }
    }

    @Test func sameName_overwritesNothing() throws {
        let first = try record(directory) { $0.name = "memo" }
        let second = try record(directory) { $0.name = "memo" }
        #expect(first == "memo.wav" && second == "memo-2.wav")
        #expect(try place.names == ["memo-2.wav", "memo.wav"])
    }

    /// As by a program that copies recordings into the directory.
    @Test func fileThatTakesTheName_costsNoSound() throws {
        let writer = try directory.createStream(name: "radio", .aac)
        try [UInt8](repeating: 7, count: 100).withUnsafeBytes { try writer.write($0) }
        let other = URL(fileURLWithPath: place.path + "/radio.aac")
        try Data([1, 2]).write(to: other)
        #expect(throws: RecordingError.self) { try writer.finish() }
        let again = try RecordingDirectory(place.path)
        #expect(try again.list().map(\.id).sorted() == ["radio-recovered.aac", "radio.aac"])
        #expect(try Data(contentsOf: other) == Data([1, 2]) && again.entry("radio-recovered.aac").size == 100)
    }

    /// The process died between the link and the removal of the first name.
    @Test func secondNameOfAFinishedFile_isRemoved() throws {
        let id = try record(directory)
        #expect(link(place.path + "/" + id, place.path + "/" + id + ".part") == 0)
        #expect(try RecordingDirectory(place.path).list().map(\.id) == [id])
        #expect(try place.names == [id])
    }

    /// The process died before the first write.
    @Test func anEmptyFile_isNotRecovered() throws {
        let cut = try directory.createStream(name: "radio", .aac)
        #expect(try RecordingDirectory(place.path).list().isEmpty && place.names.isEmpty)
        #expect(cut.count == 0)
    }

    /// One second, mono.
    private static func noise(_ level: Float) -> [Float] {
        var random = SeededGenerator(seed: 1)
        return (0..<48_000).map { _ in level * Float(Int32(truncatingIfNeeded: random.next())) / 0x1p31 }
    }

    /// As after a kill. Loudness changes within the file, so that an estimate from its beginning is wrong.
    @Test(arguments: [RecordingSettings.Container.wav, .flac, .opus, .mp3], [false, true])
    func truncatedFile_hasItsLength(container: RecordingSettings.Container, isLoudFirst: Bool) throws {
        let id: String
        do {
            var settings = RecordingSettings()
            (settings.container, settings.name, settings.sampleRate) = (container, "memo", 48_000)
            let directory = try RecordingDirectory(place.path)
            let writer = try directory.create(settings)
            let (loud, quiet) = (Self.noise(0.9), Self.noise(0.0001))
            for second in 0..<8 {
                let samples = (second < 2) == isLoudFirst ? loud : quiet
                _ = try samples.withUnsafeBufferPointer { try writer.write($0) }
            }
            // The file as it is on the disk before its end is written.
            id = writer.id
            try Data(contentsOf: URL(fileURLWithPath: place.path + "/" + id + ".part")).write(
                to: URL(fileURLWithPath: place.path + "/killed"))
            try writer.finish()
        }
        #expect(unlink(place.path + "/" + id) == 0)
        #expect(rename(place.path + "/killed", place.path + "/" + id + ".part") == 0)
        let entries = try RecordingDirectory(place.path).list()
        #expect(entries.map(\.id) == ["memo-recovered.\(container)"])
        #expect(try place.names == entries.map(\.id))
        let entry = try #require(entries.first)
        let duration = try #require(entry.sound?.duration)
        // The encoder holds back some frames.
        #expect(entry.isRecovered && duration <= 8.1 && duration > 6.5)
        if container == .wav { #expect(duration == 8) }
        if container == .mp3 || container == .flac { #expect(duration > 7.8) }
    }

    /// As after joining a station: the file begins with the rest of a frame.
    @Test(arguments: [1, 100, 30_000], [1, 2])
    func streamThatBeginsWithinAFrame_hasItsLength(cut: Int, channels: Int) throws {
        let id = try record(directory) {
            ($0.container, $0.name, $0.sampleRate, $0.channelCount) = (.mp3, "whole", 44_100, channels)
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: place.path + "/" + id))
        let rest = Array(bytes.dropFirst(min(cut, bytes.count / 2)))
        // An accidental header, which no other follows.
        let stream = [0xFF, 0xFB, 0x90, 0x00, 0x12] + rest.dropFirst(5)
        #expect(try save([0x12] + stream, .mp3) == "radio.mp3")
        let sound = try #require(try directory.entry("radio.mp3").sound)
        let duration = try #require(sound.duration)
        #expect(sound.sampleRate == 44_100 && sound.channelCount == channels)
        let whole = 1.1 * Double(rest.count) / Double(bytes.count)
        #expect(abs(duration - whole) < 0.15)
        #expect(try directory.list().first { $0.id == "radio.mp3" }?.sound?.duration == duration)
    }

    /// libsndfile, which detects the format by content, must not read foreign bytes (row 255).
    @Test(arguments: [RecordedFormat.mp3, .flac, .wav]) func soundOfAnotherFormat_isNotReadInThisProcess(
        format: RecordedFormat
    ) throws {
        // Sun's AU: one second of silence, 16 bits, 8 kHz, mono.
        let header = [0x2E73_6E64, 24, 16_000, 3, 8_000, 1] as [UInt32]
        let bytes =
            header.flatMap { value in withUnsafeBytes(of: value.bigEndian) { Array($0) } }
            + [UInt8](repeating: 0, count: 16_000)
        let id = try save(bytes, format)
        #expect(try directory.entry(id).sound == nil)
        #expect(try directory.list().map(\.id) == [id])
    }

    @Test func aFileWithoutFrames_isNotSound() throws {
        let noise = (0..<100_000).map { $0 % 700 == 3 ? UInt8(0xFF) : $0 % 700 == 4 ? 0xFB : 0x55 }
        #expect(try directory.entry(save(noise, .mp3)).sound == nil)
    }

    @Test func otherFiles_areNeitherListedNorOpenedNorDeletedNorRecovered() throws {
        #expect(symlink("/etc/passwd", place.path + "/link.wav") == 0)
        #expect(mkdir(place.path + "/folder.wav", 0o700) == 0)
        #expect(try directory.list().isEmpty)
        for id in ["link.wav", "folder.wav", "../x.wav", "/etc/passwd", "none.wav", ""] {
            #expect(throws: RecordingError.unknownRecording(id)) { try directory.open(id) }
            #expect(throws: RecordingError.unknownRecording(id)) { try directory.entry(id) }
            #expect(throws: RecordingError.unknownRecording(id)) { try directory.delete(id) }
        }
        #expect(symlink("/etc/passwd", place.path + "/link.wav.part") == 0)
        #expect(mkdir(place.path + "/folder.wav.part", 0o700) == 0)
        _ = try RecordingDirectory(place.path)
        #expect(try place.names == ["folder.wav", "folder.wav.part", "link.wav", "link.wav.part"])
    }

    @Test func addressOfAnyDirectory_isAURL() throws {
        let odd = place.path + "/a b%"
        #expect(try RecordingDirectory(odd).address("x.wav").hasSuffix("/a%20b%25/x.wav"))
    }
}
