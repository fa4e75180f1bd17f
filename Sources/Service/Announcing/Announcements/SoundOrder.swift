// SPDX-License-Identifier: Apache-2.0

/// A sound as requested by a client.
public struct SoundOrder: Sendable {
    public enum Content: Sendable {
        /// Not resolved: speech must not wait for a look-up of its address.
        case address(String)
        /// Not resolved either.
        case parts([String])
        /// Resolved as for a queue.
        case items([ItemRequest])
    }

    public var content: Content
    /// Plays first.
    public var chime: String?
    /// As of `Sound`.
    public var volume: Double?
    public var timeout: Double?

    public init(_ content: Content) { self.content = content }

    /// The member of the request for the media with this index; nil if unknown.
    func member(of part: Int?) -> String {
        let index = part.map { chime == nil ? $0 : $0 - 1 }
        if let index, index < 0 { return "chime" }
        switch content {
        case .address: return "uri"
        case .parts(let uris):
            let index = index ?? (chime == nil && uris.count == 1 ? 0 : nil)
            return index.map { "parts[\($0)]" } ?? "parts"
        // The items resolved to other media.
        case .items: return "items"
        }
    }
}
