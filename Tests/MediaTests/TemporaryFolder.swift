// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A directory that is removed with its owner.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let made = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("tonearm-media-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        path = made.path
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { print("left behind: \(path): \(error)") }
    }

    func directory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }

    func file(_ name: String, _ content: String = "content") throws {
        try Data(content.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
    }
}
