// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Media

/// Gathers the lines of response heads as libcurl hands them out: several heads when interim ones (1xx) come first, and
/// trailers after the body.
struct HeadReader {
    static let maximumBytes = 64 * 1_024
    static let maximumFields = 256

    /// Why the transfer must end; follows the host's name in a sentence.
    private(set) var refusal: String?
    private var status = 0
    private var fields: [TransferHeader] = []
    private var bytes = 0
    private var isDone = false

    /// The head, once, at the empty line that ends it.
    mutating func take(_ line: UnsafeRawBufferPointer) -> TransferHead? {
        bytes += line.count
        guard bytes <= Self.maximumBytes, fields.count < Self.maximumFields else {
            refusal = "sends too many header fields."
            return nil
        }
        guard !isDone else { return nil }
        // Old radio servers write their name in Latin-1.
        let text =
            (String(validating: line, as: UTF8.self)
            ?? String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))).streamSafe.filter { !$0.isNewline }
        if text.hasPrefix("HTTP/") || text.hasPrefix("ICY ") {
            status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            fields = []
        } else if text.isEmpty {
            // An interim response: the real one follows.
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
