// SPDX-License-Identifier: Apache-2.0

import Addresses
import FoundationEssentials
import Glibc

/// The server's id, made once and kept in the data directory.
public struct ServerIdentity: Sendable {
    public let id: String
    /// Why it could not be kept: it is of this run only. nil: it was.
    public let problem: String?

    private static let name = "server-id"

    /// The caller holds the directory's lock.
    public init(directory: String) {
        let path = directory + "/" + Self.name
        do {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let kept = text.prefix { !$0.isWhitespace }
            if Self.isValid(kept) {
                self.init(id: String(kept), problem: nil)
                return
            }
        } catch {
            // The first start. What else keeps it from being read shows when it is written.
        }
        let new = (0..<16).map { _ in UInt8.random(in: .min ... .max) }.map {
            $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16)
        }
        self.init(id: new.joined(), problem: Self.keep(new.joined(), path))
    }

    private init(id: String, problem: String?) {
        self.id = id
        self.problem = problem
    }

    private static func isValid(_ text: Substring) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { PercentEncoding.hexadecimal($0) != nil }
    }

    /// Whole or not at all; nil when it is on the disk.
    private static func keep(_ id: String, _ path: String) -> String? {
        let partial = path + ".partial"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return failure(partial) }
        defer { close(descriptor) }
        let text = id + "\n"
        guard write(descriptor, text, text.utf8.count) == text.utf8.count, fsync(descriptor) == 0 else {
            return failure(partial)
        }
        return rename(partial, path) == 0 ? nil : failure(path)
    }

    private static func failure(_ path: String) -> String { "\(path): \(String(cString: strerror(errno)))" }
}
