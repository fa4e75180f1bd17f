// SPDX-License-Identifier: Apache-2.0

import Glibc
import KernelTesting
import Store
import Testing

@Suite struct DataDirectoryTests {
    @Test func foldersAbove_areMadeToo() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/data"
        for _ in 0..<2 { try DataDirectory.make(path + "//one/two/") }
        var status = stat()
        #expect(stat(path + "/one/two", &status) == 0 && status.st_mode & 0o7777 & ~0o700 == 0)
    }

    @Test func failure_namesItsCause() {
        let error = #expect(throws: StateStoreError.self) { try DataDirectory.make("/dev/null/data") }
        #expect(error.map { "\($0)" }?.contains("Not a directory") == true)
    }
}
