// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Media

/// Collects the header lines that libcurl delivers. There may be interim responses (1xx) before the final head, and trailers after the
/// body.
struct HeadReader {
    static let maximumBytes = 64 * 1_024
    static let maximumFields = 256

    /// The reason to abort the transfer; follows the host's name in a sentence.
    private(set) var refusal: String?
    private var status = 0
    private var fields: [TransferHeader] = []
    private var bytes = 0
    private var isDone = false

    /// Returns the final head once, at its empty line.
    mutating func take(_ line: UnsafeRawBufferPointer) -> TransferHead? {
        bytes += line.count
        guard bytes <= Self.maximumBytes, fields.count < Self.maximumFields else {
            refusal = "sends too many header fields."
            return nil
        }
        guard !isDone else { return nil }
        let text = String(foreign: line).streamSafe.filter { !$0.isNewline }
        if text.hasPrefix("HTTP/") || text.hasPrefix("ICY ") {
            status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            fields = []
        } else if text.isEmpty {
            // An interim response: the final one follows.
            guard !(100..<200).contains(status) else { return nil }
            isDone = true
            return TransferHead(status: status, headers: fields)
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...]
            fields.append(TransferHeader(String(text[..<colon]), String(value.trimmingSpaces)))
        }
        return nil
    }
}
