// SPDX-License-Identifier: Apache-2.0

import Glibc
import KernelTesting
import Testing

@testable import tonearm

@Suite struct AccessTokensTests {
    private func tokens(_ text: String) throws -> [String] {
        let folder = try TemporaryFolder()
        try folder.file("token", text)
        let path = folder.path + "/token"
        try #require(chmod(path, 0o600) == 0)
        return try AccessTokens.read(path).tokens.map { "\($0.secret) \($0.scope)" }
    }

    @Test(arguments: [
        "abcdefghijklmnop read", "abcdefghijklmnop\tread", " abcdefghijklmnop \t read\t# for the hall",
        "# none\r\nabcdefghijklmnop read\r\n",
    ])
    func whiteSpaceSeparates_tokenAndScope(text: String) throws {
        #expect(try tokens(text) == ["abcdefghijklmnop read"])
    }

    @Test(arguments: [S_IFIFO, S_IFDIR, S_IFCHR]) func anythingButAFile_isRefused(type: mode_t) throws {
        let folder = try TemporaryFolder()
        let path = type == S_IFCHR ? "/dev/null" : folder.path + "/token"
        if type == S_IFIFO { try #require(mkfifo(path, 0o644) == 0) }
        if type == S_IFDIR { try #require(mkdir(path, 0o755) == 0) }
        let error = #expect(throws: Failure.self) { try AccessTokens.load(path) }
        #expect(error?.message == "token-file: \(path) is not a regular file")
    }

    @Test func newToken_isUnshown_untilItsLinkWasPrinted() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/token"
        #expect(try AccessTokens.load(path).isUnshown)
        #expect(try AccessTokens.load(path).isUnshown, "the first start needed none")
        AccessTokens.noteShown(path)
        #expect(try !AccessTokens.load(path).isUnshown)
    }

    @Test(arguments: [
        "", "# none", "short", "abcdefghijklmnop everything", "abcdefghijklmnop read\nabcdefghijklmnop admin",
        String(repeating: "a", count: 5_000),
    ])
    func invalidTokens_areRefused(text: String) throws {
        #expect(throws: (any Error).self) { try tokens(text) }
    }
}
