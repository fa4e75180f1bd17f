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

    /// As `read`; the elements of the list in the member `name` are read one after another, and `make` gets them with the rest,
    /// in which that list is empty. A text that is no JSON is refused as such, whatever is wrong with an element.
    func list<Element: JSONReadable, Value>(
        _ name: String, of type: Element.Type, atMost maximum: Int, _ tooLong: Problem,
        _ make: (JSONNode, [Element]) throws(Problem) -> Value
    ) throws(Problem) -> Value {
        var elements: [Element] = []
        var failure: Problem?
        let json = try reading(tooLong) { () throws(JSONError) in
            try JSONReader.read(text, list: name, atMost: maximum) { element in
                guard failure == nil else { return }
                do throws(Problem) {
                    elements.append(try Element(element))
                } catch {
                    failure = error
                    elements = []
                }
            }
        }
        // Everything else first: it is short.
        let value = try make(json, elements)
        if let failure { throw failure }
        return value
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
