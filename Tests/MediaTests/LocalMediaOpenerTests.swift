// SPDX-License-Identifier: Apache-2.0

import Audio
import KernelTesting
import Playback
import Testing

@testable import Media

@Suite struct LocalMediaOpenerTests {
    let folder: TemporaryFolder
    let opener: LocalMediaOpener

    init() throws {
        folder = try TemporaryFolder()
        opener = LocalMediaOpener(
            roots: MusicRoots([folder.path]),
            factories: [ToyFactory(magic: "ONE"), ToyFactory(magic: "TWO", sampleRate: 48_000)])
    }

    @Test func opens_withTheFactoryThatRecognises() throws {
        try folder.file("a.mp3", "TWO and more")
        let decoder = try opener.open(MediaLocator(uri: "a.mp3"), cancellation: MediaCancellation())
        #expect(decoder.media.format.sampleRate == 48_000)
    }

    @Test(arguments: [
        ([], false, false), (["a.lrc"], false, true), (["a.LRC"], false, true), (["Cover.JPG"], true, false),
        (["b.lrc", "x.jpg", "cover.txt"], false, false), (["folder.png", "a.lrc"], true, true),
    ])
    func companions_areReported(files: [String], hasPicture: Bool, hasLyrics: Bool) throws {
        try folder.directory("album")
        try folder.file("album/a.mp3", "ONE")
        for file in files { try folder.file("album/\(file)") }
        let decoder = try opener.open(MediaLocator(uri: "album/a.mp3"), cancellation: MediaCancellation())
        #expect(decoder.media.companions == .init(hasPicture: hasPicture, hasLyrics: hasLyrics))
        #expect(try decoder.seek(to: 7) == 7)
    }

    @Test(arguments: [
        ("%PDF-1.4", "PDF"), ("plain words", "text file"), ("<!DOCTYPE html><p>", "HTML"), ("\u{1}\u{2}", "playable"),
    ])
    func unsupported_namesTheFileType(content: String, word: String) throws {
        try folder.file("a.mp3", content)
        let error = #expect(throws: MediaError.self) {
            try opener.open(MediaLocator(uri: "a.mp3"), cancellation: MediaCancellation())
        }
        #expect(error?.code == .unsupported && error?.message.contains(word) == true)
    }

    @Test func cancellation_endsReads() throws {
        try folder.file("a.mp3", "ONE and more")
        let cancellation = MediaCancellation()
        let decoder = try opener.open(MediaLocator(uri: "a.mp3"), cancellation: cancellation)
        cancellation.cancel()
        var buffer = [Float](repeating: 0, count: 2_304)
        #expect(throws: MediaError.self) {
            try buffer.withUnsafeMutableBufferPointer { _ = try decoder.decode(into: $0) }
        }
        #expect(throws: MediaError.self) { try opener.open(MediaLocator(uri: "a.mp3"), cancellation: cancellation) }
    }
}
