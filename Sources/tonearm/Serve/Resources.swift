// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// The files that belong to the program: the page and the two contracts.
struct Resources {
    let publicDirectory: String
    let openAPI: [UInt8]
    let asyncAPI: [UInt8]

    /// Looks beside the program, in `../share/tonearm` (an installation), in the working directory, then in the directories
    /// above the program (a build in the source tree). Looks for the contracts also beside the given page.
    init(publicDirectory given: String?) throws {
        var candidates = Self.candidates()
        if let given {
            candidates.append(given + "/..")
            guard Self.isDirectory(given) else { throw Failure.configuration("public: \(given) is not a directory") }
            publicDirectory = given
        } else if let base = candidates.first(where: { Self.isFile($0 + "/public/index.html") }) {
            publicDirectory = base + "/public"
        } else {
            throw Failure.configuration("public: the page was not found; name its directory with --public")
        }
        openAPI = try Self.contract("openapi.yaml", candidates)
        asyncAPI = try Self.contract("asyncapi.yaml", candidates)
    }

    private static func candidates() -> [String] {
        guard let program = programDirectory() else { return [] }
        let parts = program.split(separator: "/")
        return [program, program + "/../share/tonearm", FileManager.default.currentDirectoryPath]
            + (1..<parts.count + 1).map { "/" + parts.prefix(parts.count - $0).joined(separator: "/") }
    }

    private static func programDirectory() -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard length > 0 else { return nil }
        let path = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    }

    private static func contract(_ name: String, _ candidates: [String]) throws -> [UInt8] {
        guard let base = candidates.first(where: { isFile($0 + "/" + name) }) else {
            throw Failure.configuration(
                "\(name) was not found: put it beside the program, into ../share/tonearm, or beside the "
                    + "directory of --public")
        }
        return try ConfigurationFile.read(base + "/" + name, setting: name)
    }

    private static func isFile(_ path: String) -> Bool { access(path, R_OK) == 0 && !isDirectory(path) }

    static func isDirectory(_ path: String) -> Bool {
        var isDirectory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
    }
}
