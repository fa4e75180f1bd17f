// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
import Testing

@Suite struct DescriptorTests {
    @Test func aDuplicate_isOfTheSameFile_andNotInherited() throws {
        let first = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let second = try #require(Descriptor.duplicate(first))
        defer { close(second) }
        close(first)
        var status = stat()
        #expect(second != first && fstat(second, &status) == 0 && fcntl(second, F_GETFD) == FD_CLOEXEC)
        let (none, code) = (Descriptor.duplicate(-1), errno)
        #expect(none == nil && code == EBADF)
    }
}
