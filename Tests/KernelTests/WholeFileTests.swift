// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Kernel
import KernelTesting
import Testing

@Suite struct WholeFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/file" }

    init() throws { folder = try TemporaryFolder() }

    @Test func writtenFile_isPrivate_andReplacesTheOldOne() throws {
        try WholeFile.write("old, and longer\n".utf8, to: path)
        try WholeFile.write("secret\n".utf8, to: path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "secret\n")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(access(path + ".partial", F_OK) != 0)
    }

    @Test func aSpecialFile_isNotReplaced() throws {
        #expect(mkfifo(path, 0o600) == 0)
        let error = #expect(throws: WholeFile.Failure.self) { try WholeFile.write("x".utf8, to: path) }
        #expect(error?.code == EINVAL)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        #expect(access(path + ".partial", F_OK) != 0)
    }

    @Test func shortWrite_keepsTheOldFile() throws {
        try WholeFile.write("old\n".utf8, to: path)
        let error = #expect(throws: WholeFile.Failure.self) {
            try WholeFile.write("secret\n".utf8, to: path) { Glibc.write($0, $1, $2 - 1) }
        }
        #expect(error?.description == "\(path): No space left on device")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old\n")
        #expect(access(path + ".partial", F_OK) != 0)
    }

    @Test func aLinkInTheWay_isNotFollowed() throws {
        let other = path + ".other"
        try WholeFile.write("other\n".utf8, to: other)
        #expect(symlink(other, path + ".partial") == 0)
        try WholeFile.write("own\n".utf8, to: path)
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "other\n")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "own\n")
    }

    @Test func aDirectoryInTheWay_isAnError() throws {
        #expect(mkdir(path, 0o700) == 0)
        let error = #expect(throws: WholeFile.Failure.self) { try WholeFile.write("x".utf8, to: path) }
        #expect(error?.code == EISDIR)
        #expect(access(path + ".partial", F_OK) != 0)
    }
}
