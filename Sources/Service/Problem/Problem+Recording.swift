// SPDX-License-Identifier: Apache-2.0

extension Problem {
    static let recordingDisabled = Problem(
        .forbidden, "recording-disabled", "This server does not record: it was started without --recordings DIR.")

    init(_ error: RecordingError) {
        let text = error.sentence
        switch error {
        case .noSource: self.init(.unavailable, "no-source", text, retryAfter: 2)
        case .unknownSource: self = .notFound(text, code: "unknown-source")
        case .unknownRecording: self = .notFound(text, code: "unknown-recording")
        case .notPermitted: self.init(.conflict, "not-permitted", text)
        case .inUse: self.init(.conflict, "in-use", text)
        case .nothingToSave: self.init(.conflict, "nothing-to-save", text)
        case .notRecording, .ended: self.init(.conflict, "not-recording", text)
        case .invalid(let member, _): self = .invalid(member, text)
        case .diskFull: self.init(.unavailable, "disk-full", text)
        case .failed: self.init(.unavailable, "recording-failed", text)
        case .shuttingDown: self.init(.unavailable, "shutting-down", text)
        }
    }
}
