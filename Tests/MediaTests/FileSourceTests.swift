// SPDX-License-Identifier: Apache-2.0

import Foundation
import KernelTesting
import Playback
import Testing

@testable import Media

@Suite struct FileSourceTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.file("a.mp3", "0123456789")
    }

    private func code(_ body: () throws -> Void) -> MediaError.Code? {
        do { try body() } catch let error as MediaError { return error.code } catch { return nil }
        return nil
    }

    @Test func reads_byPosition() throws {
        let source = try MusicRoots([folder.path]).openFile("a.mp3")
        #expect(source.size == 10 && source.name == "a.mp3")
        #expect(try source.bytes(at: 3, count: 4) == Array("3456".utf8))
        #expect(try source.bytes(at: 8, count: 4) == Array("89".utf8))
        #expect(try source.bytes(at: 10, count: 4).isEmpty)
        #expect(try source.bytes(at: 1_000, count: 4).isEmpty)
    }

    @Test func unsupported_whenItClaimsMoreThanAMediaHas() throws {
        for size in [Int64.max, 1 << 62, 1 << 53 + 1, 1 << 48 + 1, -1] as [Int64] {
            let number = open("\(folder.path)/a.mp3", O_RDONLY | O_CLOEXEC)
            let refusal = code { _ = try FileSource(OwnedDescriptor(number), name: "a.mp3", statSize: size) }
            #expect(refusal == .unsupported)
        }
    }

    @Test func unreadable_whenTruncatedWhileOpen() throws {
        let source = try MusicRoots([folder.path]).openFile("a.mp3")
        #expect(truncate("\(folder.path)/a.mp3", 4) == 0)
        #expect(try source.bytes(at: 0, count: 4) == Array("0123".utf8))
        #expect(code { _ = try source.bytes(at: 4, count: 1) } == .unreadable)
    }

    @Test func cancelled_afterClose() throws {
        let source = try MusicRoots([folder.path]).openFile("a.mp3")
        source.close()
        source.close()
        #expect(code { _ = try source.bytes(at: 0, count: 1) } == .cancelled)
    }

    @Test func descriptorsAreClosed_withTheirSources() throws {
        func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        let roots = MusicRoots([folder.path])
        let before = try count()
        for _ in 0..<300 {
            _ = try roots.openFile("a.mp3").bytes(at: 0, count: 1)
            _ = code { _ = try roots.openFile("missing") }
            _ = try MusicFolder.list("", in: roots)
        }
        // Other tests run beside this one.
        #expect(try count() < before + 100)
    }
}
