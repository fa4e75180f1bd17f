// SPDX-License-Identifier: Apache-2.0

internal import Kernel
import HTTP
import Service

/// The body of a request or command, read strictly: invalid JSON is 400; valid JSON with wrong members is 422 with the
/// name of the member. An empty body reads as `{}`.
struct JSONBody: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The second is the type of RFC 7386, whose rules PATCH follows.
    private static let types = ["application/json", "application/merge-patch+json"]

    /// Checks the content type of a request with a body.
    static func checkType(of headers: HTTPHeaders) throws(Problem) {
        // The usual form first.
        if headers["Content-Type"] == "application/json", !headers.contains("Content-Encoding") { return }
        if let coding = headers.list("Content-Encoding").first(where: { !$0.equalsIgnoringASCIICase("identity") }) {
            throw .unsupportedMediaType(
                "The body must not be encoded, as \(coding.prefix(40)) does.", "Accept-Encoding", "identity")
        }
        guard let type = headers["Content-Type"] else {
            throw .unsupportedMediaType("The body needs the header Content-Type: application/json.")
        }
        let parts = type.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmingSpaces }
        guard Self.types.contains(where: { parts[0].equalsIgnoringASCIICase($0) }) else {
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

    /// Rejects a missing body, for routes on which it differs from `{}`.
    func required() throws(Problem) -> JSONBody {
        guard !bytes.isEmpty else { throw .malformed("A body is needed here.") }
        return self
    }

    /// The object; other members are rejected.
    func members(_ known: String...) throws(Problem) -> StrictObject { try members(known) }
    func members(_ known: [String]) throws(Problem) -> StrictObject { try StrictObject(node(.element), known) }

    private func node(_ limits: JSONLimits) throws(Problem) -> JSONNode {
        try reading { () throws(JSONError) in try JSONReader.read(text, limits: limits) }
    }

    private var text: [UInt8] { bytes.isEmpty ? Array("{}".utf8) : bytes }

    /// Reads the elements of the list in the member `name` one by one. `make` gets them and the rest of the body, in which
    /// that list is empty. A syntax error takes precedence over a wrong element.
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
        // Problems of the other members take precedence.
        let value = try make(json, elements)
        if let failure { throw failure }
        return value
    }

    /// `tooLong`: the problem if the list has too many elements.
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
