// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Playback
import Testing

@testable import Library

@Suite struct PlayerDirectoriesTests {
    let fixture: StateFixture
    let directories: PlayerDirectories

    init() throws {
        fixture = try StateFixture()
        directories = PlayerDirectories(data: fixture.directory, logger: Logger(label: "test"))
    }

    private func recover() -> [String] { directories.recover { !$0.contains(".") } }
    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: fixture.directory + "/players").sorted() }
    }

    private func named(_ name: String) -> PlayerSettings {
        var settings = PlayerSettings()
        settings.name = name
        settings.outputDevice = "hp"
        return settings
    }

    @Test func madePlayerIsThere_withItsSettings() throws {
        #expect(recover().isEmpty)
        try directories.create("b", named("Bath"))
        try directories.create("a", named("A"))
        #expect(recover() == ["a", "b"])
        let saved = try StateStore(directory: directories.path("b"), logger: Logger(label: "test")).load()
        #expect(saved.settings.name == "Bath" && saved.settings.outputDevice == "hp" && saved.items.isEmpty)
    }

    @Test func removedPlayerIsGone_whileItsFilesAreStillInUse() throws {
        try directories.create("a", named("A"))
        let store = try StateStore(directory: directories.path("a"), logger: Logger(label: "test"))
        let files = try directories.remove("a")
        store.save([.settings(named("later"))]) { _ in }
        #expect(store.flush())
        #expect(recover().isEmpty)
        store.close()
        directories.clear(files)
        #expect(try names.isEmpty)
        try directories.create("a", named("second"))
        #expect(
            try StateStore(directory: directories.path("a"), logger: Logger(label: "test")).load().settings.name
                == "second")
    }

    @Test func whatIsHalfMadeOrHalfRemoved_isTakenAway() throws {
        try directories.create("a", named("A"))
        try directories.create("b", named("B"))
        let manager = FileManager.default
        // As a crash leaves them: made but for the last step, removed but for the first.
        try manager.copyItem(atPath: directories.path("a"), toPath: directories.path(".new-c"))
        _ = try directories.remove("b")
        #expect(try names.count == 3)
        #expect(recover() == ["a"])
        #expect(try names == ["a"])
    }

    @Test func whatIsNoPlayer_staysAsItIs() throws {
        try directories.create("a", named("A"))
        try Data("x".utf8).write(to: URL(filePath: directories.path("file")))
        try FileManager.default.createDirectory(
            atPath: directories.path("strange.name"), withIntermediateDirectories: true)
        #expect(recover() == ["a"])
        #expect(try names == ["a", "file", "strange.name"])
    }

    @Test func whatCannotBeMade_leavesNothing() throws {
        try Data("x".utf8).write(to: URL(filePath: fixture.directory + "/players"))
        #expect(throws: StateStoreError.self) { try directories.create("a", named("A")) }
        #expect(throws: StateStoreError.self) { _ = try directories.remove("a") }
        #expect(recover().isEmpty)
    }
}
