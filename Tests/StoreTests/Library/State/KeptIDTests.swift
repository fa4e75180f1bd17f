// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Testing

@testable import Store

@Suite struct KeptIDTests {
    private let fixture: StateFixture

    init() throws { fixture = try StateFixture() }

    private func id() -> KeptID {
        KeptID(
            directory: fixture.directory, name: "id", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func aside() throws -> String? {
        try fixture.files.first { $0.hasPrefix("id.damaged-") }
    }

    @Test func isMadeOnce() throws {
        let first = id()
        #expect(first.problem == nil && first.id.count == 32)
        #expect(id().id == first.id)
        #expect(try aside() == nil)
    }

    @Test(arguments: [Data("none".utf8), Data(), Data([0xFF, 0xFE])]) func damagedFile_isSetAside(_ damage: Data) throws
    {
        try damage.write(to: URL(filePath: fixture.directory + "/id"))
        let new = id()
        #expect(new.problem == nil && id().id == new.id)
        let aside = try #require(try aside())
        #expect(try Data(contentsOf: URL(filePath: fixture.directory + "/" + aside)) == damage)
    }

    @Test func fileThatCannotBeReadNow_stays() throws {
        // Too long a name, as permissions do not stop root.
        let name = String(repeating: "n", count: 300)
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        #expect(
            KeptID(directory: fixture.directory, name: name, logger: log).problem?.contains("cannot be read") == true)
        #expect(try fixture.files.isEmpty)
    }
}
