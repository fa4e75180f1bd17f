// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import tonearm

@Suite struct MakeDirectoryTests {
    @Test func foldersAbove_areMadeToo() throws {
        let path = TemporaryPath.make()
        for _ in 0..<2 { try Server.makeDirectory(path + "//one/two/") }
        var status = stat()
        #expect(stat(path + "/one/two", &status) == 0 && status.st_mode & 0o7777 & ~0o700 == 0)
        for place in ["/one/two", "/one", ""] { #expect(rmdir(path + place) == 0) }
    }

    @Test func failure_namesItsCause() {
        let error = #expect(throws: Failure.self) { try Server.makeDirectory("/dev/null/data") }
        #expect(error.map { "\($0)" }?.contains("Not a directory") == true)
    }
}
