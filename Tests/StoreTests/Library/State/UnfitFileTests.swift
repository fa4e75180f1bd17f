// SPDX-License-Identifier: Apache-2.0

import GRDB
import Testing

@testable import Store

@Suite struct UnfitFileTests {
    enum Schema: CaseIterable {
        case state, playlists, catalogue

        var applicationID: Int {
            switch self {
            case .state: StateSchema.applicationID
            case .playlists: PlaylistSchema.applicationID
            case .catalogue: CatalogueSchema.applicationID
            }
        }

        var fingerprint: UInt64 {
            switch self {
            case .state: StateSchema.fingerprint
            case .playlists: PlaylistSchema.fingerprint
            case .catalogue: CatalogueSchema.fingerprint
            }
        }

        var migrator: DatabaseMigrator {
            switch self {
            case .state: StateSchema.migrator
            case .playlists: PlaylistSchema.migrator
            case .catalogue: CatalogueSchema.migrator
            }
        }

        func prepare(_ file: DatabaseQueue) throws {
            try UnfitFile.prepare(file, applicationID: applicationID, fingerprint: fingerprint, migrator)
        }
    }

    /// After a new migration: the number that this test finds is the schema's.
    @Test(arguments: Schema.allCases) func fingerprint_isThatOfTheMigrations(_ schema: Schema) throws {
        let file = try DatabaseQueue()
        try schema.prepare(file)
        let found = try file.read { try UnfitFile.fingerprint($0) }
        #expect(found == schema.fingerprint, "it is 0x\(String(found, radix: 16))")
        try schema.prepare(file)
    }

    @Test(arguments: [
        "DROP INDEX trackKey", "DROP TABLE failure", "DROP TABLE artistText", "ALTER TABLE track DROP COLUMN channels",
        "DELETE FROM grdb_migrations", "PRAGMA application_id = 1",
        "INSERT INTO grdb_migrations VALUES ('3 of another day')",
    ])
    func whatIsNotAsTheMigrationsLeaveIt_isRefused(_ damage: String) throws {
        let file = try DatabaseQueue()
        try Schema.catalogue.prepare(file)
        try file.writeWithoutTransaction { try $0.execute(sql: damage) }
        #expect(throws: (any Error).self) { try Schema.catalogue.prepare(file) }
    }

    @Test(arguments: [
        "CREATE TABLE mine (a)", "CREATE INDEX mine ON track (year)", "ALTER TABLE track ADD COLUMN mine",
    ])
    func whatIsThereBesides_doesNotMatter(_ addition: String) throws {
        let file = try DatabaseQueue()
        try Schema.catalogue.prepare(file)
        try file.write { try $0.execute(sql: addition) }
        try Schema.catalogue.prepare(file)
    }
}
