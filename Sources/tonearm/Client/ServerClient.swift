// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Kernel
import RemoteAPI

/// A client of the REST API: one blocking request at a time, each on a connection of its own.
///
/// Written on a plain socket: loading libcurl or FoundationNetworking would take longer than a request to this machine.
struct ServerClient {
    /// Seconds that the server may be silent. It answers a command within one second.
    static let timeout = 15
    /// The same for requests that add or list items: the server has 30 s to look at files and web addresses.
    static let addingTimeout = 35
    /// Seconds between two events of a live stream: the server sends at least a comment every 15.
    private static let longestSilence = 60
    private static let largestReply = 256 << 20
    private static let largestRefusal = 1 << 20
    /// Seconds for a whole answer that trickles in.
    private static let longestAnswer = 60.0

    let address: ServerAddress
    let token: String?
    var player = PlayerPath.main

    enum Method: String { case get = "GET", post = "POST", put = "PUT", patch = "PATCH", delete = "DELETE" }

    /// The decoded answer to `send`.
    func ask<Answer: Decodable>(
        _ method: Method, _ path: String, _ body: RequestBody? = nil, patience: Int = Self.timeout
    ) throws -> Answer {
        try decode(send(method, path, body, patience: patience))
    }

    /// Sends a request and returns the answer's body. A refusal throws a `Failure` with the server's own sentence.
    ///
    /// - Parameters:
    ///   - path: Relative to `/api/v1/`, or absolute.
    ///   - patience: Seconds that the server may be silent.
    @discardableResult
    func send(
        _ method: Method, _ path: String, _ body: RequestBody? = nil, patience: Int = Self.timeout
    ) throws -> [UInt8] {
        let socket = try ClientSocket(address, timeout: min(patience, Self.timeout))
        socket.allowSilence(seconds: patience)
        let json = try body.map { try [UInt8](JSONEncoder().encode($0)) }
        try socket.send(head(method, path, accept: "application/json", length: json?.count) + (json ?? []))
        var reader = ReplyReader()
        var answer: [UInt8] = []
        let limit = max(Double(patience), Self.longestAnswer)
        let deadline = MonotonicTime.now.advanced(bySeconds: limit)
        while !reader.isOver {
            guard MonotonicTime.now < deadline else {
                throw Failure("\(address) did not end its answer within \(Int(limit)) s.", .unavailable)
            }
            answer += try read(socket, &reader)
            guard answer.count <= Self.largestReply else { throw invalid(.tooLarge) }
        }
        let status = reader.status ?? 0
        guard (200..<300).contains(status) else { throw refusal(status, answer) }
        return answer
    }

    func decode<Answer: Decodable>(_ bytes: [UInt8]) throws -> Answer {
        do {
            return try JSONDecoder().decode(Answer.self, from: Data(bytes))
        } catch {
            throw Failure("\(address) sent an unexpected answer: is it a Tonearm server of this version?")
        }
    }

    /// The path of an entry. Any text but an id is a failure: it could be another path.
    static func path(_ base: String, _ id: String) throws -> String {
        guard isPlain(id) else { throw Failure("\(id) is not an id: ids have lower-case letters and digits only.") }
        return "\(base)/\(id)"
    }

    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    }

    /// Receives Server-Sent Events until `handle` returns false. `end`: the failure if the server ends the stream before.
    func follow(_ path: String, end: String? = nil, _ handle: (_ json: [UInt8]) throws -> Bool) throws {
        struct Enough: Error {}
        var events = EventLines()
        do {
            try receive(path, accept: "text/event-stream") { bytes in
                for data in events.feed(bytes) where try !handle(data) { throw Enough() }
            }
        } catch is Enough { return }
        throw Failure(end ?? "\(address) ended the connection.", .unavailable)
    }

    /// Receives a body of any length, piece by piece, until it ends or `handle` throws.
    func receive(_ path: String, accept: String, _ handle: (_ bytes: [UInt8]) throws -> Void) throws {
        let socket = try ClientSocket(address, timeout: Self.timeout)
        try socket.send(head(.get, path, accept: accept, length: nil))
        var reader = ReplyReader()
        while !reader.isOver {
            let bytes = try read(socket, &reader)
            guard let status = reader.status else { continue }
            guard status == 200 else {
                var answer = bytes
                while !reader.isOver, answer.count < Self.largestRefusal { answer += try read(socket, &reader) }
                throw refusal(status, answer)
            }
            socket.allowSilence(seconds: Self.longestSilence)
            try handle(bytes)
        }
    }

    private func read(_ socket: borrowing ClientSocket, _ reader: inout ReplyReader) throws -> [UInt8] {
        let bytes = try socket.receive()
        do throws(ReplyReader.Invalid) {
            if bytes.isEmpty { try reader.close() }
            return try reader.feed(bytes)
        } catch {
            throw invalid(error)
        }
    }

    private func head(_ method: Method, _ path: String, accept: String, length: Int?) -> [UInt8] {
        let path = player.of(path.hasPrefix("/") ? path : "/api/v1/" + path)
        var lines = [
            "\(method.rawValue) \(address.prefix)\(path) HTTP/1.1", "Host: \(address.authority)", "Accept: \(accept)",
            "User-Agent: tonearm/\(ServerVersion.text)", "Connection: close",
        ]
        if let token { lines.append("Authorization: Bearer \(token)") }
        if let length { lines += ["Content-Type: application/json", "Content-Length: \(length)"] }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    private func refusal(_ status: Int, _ body: [UInt8]) -> Failure {
        struct Problem: Decodable { var detail: String }
        if status == 401 {
            return Failure(
                token == nil
                    ? "\(address) needs a token: give it with --token or TONEARM_TOKEN."
                    : "\(address) does not accept this token.")
        }
        do {
            return Failure(try JSONDecoder().decode(Problem.self, from: Data(body)).detail)
        } catch {
            // Not a problem document: a proxy or another server answered.
            return Failure("\(address) answered with status \(status).")
        }
    }

    private func invalid(_ error: ReplyReader.Invalid) -> Failure {
        switch error {
        case .notHTTP: Failure("the program at \(address) does not answer in HTTP.")
        case .tooLarge: Failure("\(address) sent an answer that is too large.")
        case .truncated: Failure("\(address) closed the connection before its answer was complete.", .unavailable)
        }
    }
}

/// The JSON object of a request. Members that are nil are left out; `Null` sends null.
struct RequestBody: Encodable, ExpressibleByDictionaryLiteral {
    struct Null: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }

    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let members: [(name: String, value: any Encodable)]

    init(dictionaryLiteral members: (String, (any Encodable)?)...) {
        self.members = members.compactMap { name, value in value.map { (name, $0) } }
    }

    private init(members: [(name: String, value: any Encodable)]) { self.members = members }

    var isEmpty: Bool { members.isEmpty }

    static func + (one: RequestBody, other: RequestBody) -> RequestBody {
        RequestBody(members: one.members + other.members)
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        for (name, value) in members { try object.encode(value, forKey: Name(stringValue: name)) }
    }
}
