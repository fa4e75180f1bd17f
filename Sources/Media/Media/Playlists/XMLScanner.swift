// SPDX-License-Identifier: Apache-2.0

/// Reads XML. It decouples the playlist formats from the library that reads it.
public protocol XMLScanner: Sendable {
    /// Calls `handle` for each event in order, until it returns false. `pieces` together are the document. The text between
    /// two tags is one event. Refuses documents that declare entities or are longer than 16 MB.
    func scan(_ pieces: some Sequence<[UInt8]>, _ handle: (XMLEvent) -> Bool) throws(XMLScanError)
}

/// Names are in lower case, with their prefix as it is written.
public enum XMLEvent: Hashable, Sendable {
    case start(String, [String: String])
    case text(String)
    case end(String)
}

/// The document is no XML, or more than a playlist can be; with a reason that follows a colon.
public struct XMLScanError: Error, Hashable, Sendable {
    public var reason: String

    public init(_ reason: String) { self.reason = reason }
}
