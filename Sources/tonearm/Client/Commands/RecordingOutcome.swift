// SPDX-License-Identifier: Apache-2.0

/// How a recording ended: `last` of the microphone's state and of a stream's.
struct RecordingOutcome: Decodable {
    var id: String
    var successfully: Bool
    var reason: String
    /// Of the microphone's.
    var duration: Double?
    /// Of a stream's.
    var bytes: Int64?
    var message: String?

    private var extent: String { bytes.map { "\($0) bytes" } ?? TimeText.text(duration) }

    var text: String { "\(id), \(extent)" }

    var explained: String { "\(text): \(message ?? reason)" }

    /// For who has ended it: what is not whole is a failure.
    func printOutcome() throws {
        guard successfully else { throw Failure(explained) }
        Console.output(text)
    }
}
