// SPDX-License-Identifier: Apache-2.0

import Foundation
import KernelTesting
import Playback
import Testing

@testable import Media

@Suite struct DirectoryReaderTests {
    private func open(_ path: String) -> OwnedDescriptor {
        OwnedDescriptor(Foundation.open(path, O_RDONLY | O_CLOEXEC))
    }

    @Test func failureToRead_isNotTheEnd() throws {
        let folder = try TemporaryFolder()
        let reader = try DirectoryReader(open(folder.path))
        // Another file in its place: the system refuses to list it, as a broken disk or a stale mount would.
        let other = open("/dev/null")
        #expect(dup2(other.number, reader.descriptor) >= 0)
        let error = #expect(throws: MediaError.self) { try reader.next() }
        #expect(error?.code == .unreadable)
    }

    @Test func aFile_isRefused() {
        let error = #expect(throws: MediaError.self) { _ = try DirectoryReader(open("/dev/null")) }
        #expect(error?.code == .unreadable)
    }
}
