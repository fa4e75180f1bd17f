// SPDX-License-Identifier: Apache-2.0

/// A sound as a client names it.
public struct SoundOrder: Sendable {
    public enum Content: Sendable {
        /// Taken as it is: speech does not wait for a look at its address.
        case address(String)
        /// Likewise.
        case parts([String])
        /// Looked up as for a queue.
        case items([ItemRequest])
    }

    public var content: Content
    /// Heard before.
    public var chime: String?
    /// As of `Sound`.
    public var volume: Double?
    public var timeout: Double?

    public init(_ content: Content) { self.content = content }

    /// The member of the request that names the media with this index among all that are heard; nil: it is not known which.
    func member(of part: Int?) -> String {
        let index = part.map { chime == nil ? $0 : $0 - 1 }
        if let index, index < 0 { return "chime" }
        switch content {
        case .address: return "uri"
        case .parts(let uris):
            let index = index ?? (chime == nil && uris.count == 1 ? 0 : nil)
            return index.map { "parts[\($0)]" } ?? "parts"
        // They came to others.
        case .items: return "items"
        }
    }
}
