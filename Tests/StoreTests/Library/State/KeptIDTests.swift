// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Testing

@testable import Store

@Suite struct KeptIDTests {
    private let fixture: StateFixture

    init() throws { fixture = try StateFixture() }

    private func id(_ name: String = "id") -> KeptID {
        KeptID(
            directory: fixture.directory, name: name, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func aside() throws -> String? { try fixture.files.first { $0.hasPrefix("id.damaged-") } }

    @Test func isCreatedOnce() throws {
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
        // The name is too long. Permissions would not stop root.
        #expect(id(String(repeating: "n", count: 300)).problem?.contains("cannot be read") == true)
        #expect(try fixture.files.isEmpty)
    }
}
