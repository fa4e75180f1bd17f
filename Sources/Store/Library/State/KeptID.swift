// SPDX-License-Identifier: Apache-2.0

public import Kernel
public import Logging
import FoundationEssentials

/// A random number of 128 bits that is made once and kept in a file of the data directory.
public struct KeptID: Sendable {
    /// In 32 hexadecimal digits.
    public let id: String
    /// Why it could not be kept: it is of this run only. nil: it was.
    public let problem: String?

    /// A damaged file is set aside, and a new number made. One that cannot be read now stays, as it may be whole. The caller
    /// holds the directory's lock.
    public init(directory: String, name: String, logger: Logger) {
        let path = directory + "/" + name
        do {
            if let kept = try Self.kept(path, logger) {
                self.init(id: kept, problem: nil)
                return
            }
        } catch {
            self.init(id: Self.random(), problem: "\(path) cannot be read: \(error)")
            return
        }
        let new = Self.random()
        self.init(id: new, problem: Self.keep(new, path))
    }

    /// nil: there is none, or none any more.
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
        (0..<16).map { _ in UInt8.random(in: .min ... .max) }.map {
            $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16)
        }.joined()
    }

    private init(id: String, problem: String?) {
        self.id = id
        self.problem = problem
    }

    /// As a key of hashes.
    public var key: KeyedHash.Key {
        let words = [id.prefix(16), id.suffix(16)].map { UInt64($0, radix: 16) ?? 0 }
        return KeyedHash.Key(low: words[0], high: words[1])
    }

    private static func isValid(_ text: Substring) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { PercentEncoding.hexadecimal($0) != nil }
    }

    /// nil when it is on the disk.
    private static func keep(_ id: String, _ path: String) -> String? {
        do throws(WholeFile.Failure) {
            try WholeFile.write((id + "\n").utf8, to: path)
            return nil
        } catch {
            return error.description
        }
    }
}
