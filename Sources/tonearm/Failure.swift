// SPDX-License-Identifier: Apache-2.0

/// The failure of a command: one sentence for the user, and an exit status of sysexits.h.
struct Failure: Error, Hashable, CustomStringConvertible {
    enum Status: Int32 {
        case general = 1
        /// A required resource is not available: the port, the data directory.
        case unavailable = 69
        /// A file cannot be created.
        case cannotCreate = 73
        /// A setting has a wrong value.
        case configuration = 78
    }

    var message: String
    var status: Status

    init(_ message: String, _ status: Status = .general) {
        self.message = message
        self.status = status
    }

    static func configuration(_ message: String) -> Failure { Failure(message, .configuration) }

    var description: String { message }

    /// Returns the result of `make`. Its error becomes the middle of the failure's sentence.
    static func unless<Part>(_ start: String, _ end: String = "", _ make: () throws -> Part) throws -> Part {
        do {
            return try make()
        } catch {
            throw Failure("\(start) \(error)\(end)", .cannotCreate)
        }
    }

    static func unlessData<Part>(_ make: () throws -> Part) throws -> Part {
        try unless("data:", "; name another directory with --data DIR.", make)
    }
}
