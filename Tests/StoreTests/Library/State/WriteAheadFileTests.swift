// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import KernelTesting
import Testing

@testable import Store

@Suite struct WriteAheadFileTests {
    private let folder: TemporaryFolder
    private let queue: DatabaseQueue
    private var path: String { folder.path + "/copy-wal" }

    init() throws {
        folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(
                sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 5")
        }
        queue = try DatabaseQueue(path: folder.path + "/file", configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    }

    private func insert(_ count: Int) throws {
        for _ in 0..<count { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (randomblob(9000))") } }
    }

    /// The journal as after a kill.
    private func journal() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: folder.path + "/file-wal")) }

    private func condition(_ bytes: Data) throws -> WriteAheadFile.Condition {
        try bytes.write(to: URL(fileURLWithPath: path))
        return try WriteAheadFile.condition(path)
    }

    @Test func wholeFile_isWhole() throws {
        #expect(try WriteAheadFile.condition(path) == .whole, "there is none")
        #expect(try condition(Data()) == .whole)
        #expect(try condition(journal().prefix(32)) == .whole)
        try insert(10)
        #expect(try condition(journal()) == .whole)
    }

    @Test func framesFromBeforeACheckpoint_areNormal() throws {
        for _ in 0..<3 {
            try insert(10)
            _ = try queue.writeWithoutTransaction { try $0.checkpoint(.restart) }
            try insert(2)
            #expect(try condition(journal()) == .whole)
            // `journal_size_limit` truncates like this.
            #expect(try condition(journal().dropLast(1000)) == .whole)
        }
    }

    @Test func transactionThatWasRolledBack_isNoDamage() throws {
        try queue.inTransaction { database in
            for _ in 0..<50 { try database.execute(sql: "INSERT INTO t VALUES (randomblob(9000))") }
            return .rollback
        }
        let before = try journal().count
        try insert(1)
        #expect(try journal().count == before, "frames of the transaction follow")
        #expect(try condition(journal()) != .damaged)
    }

    /// A power cut: the file ends anywhere, or its last pages never reached the disk.
    @Test func cutFile_isNoDamage() throws {
        try insert(10)
        let bytes = try journal()
        for size in stride(from: 0, to: bytes.count, by: 997) {
            #expect(try condition(bytes.prefix(size)) != .damaged)
            if size > 32 { #expect(try condition(bytes.prefix(size) + Data(count: bytes.count - size)) == .unfinished) }
        }
        #expect(try condition(bytes.dropLast(3000)) == .unfinished)
    }

    @Test(arguments: [0, 9, 30, 8_000, 20_000]) func wrongBytes_beforeOtherTransactions_areDamage(offset: Int) throws {
        try insert(10)
        var bytes = try journal()
        bytes[offset] ^= 1
        #expect(try condition(bytes) == .damaged)
        bytes.replaceSubrange(offset..<offset + 10_000, with: Data(repeating: 0xA5, count: 10_000))
        #expect(try condition(bytes) == .damaged)
    }

    @Test func zeroes_areDamage() throws {
        try insert(1)
        #expect(try condition(Data(count: journal().count)) == .damaged)
    }
}
