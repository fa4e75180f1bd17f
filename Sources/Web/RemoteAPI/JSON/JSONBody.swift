// SPDX-License-Identifier: Apache-2.0

internal import Kernel
import HTTP
import Playback
import Service

/// The body of a request or a command, read strictly: what is not JSON is 400; what is JSON but not what was asked for is 422
/// and names the member. An empty body reads as `{}`.
struct JSONBody: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The second one is that of RFC 7386: what a PATCH means here.
    private static let types = ["application/json", "application/merge-patch+json"]

    /// Checks the type of a body without reading it. A body needs one of `types`; no body needs no type.
    static func checkType(of request: HTTPRequest) throws(Problem) {
        if !request.body.isEmpty { try checkType(of: request.headers) }
    }

    /// Of a body that is there.
    static func checkType(of headers: HTTPHeaders) throws(Problem) {
        // As most clients write it.
        if headers["Content-Type"] == "application/json", !headers.contains("Content-Encoding") { return }
        let codings = headers.values("Content-Encoding").joined(separator: ",").split(separator: ",")
        if let coding = codings.map(\.trimmingSpaces).first(where: { !$0.equalsIgnoringASCIICase("identity") }) {
            throw .unsupportedMediaType(
                "The body must not be encoded, as \(coding.prefix(40)) does.", "Accept-Encoding", "identity")
        }
        guard let type = headers["Content-Type"] else {
            throw .unsupportedMediaType("The body needs the header Content-Type: application/json.")
        }
        let parts = type.split(separator: ";").map { $0.trimmingSpaces }
        guard let media = parts.first, Self.types.contains(where: { media.equalsIgnoringASCIICase($0) }) else {
            throw .unsupportedMediaType(
                "The body must be application/json or application/merge-patch+json, not \(type.prefix(60)).")
        }
        for parameter in parts.dropFirst() where parameter.lowercased().hasPrefix("charset=") {
            let charset = parameter.dropFirst(8).filter { $0 != "\"" }
            guard charset.equalsIgnoringASCIICase("utf-8") else {
                throw .unsupportedMediaType("JSON is read as UTF-8 only.")
            }
        }
    }

    func read<Body: JSONReadable>(_ type: Body.Type, limits: JSONLimits = .element) throws(Problem) -> Body {
        try Body(node(limits))
    }

    /// Refuses no body, which is not the same as `{}` here.
    func required() throws(Problem) -> JSONBody {
        guard !bytes.isEmpty else { throw .malformed("A body is needed here.") }
        return self
    }

    /// The object, which may have no other members.
    func members(_ known: String...) throws(Problem) -> StrictObject { try members(known) }
    func members(_ known: [String]) throws(Problem) -> StrictObject { try StrictObject(node(.element), known) }

    private func node(_ limits: JSONLimits) throws(Problem) -> JSONNode {
        try reading { () throws(JSONError) in try JSONReader.read(text, limits: limits) }
    }

    private var text: [UInt8] { bytes.isEmpty ? Array("{}".utf8) : bytes }

    /// As `read`; the elements of the list are read one after another. A text that is no JSON is refused as such, whatever is
    /// wrong with an element.
    func list<Body: ListBody>(_ type: Body.Type) throws(Problem) -> Body {
        var elements: [Body.Element] = []
        var failure: Problem?
        let json = try reading(Body.tooLong) { () throws(JSONError) in
            try JSONReader.read(text, list: Body.listMember, atMost: Body.maximumLength) { element in
                guard failure == nil else { return }
                do throws(Problem) {
                    elements.append(try Body.Element(element))
                } catch {
                    failure = error
                    elements = []
                }
            }
        }
        // Everything else first: it is short.
        var body = try Body(json)
        if let failure { throw failure }
        if !elements.isEmpty { body.fill(elements) }
        return body
    }

    /// `tooLong`: of the list that is read.
    private func reading<Value>(
        _ tooLong: @autoclosure () -> Problem? = nil, _ body: () throws(JSONError) -> Value
    ) throws(Problem) -> Value {
        do throws(JSONError) {
            return try body()
        } catch {
            if case .tooManyElements = error.reason, let tooLong = tooLong() { throw tooLong }
            throw Problem(error)
        }
    }
}

/// A request of which one member is a list that may be long.
protocol ListBody: JSONReadable {
    associatedtype Element: JSONReadable

    static var listMember: String { get }
    static var maximumLength: Int { get }
    /// The refusal of a longer list.
    static var tooLong: Problem { get }
    /// Gives it the list, which was empty when the rest was read.
    mutating func fill(_ elements: [Element])
}

/// A list of items for the queue, or of items in it.
protocol QueueListBody: ListBody {}

extension QueueListBody {
    static var maximumLength: Int { Queue.maximumLength }
    static var tooLong: Problem {
        Problem(PlaybackError(.queueFull, "The queue holds at most \(maximumLength) items."))
    }
}

extension Problem {
    init(_ error: JSONError) {
        if error.isLimit {
            self = .tooLarge(error.text)
            member = error.path.isEmpty ? nil : error.path
        } else {
            self = .malformed(error.text)
        }
    }
}
