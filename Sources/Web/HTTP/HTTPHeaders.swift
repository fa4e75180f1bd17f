// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Header fields in their order; names compare without case (RFC 9110 section 5.1).
///
/// Kept as one run of bytes, `name NUL value NUL ...`, so that a server fills it with one allocation per request and
/// strings are made only for the fields that somebody reads. Names and values never contain NUL (RFC 9110 section 5.5).
public struct HTTPHeaders: Sendable, Hashable {
    private(set) var packed: [UInt8] = []

    public init(_ fields: [(String, String)] = []) {
        for (name, value) in fields { add(name, value) }
    }

    /// For servers: room for about `bytes` of names and values.
    public init(reserving bytes: Int) {
        packed.reserveCapacity(bytes)
    }

    /// No page from elsewhere takes the answer in, as a picture or script, and no browser guesses another type for it.
    public static let isolation = [
        ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// Adds those of `isolation` that are missing.
    public mutating func isolate() {
        for (name, value) in Self.isolation where !contains(name) { add(name, value) }
    }

    public var fields: [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        forEach { name, value in
            result.append((name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self)))
            return true
        }
        return result
    }

    /// The first value of the field.
    public subscript(name: String) -> String? {
        var result: String?
        forEach { field, value in
            guard field.equalsIgnoringASCIICase(name) else { return true }
            result = String(decoding: value, as: UTF8.self)
            return false
        }
        return result
    }

    public func contains(_ name: String) -> Bool {
        var found = false
        forEach { field, _ in
            found = field.equalsIgnoringASCIICase(name)
            return !found
        }
        return found
    }

    /// Whether a proxy has passed the request on, as far as proxies add something to it.
    public var nameAProxy: Bool {
        var found = false
        forEach { field, _ in
            found = field.isOfAProxy
            return !found
        }
        return found
    }

    public func values(_ name: String) -> [String] {
        var result: [String] = []
        forEach { field, value in
            if field.equalsIgnoringASCIICase(name) { result.append(String(decoding: value, as: UTF8.self)) }
            return true
        }
        return result
    }

    public mutating func add(_ name: String, _ value: String) {
        packed.append(contentsOf: name.utf8.lazy.filter { $0 != 0 })
        packed.append(0)
        packed.append(contentsOf: value.utf8.lazy.filter { $0 != 0 })
        packed.append(0)
    }

    /// For servers: bytes without NUL.
    public mutating func add(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        packed.append(contentsOf: name)
        packed.append(0)
        packed.append(contentsOf: value)
        packed.append(0)
    }

    public mutating func set(_ name: String, _ value: String) {
        if contains(name) {
            let kept = fields.filter { !$0.name.equalsIgnoringASCIICase(name) }
            packed.removeAll(keepingCapacity: true)
            for field in kept { add(field.name, field.value) }
        }
        add(name, value)
    }

    /// With the authority of a target in absolute form in the place of the Host field (RFC 9112 section 3.2.2), where
    /// there is one: without it the request stays malformed.
    public func addressed(to target: RequestTarget) -> HTTPHeaders {
        guard let authority = target.authority, contains("Host") else { return self }
        var headers = self
        headers.set("Host", authority)
        return headers
    }

    /// Whether a name or value holds what no field may (RFC 9110 section 5.5): a control character other than the tab.
    public var hasControlCharacter: Bool {
        // NUL is what ends each of them.
        packed.contains { $0 < 32 && $0 != 0 && $0 != 9 || $0 == 127 }
    }

    /// Each field as C strings, without making Swift strings; for servers.
    public func forEachCString(_ body: (_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) -> Void) {
        packed.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
            forEach { name, value in
                body(base + (name.startIndex), base + (value.startIndex))
                return true
            }
        }
    }

    /// Calls `body` with the bytes of each field until it returns false.
    private func forEach(
        _ body: (_ name: Slice<UnsafeRawBufferPointer>, _ value: Slice<UnsafeRawBufferPointer>) -> Bool
    ) {
        packed.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var position = 0
            // Every name and every value ends with NUL, so that strlen finds its end.
            while position < bytes.count {
                let nameEnd = position + strlen(base.advanced(by: position).assumingMemoryBound(to: CChar.self))
                let value = nameEnd + 1
                let valueEnd = value + strlen(base.advanced(by: value).assumingMemoryBound(to: CChar.self))
                guard body(bytes[position..<nameEnd], bytes[value..<valueEnd]) else { return }
                position = valueEnd + 1
            }
        }
    }

    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool { left.packed == right.packed }
}

extension Slice<UnsafeRawBufferPointer> {
    /// By what the names of such fields have in common (RFC 7239, RFC 9110 section 7.6; nginx, Apache, Caddy, HAProxy, Traefik, Envoy
    /// and content networks). Browsers and other clients send none that is named so.
    fileprivate var isOfAProxy: Bool {
        if equalsIgnoringASCIICase("Via") || ends("-IP") || ends("ClientIP") { return true }
        if begins("X-Origin") || begins("X-Envoy-") || begins("X-Amzn-") || begins("CF-") || begins("CDN-") {
            return true
        }
        return (startIndex..<endIndex).contains { self[$0...].begins("Forward") || self[$0...].begins("Proxy") }
    }

    private func begins(_ part: String) -> Bool {
        count >= part.utf8.count && self[startIndex..<startIndex + part.utf8.count].equalsIgnoringASCIICase(part)
    }

    private func ends(_ part: String) -> Bool {
        count >= part.utf8.count && self[endIndex - part.utf8.count..<endIndex].equalsIgnoringASCIICase(part)
    }

    fileprivate func equalsIgnoringASCIICase(_ name: String) -> Bool {
        guard count == name.utf8.count else { return false }
        var position = startIndex
        for byte in name.utf8 {
            guard base[position] == byte || lowercaseASCII(base[position]) == lowercaseASCII(byte) else { return false }
            position += 1
        }
        return true
    }
}

func lowercaseASCII(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }

extension StringProtocol {
    /// ASCII letters of either case are equal; everything else compares by bytes.
    public func equalsIgnoringASCIICase(_ other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { lowercaseASCII($0) == lowercaseASCII($1) }
    }
}
