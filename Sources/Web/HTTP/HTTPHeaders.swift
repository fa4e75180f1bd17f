// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Header fields in order of arrival; names are case-insensitive (RFC 9110 section 5.1).
public struct HTTPHeaders: Sendable, Hashable {
    public struct Field: Sendable, Hashable {
        public var name: String
        public var value: String
    }

    public private(set) var fields: [Field] = []

    public init(_ fields: [(String, String)] = []) {
        self.fields = fields.map { Field(name: $0.0, value: $0.1) }
    }

    /// Keeps pages of other origins from embedding the response as a picture or script, and browsers from guessing another
    /// content type.
    public static let isolation = [
        ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// Adds the missing fields of `isolation`.
    public mutating func isolate() {
        for (name, value) in Self.isolation where !contains(name) { add(name, value) }
    }

    /// The first value of the field.
    public subscript(name: String) -> String? {
        fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value
    }

    public func contains(_ name: String) -> Bool { self[name] != nil }

    /// Whether any field shows that a proxy forwarded the request.
    public var isForwarded: Bool { fields.contains { $0.isFromProxy } }

    public func values(_ name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// All values of a comma-separated field as one (RFC 9110 section 5.3); nil without the field.
    public func combined(_ name: String) -> String? {
        let values = values(name)
        return values.isEmpty ? nil : values.joined(separator: ",")
    }

    public mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    public mutating func set(_ name: String, _ value: String) {
        fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
        add(name, value)
    }

    /// Replaces the value of Host by the authority of a target in absolute form (RFC 9112 section 3.2.2). A request
    /// without Host stays malformed.
    public func addressed(to target: RequestTarget) -> HTTPHeaders {
        guard let authority = target.authority, contains("Host") else { return self }
        var headers = self
        headers.set("Host", authority)
        return headers
    }

    /// Whether a name or value contains a control character other than the tab (RFC 9110 section 5.5).
    public var hasControlCharacter: Bool {
        func isControl(_ byte: UInt8) -> Bool { byte < 32 && byte != 9 || byte == 127 }
        return fields.contains { $0.name.utf8.contains(where: isControl) || $0.value.utf8.contains(where: isControl) }
    }

    /// The elements of a comma-separated field.
    public func list(_ name: String) -> [Substring] {
        values(name).flatMap { $0.split(separator: ",").map(\.trimmingSpaces) }
    }

    /// Whether a comma-separated field contains the token, ignoring case.
    public func hasToken(_ token: String, in name: String) -> Bool {
        list(name).contains { $0.equalsIgnoringASCIICase(token) }
    }
}

extension HTTPHeaders.Field {
    /// Recognises common parts of the field names of proxies (RFC 7239, RFC 9110 section 7.6; nginx, Apache, Caddy, HAProxy,
    /// Traefik, Envoy and content networks). Browsers and other clients send no such fields.
    fileprivate var isFromProxy: Bool {
        // Compares bytes for speed, as this runs for each request.
        let bytes = name.lowercased().utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
        func ends(_ part: String) -> Bool { bytes.suffix(part.utf8.count).elementsEqual(part.utf8) }
        func has(_ part: String) -> Bool { bytes.indices.contains { bytes[$0...].starts(with: part.utf8) } }
        return bytes.elementsEqual("via".utf8) || has("forward") || has("proxy")
            || ["-ip", "-via", "clientip", "realip", "socketip", "remote-addr"].contains(where: ends)
            || ["x-origin", "x-envoy-", "x-amzn-", "cf-", "cdn-"].contains { bytes.starts(with: $0.utf8) }
    }
}

extension StringProtocol {
    /// Ignores the case of ASCII letters; other characters are compared as bytes.
    public func equalsIgnoringASCIICase(_ other: some StringProtocol) -> Bool {
        func lowercase(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }
        return utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { lowercase($0) == lowercase($1) }
    }
}
