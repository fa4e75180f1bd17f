// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Recording
import Testing

@testable import RecordingFiles

struct RecordingDirectoryTests {
    /// A directory of its own, removed with it.
    private final class Place {
        let path: String

        init() {
            var template = Array("/tmp/tonearm-recordings-XXXXXX".utf8CString)
            path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
        }

        deinit {
            do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
        }

        var names: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
        }
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

    @Test func everyFormat_isWrittenAsAsked() throws {
        let place = Place()
        let directory = try RecordingDirectory(place.path)
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
        let place = Place()
        let directory = try RecordingDirectory(place.path)
        let first = try record(directory) { $0.name = "memo" }
        let second = try record(directory) { $0.name = "memo" }
        #expect(first == "memo.wav" && second == "memo-2.wav")
        #expect(try place.names == ["memo-2.wav", "memo.wav"])
    }

    @Test func unfinishedFile_isRecoveredAtTheStart() throws {
        let place = Place()
        do {
            let directory = try RecordingDirectory(place.path)
            _ = try record(directory) { $0.name = "memo" }
        }
        #expect(rename(place.path + "/memo.wav", place.path + "/memo.wav.part") == 0)
        let directory = try RecordingDirectory(place.path)
        let entries = try directory.list()
        #expect(entries.map(\.id) == ["memo-recovered.wav"])
        #expect(entries[0].isRecovered && entries[0].sound?.duration == 1)
        #expect(try place.names == ["memo-recovered.wav"])
    }

    @Test func whatIsNoRecording_isNeitherListedNorOpenedNorDeleted() throws {
        let place = Place()
        let directory = try RecordingDirectory(place.path)
        #expect(symlink("/etc/passwd", place.path + "/link.wav") == 0)
        #expect(mkdir(place.path + "/folder.wav", 0o700) == 0)
        #expect(try directory.list().isEmpty)
        for id in ["link.wav", "folder.wav", "../x.wav", "/etc/passwd", "none.wav", ""] {
            #expect(throws: RecordingError.unknownRecording(id)) { try directory.open(id) }
            #expect(throws: RecordingError.unknownRecording(id)) { try directory.entry(id) }
        }
        #expect(throws: RecordingError.unknownRecording("../x.wav")) { try directory.delete("../x.wav") }
    }

    @Test func addressOfAnyDirectory_isAURL() throws {
        let place = Place()
        let odd = place.path + "/a b%"
        #expect(try RecordingDirectory(odd).address("x.wav").hasSuffix("/a%20b%25/x.wav"))
    }
}
