// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HTTP

/// Reads request bodies strictly: what is not JSON is 400; what is JSON but not what was asked for is 422 and names the
/// member.
enum JSONBody {
    /// Checks the type of a body without reading it. A body needs `application/json`; no body needs no type.
    static func checkType(of request: HTTPRequest) throws(Problem) {
        guard !request.body.isEmpty else { return }
        guard let type = request.headers["Content-Type"] else {
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
        do {
            switch JSONFault.first(in: bytes) {
            case .repeatedMember(let name):
                throw Problem.malformed("The member \(name.prefix(60)) stands twice in one object.")
            case .trailingComma: throw Problem.malformed("A comma stands before a closing bracket.")
            case .otherEncoding: throw Problem.malformed("JSON is read as UTF-8 only.")
            case .tooDeep:
                throw Problem.malformed("Objects and lists stand in each other more than \(JSONFault.deepest) deep.")
            case nil: break
            }
            return try JSONDecoder().decode(type, from: bytes.isEmpty ? Data("{}".utf8) : Data(bytes))
        } catch let problem as Problem {
            throw problem
        } catch DecodingError.typeMismatch(_, let context) {
            let member = MemberPath.text(context.codingPath)
            throw .invalid(
                member, member.isEmpty ? "The body must be a JSON object." : "\(member) must be an object or a list.")
        } catch DecodingError.valueNotFound(_, let context) {
            throw .invalid(MemberPath.text(context.codingPath), "null is not allowed here.")
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
