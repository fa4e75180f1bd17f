// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Playback
import Testing

@testable import Store

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

    private func named(_ name: String) -> PlayerDirectories.Beginning {
        PlayerDirectories.Beginning(name: name, output: "hp")
    }

    private func store(_ id: String) throws -> StateStore {
        try StateStore(directory: directories.path(id), logger: Logger(label: "test"), mayMove: true)
    }

    @Test func addedPlayer_isListed_withItsSettings() throws {
        #expect(recover().isEmpty)
        try directories.create("b", named("Bath"))
        try directories.create("a", named("A"))
        #expect(recover() == ["a", "b"])
        #expect(directories.beginning(of: "b") == named("Bath"))
        try Data("{".utf8).write(to: URL(filePath: directories.path("b") + "/player.json"))
        #expect(directories.beginning(of: "b") == nil)
        #expect(recover() == ["a", "b"])
    }

    @Test func removedPlayer_isNotListed_whileItsFilesAreInUse() throws {
        try directories.create("a", named("A"))
        let store = try store("a")
        let files = try directories.remove("a")
        var settings = PlayerSettings()
        settings.volume = 0.5
        let answers = Answers()
        store.save([.settings(settings)]) { answers.add($0) }
        store.flush()
        #expect(answers.all == [nil] && recover().isEmpty)
        store.close()
        directories.clear(files)
        #expect(try names.isEmpty)
        try directories.create("a", named("second"))
        #expect(try self.store("a").load().settings.volume == 1)
    }

    @Test func halfAddedOrHalfRemovedPlayer_isDeleted() throws {
        try directories.create("a", named("A"))
        try directories.create("b", named("B"))
        let manager = FileManager.default
        // As after a crash: before the last step of adding, after the first step of removing.
        try manager.copyItem(atPath: directories.path("a"), toPath: directories.path(".new-c"))
        _ = try directories.remove("b")
        #expect(try names.count == 3)
        #expect(recover() == ["a"])
        #expect(try names == ["a"])
    }

    @Test func otherEntries_areKept() throws {
        try directories.create("a", named("A"))
        try Data("x".utf8).write(to: URL(filePath: directories.path("file")))
        try FileManager.default.createDirectory(
            atPath: directories.path("strange.name"), withIntermediateDirectories: true)
        #expect(recover() == ["a"])
        #expect(try names == ["a", "file", "strange.name"])
    }

    @Test func failedAddition_leavesNothing() throws {
        try Data("x".utf8).write(to: URL(filePath: fixture.directory + "/players"))
        #expect(throws: StateStoreError.self) { try directories.create("a", named("A")) }
        #expect(throws: StateStoreError.self) { _ = try directories.remove("a") }
        #expect(recover().isEmpty)
    }
}
