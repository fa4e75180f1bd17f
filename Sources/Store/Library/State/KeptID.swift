// SPDX-License-Identifier: Apache-2.0

public import Kernel
import FoundationEssentials

/// A random number of 128 bits that is made once and kept in a file of the data directory.
public struct KeptID: Sendable {
    /// In 32 hexadecimal digits.
    public let id: String
    /// Why it could not be kept: it is of this run only. nil: it was.
    public let problem: String?

    /// The caller holds the directory's lock.
    public init(directory: String, name: String) {
        let path = directory + "/" + name
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
