// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HTTP
import Playback

/// Reads request bodies strictly: what is not JSON is 400; what is JSON but not what was asked for is 422 and names the
/// member.
enum JSONBody {
    /// Checks the type of a body without reading it. A body needs `application/json`; no body needs no type.
    static func checkType(of request: HTTPRequest) throws(Problem) {
        if !request.body.isEmpty { try checkType(of: request.headers) }
    }

    /// Of a body that is there.
    static func checkType(of headers: HTTPHeaders) throws(Problem) {
        let codings = headers.values("Content-Encoding").joined(separator: ",").split(separator: ",")
        if let coding = codings.map(\.trimmingSpaces).first(where: { !$0.equalsIgnoringASCIICase("identity") }) {
            throw .unsupportedMediaType(
                "The body must not be encoded, as \(coding.prefix(40)) does.", [("Accept-Encoding", "identity")])
        }
        guard let type = headers["Content-Type"] else {
            throw .unsupportedMediaType("The body needs the header Content-Type: application/json.")
        }
        let parts = type.split(separator: ";").map { $0.trimmingSpaces }
        guard let media = parts.first, media.equalsIgnoringASCIICase("application/json") else {
            throw .unsupportedMediaType("The body must be application/json, not \(type.prefix(60)).")
        }
        for parameter in parts.dropFirst() where parameter.lowercased().hasPrefix("charset=") {
            let charset = parameter.dropFirst(8).filter { $0 != "\"" }
            guard charset.equalsIgnoringASCIICase("utf-8") else {
                throw .unsupportedMediaType("JSON is read as UTF-8 only.")
            }
        }
    }

    /// An empty body reads as `{}`.
    static func read<Body: Decodable>(_ type: Body.Type, from bytes: [UInt8]) throws(Problem) -> Body {
        if let fault = JSONFault.first(in: bytes) { throw Problem(fault) }
        return try reporting(nil) {
            try JSONDecoder().decode(type, from: bytes.isEmpty ? Data("{}".utf8) : Data(bytes))
        }
    }

    /// As above; the list is decoded part by part, so that the decoder never has more than a part of it.
    static func read<Body: ListBody>(list type: Body.Type, from bytes: [UInt8]) throws(Problem) -> Body {
        let (fault, found) = JSONFault.first(in: bytes, list: Body.listMember, limit: Queue.maximumLength)
        if let fault { throw Problem(fault) }
        guard let found else { return try read(type, from: bytes) }
        // Everything else first: it is short, and may be wrong.
        var body = try reporting(nil) {
            let rest = Data(bytes[..<found.bytes.lowerBound] + Array("[]".utf8) + bytes[found.bytes.upperBound...])
            return try JSONDecoder().decode(type, from: rest)
        }
        var elements: [Body.Element] = []
        elements.reserveCapacity(found.count)
        let decoder = JSONDecoder()
        for part in found.parts {
            let place = ListPlace(member: Body.listMember, first: part.first)
            decoder.userInfo[.listPlace] = place
            var data = Data(capacity: part.bytes.count + 2)
            data.append(UInt8(ascii: "["))
            data.append(contentsOf: bytes[part.bytes])
            data.append(UInt8(ascii: "]"))
            elements += try reporting(place) { try decoder.decode([Body.Element].self, from: data) }
        }
        body.fill(elements)
        return body
    }

    private static func reporting<Value>(_ place: ListPlace?, _ decode: () throws -> Value) throws(Problem) -> Value {
        do {
            return try decode()
        } catch let problem as Problem {
            throw problem
        } catch DecodingError.typeMismatch(_, let context) {
            let member = MemberPath.text(context.codingPath, in: place)
            throw .invalid(
                member, member.isEmpty ? "The body must be a JSON object." : "\(member) must be an object or a list.")
        } catch DecodingError.valueNotFound(_, let context) {
            throw .invalid(MemberPath.text(context.codingPath, in: place), "null is not allowed here.")
        } catch let error as DecodingError {
            throw .malformed(Self.sentence(error))
        } catch {
            throw .malformed("The body cannot be read as JSON.")
        }
    }

    private static func sentence(_ error: DecodingError) -> String {
        guard case .dataCorrupted(let context) = error, let cause = context.underlyingError else {
            return "The body is not valid JSON."
        }
        // The parser's own words, without what could be a copy of the body.
        return "The body is not valid JSON: \(String(describing: cause).prefix(120))"
    }
}

/// A request of which one member is a list that may be long.
protocol ListBody: Decodable {
    associatedtype Element: Decodable

    static var listMember: String { get }
    /// Gives it the list, which was empty when the rest was decoded.
    mutating func fill(_ elements: [Element])
}

/// Which part of a list a decoder has: problems name the whole list's index.
struct ListPlace: Sendable {
    var member: String
    var first: Int
}

extension CodingUserInfoKey {
    static let listPlace = CodingUserInfoKey(rawValue: "tonearm.list-place")!
}

extension Problem {
    fileprivate init(_ fault: JSONFault) {
        switch fault {
        case .repeatedMember(let name):
            self = .malformed("The member \(name.prefix(60)) stands twice in one object.")
        case .strayComma: self = .malformed("A comma stands where a value is missing.")
        case .mismatch: self = .malformed("A bracket closes what is not open.")
        case .otherEncoding: self = .malformed("JSON is read as UTF-8 only.")
        case .tooDeep:
            self = .malformed("Objects and lists stand in each other more than \(JSONFault.deepest) deep.")
        case .tooMany(let limit):
            self.init(PlaybackError(.queueFull, "The queue holds at most \(limit) items."))
        }
    }
}
