// SPDX-License-Identifier: Apache-2.0

public import Kernel
public import Logging
import FoundationEssentials

/// A random number of 128 bits, created once and kept in a file of the data directory.
public struct KeptID: Sendable {
    /// 32 hexadecimal digits.
    public let id: String
    /// Why the number is valid for this run only; nil if it is saved.
    public let problem: String?

    /// Sets a damaged file aside and creates a new number. Keeps a file that cannot be read now, because it may be intact. The
    /// caller holds the directory's lock.
    public init(directory: String, name: String, logger: Logger) {
        let path = directory + "/" + name
        do {
            if let kept = try Self.kept(path, logger) {
                (id, problem) = (kept, nil)
                return
            }
        } catch {
            (id, problem) = (Self.random(), "\(path) cannot be read: \(error)")
            return
        }
        id = Self.random()
        problem = Self.keep(id, path)
    }

    /// nil if there is no file, or none any more.
    private static func kept(_ path: String, _ logger: Logger) throws -> String? {
        var damage = SetAside.reasonAgainst(path)
        if damage == nil {
            do {
                let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
                let kept = text.prefix { !$0.isWhitespace }
                if isValid(kept) { return String(kept) }
                damage = "is damaged"
            } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
                return nil
            }
        }
        let aside = try SetAside.move(path)
        logger.error("\(path) \(damage ?? ""); kept as \(aside), a new one is made")
        return nil
    }

    private static func random() -> String {
        (0..<32).map { _ in String(UInt8.random(in: 0..<16), radix: 16) }.joined()
    }

    /// The number as a key of hashes.
    public var key: KeyedHash.Key {
        let words = [id.prefix(16), id.suffix(16)].map { UInt64($0, radix: 16) ?? 0 }
        return KeyedHash.Key(low: words[0], high: words[1])
    }

    private static func isValid(_ text: Substring) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { PercentEncoding.hexadecimal($0) != nil }
    }

    /// Returns nil once the number is on the disk.
    private static func keep(_ id: String, _ path: String) -> String? {
        do throws(WholeFile.Failure) {
            try WholeFile.write((id + "\n").utf8, to: path)
            return nil
        } catch {
            return error.description
        }
    }
}
