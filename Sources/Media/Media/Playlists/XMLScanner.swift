// SPDX-License-Identifier: Apache-2.0

/// Parses XML. The protocol decouples the playlist formats from the XML library.
public protocol XMLScanner: Sendable {
    /// Calls `handle` for each event in order, until it returns false. `pieces` together are the document. The text between
    /// two tags is one event. Refuses documents that declare entities or are longer than 16 MB.
    func scan(_ pieces: some Sequence<[UInt8]>, _ handle: (XMLEvent) -> Bool) throws(XMLScanError)
}

/// Names are in lower case, including the prefix.
public enum XMLEvent: Hashable, Sendable {
    case start(String, [String: String])
    case text(String)
    case end(String)
}

/// The document is not XML or exceeds the limits. `reason` completes a sentence after a colon.
public struct XMLScanError: Error, Hashable, Sendable {
    public var reason: String

    public init(_ reason: String) { self.reason = reason }
}
