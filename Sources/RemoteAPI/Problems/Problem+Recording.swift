// SPDX-License-Identifier: Apache-2.0

import Recording

extension Problem {
    static var recordingDisabled: Problem {
        Problem(
            status: 403, code: "recording-disabled", title: "Recording is off",
            detail: "This server does not record: it was started without --recordings DIR.")
    }

    init(_ error: RecordingError) {
        let text = error.sentence
        switch error {
        case .noSource:
            self.init(
                status: 503, code: "no-source", title: "No source", detail: text, headers: [("Retry-After", "2")])
        case .unknownSource: self = .notFound(text, code: "unknown-source")
        case .unknownRecording: self = .notFound(text, code: "unknown-recording")
        case .notPermitted: self.init(status: 409, code: "not-permitted", title: "Not permitted", detail: text)
        case .inUse: self.init(status: 409, code: "in-use", title: "In use", detail: text)
        case .nothingToSave: self.init(status: 409, code: "nothing-to-save", title: "Nothing to save", detail: text)
        case .notRecording, .ended: self.init(status: 409, code: "not-recording", title: "Not recording", detail: text)
        case .invalid(let member, _): self = .invalid(member, text)
        case .diskFull: self.init(status: 503, code: "disk-full", title: "Disk full", detail: text)
        case .failed: self.init(status: 503, code: "recording-failed", title: "Not recorded", detail: text)
        case .shuttingDown: self.init(status: 503, code: "shutting-down", title: "Shutting down", detail: text)
        }
    }
}
