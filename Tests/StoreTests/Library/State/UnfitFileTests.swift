// SPDX-License-Identifier: Apache-2.0

import GRDB
import Testing

@testable import Store

@Suite struct UnfitFileTests {
    /// After a new migration: the number that this test prints is the schema's.
    @Test func fingerprint_isThatOfTheMigrations() throws {
        let schemas: [any DatabaseSchema.Type] = [StateSchema.self, PlaylistSchema.self, CatalogueSchema.self]
        for schema in schemas {
            let file = try DatabaseQueue()
            try schema.prepare(file)
            let found = try file.read { try UnfitFile.fingerprint($0) }
            #expect(found == schema.fingerprint, "\(schema): it is 0x\(String(found, radix: 16))")
            try schema.prepare(file)
        }
    }

    @Test(arguments: [
        "DROP INDEX trackKey", "DROP TABLE failure", "DROP TABLE artistText", "ALTER TABLE track DROP COLUMN channels",
        "DELETE FROM grdb_migrations", "PRAGMA application_id = 1",
        "INSERT INTO grdb_migrations VALUES ('3 of another day')",
    ])
    func incompleteOrForeignFile_isRefused(_ damage: String) throws {
        let file = try DatabaseQueue()
        try CatalogueSchema.prepare(file)
        try file.writeWithoutTransaction { try $0.execute(sql: damage) }
        #expect(throws: (any Error).self) { try CatalogueSchema.prepare(file) }
    }

    @Test(arguments: [
        "CREATE TABLE mine (a)", "CREATE INDEX mine ON track (year)", "ALTER TABLE track ADD COLUMN mine",
    ])
    func additions_areAllowed(_ addition: String) throws {
        let file = try DatabaseQueue()
        try CatalogueSchema.prepare(file)
        try file.write { try $0.execute(sql: addition) }
        try CatalogueSchema.prepare(file)
    }
}
