// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Kernel
public import Playback

/// Encrypts texts so that only this server can read them again. It exists so that the service depends on no cipher: the
/// executable supplies an implementation. Any thread; never blocks.
public protocol AddressCipher: Sendable {
    /// Returns the same result for the same text; nil if the system has no cipher.
    func seal(_ text: [UInt8]) -> [UInt8]?
    /// nil unless `seal` made it with this key.
    func open(_ sealed: [UInt8]) -> [UInt8]?
}

/// References to items whose addresses or headers hold secrets. A client stores a reference and sends it as a `uri` to
/// play the item again. A reference is the item's encrypted address: the server stores nothing for it, and it is valid
/// as long as the key exists.
public struct SealedAddresses: Sendable {
    public static let scheme = "sealed:"

    private let cipher: (any AddressCipher)?

    public init(_ cipher: (any AddressCipher)? = nil) { self.cipher = cipher }

    private struct Content: Codable {
        var uri: String
        var headers: [String: String]?
        var reach: String?
    }

    /// nil if there is no cipher, or if the reference would exceed the length of a `uri`.
    public func reference(to draft: ItemDraft) -> String? {
        guard let cipher else { return nil }
        let content = Content(
            uri: draft.uri, headers: draft.headers.isEmpty ? nil : draft.headers,
            reach: draft.reach == .anywhere ? nil : draft.reach.rawValue)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            guard let sealed = cipher.seal(Array(try encoder.encode(content))) else { return nil }
            let text = Self.scheme + Self.base64(sealed)
            return text.utf8.count <= ItemRequest.maximumURILength ? text : nil
        } catch {
            return nil
        }
    }

    static func isReference(_ request: ItemRequest) -> Bool { request.directAddress?.hasPrefix(scheme) ?? false }

    /// The request with the address behind its reference; nil for a reference of another server.
    func opened(_ request: ItemRequest) -> ItemRequest? {
        guard let uri = request.directAddress, let content = content(of: uri) else { return nil }
        var draft = ItemDraft(uri: content.uri)
        var expands: Bool?
        if case .media(let given, let expansion) = request { (draft, expands) = (given, expansion) }
        draft.uri = content.uri
        draft.headers.merge(content.headers ?? [:]) { given, _ in given }
        if let name = content.reach, let reach = NetworkReach(rawValue: name) { draft.reach = reach }
        return .media(draft, expands: expands)
    }

    private func content(of reference: String) -> Content? {
        guard let cipher, let sealed = Self.bytes(reference.dropFirst(Self.scheme.count)),
            let text = cipher.open(sealed)
        else { return nil }
        do { return try JSONDecoder().decode(Content.self, from: Data(text)) } catch { return nil }
    }

    /// RFC 4648, section 5, without padding.
    private static func base64(_ bytes: [UInt8]) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }

    private static func bytes(_ text: Substring) -> [UInt8]? {
        let plain = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)).map(
            Array.init)
    }
}
