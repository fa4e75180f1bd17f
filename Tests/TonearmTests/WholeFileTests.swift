// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import tonearm

@Suite struct WholeFileTests {
    @Test func madeFile_isItsOwnersOnly() throws {
        let path = TemporaryPath.make()
        defer { TemporaryPath.remove(path) }
        try WholeFile.make(path, "secret\n", setting: "token-file")
        #expect(try WholeFile.read(path, setting: "token-file") == Array("secret\n".utf8))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(access(path + ".partial", F_OK) != 0)
    }

    @Test func shortWrite_leavesNoFile() throws {
        let path = TemporaryPath.make()
        let error = #expect(throws: Failure.self) {
            try WholeFile.make(path, "secret\n", setting: "token-file") { Glibc.write($0, $1, $2 - 1) }
        }
        #expect(error.map { "\($0)" }?.contains("No space left") == true)
        #expect(access(path, F_OK) != 0 && access(path + ".partial", F_OK) != 0)
        // And the next start makes it.
        try WholeFile.make(path, "secret\n", setting: "token-file")
        TemporaryPath.remove(path)
    }
}
