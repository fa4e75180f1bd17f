// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A directory that is removed with this object. Its path is short, as a Unix socket's path is limited to 107 bytes.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        let parent = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        var template = Array("\(parent)/tonearm-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { print("left behind: \(path): \(error)") }
    }

    /// The names of its entries, sorted.
    public var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    public func directory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }

    public func file(_ name: String, _ content: String = "content") throws {
        try Data(content.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    public func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
    }

    /// Runs a program in this folder; returns what it writes.
    @discardableResult
    public func run(_ command: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = URL(fileURLWithPath: path)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ProgramFailure(text: "\(command): \(text)") }
        return text
    }
}

private struct ProgramFailure: Error {
    var text: String
}
