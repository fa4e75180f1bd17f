// SPDX-License-Identifier: Apache-2.0

import LoadedLibraries
import Logging
import Media
import Playback
import PulseAudioHost
import Service
import SoundFiles

extension Server {
    /// nil if the server does not record.
    static func recordings(_ configuration: ServerConfiguration, _ examiner: MediaExaminer) throws
        -> RecordingDirectory?
    {
        guard let path = configuration.recordings else { return nil }
        do throws(RecordingError) {
            return try RecordingDirectory(path, examiner)
        } catch {
            throw Failure("recordings: \(path) cannot be used: \(error.sentence)", .cannotCreate)
        }
    }

    static func recorder(
        _ directory: RecordingDirectory?, _ player: HostedPlayer, _ session: LiveSession, _ log: Logger
    ) -> Recorder? {
        guard let directory else { return nil }
        return Recorder(
            capture: PulseAudioCapture(), store: directory,
            refusal: {
                // Without any input the recorder itself has the better reason.
                let status = session.status
                return status.hardware.hasInput ? status.recordingRefusal?.detail : nil
            }
        ) { address in
            let item = ItemDraft(uri: address)
            player.perform(.edit(.insert([item], at: .end), expected: nil, play: true)) { result in
                guard case .failure(let error) = result else { return }
                log.warning("a recording is not played", metadata: ["reason": "\(error.message)"])
            }
        }
    }
}

extension Server {
    /// nil if their directory cannot be used. Removes the files of an earlier run.
    static func renders(
        _ configuration: ServerConfiguration, _ opener: any MediaOpener, _ clock: any PlayerClock,
        _ examiner: MediaExaminer, _ log: Logger
    ) -> Renders? {
        do throws(RecordingError) {
            let directory = try RecordingDirectory(configuration.data + "/renders", examiner)
            try directory.removeAll()
            return Renders(
                opener: opener, conversion: SoxrConversion(), stretching: SoundTouchStretching(), store: directory,
                clock: clock)
        } catch {
            log.error(
                "nothing can be rendered: \(configuration.data)/renders cannot be used",
                metadata: ["reason": "\(error.sentence)"])
            return nil
        }
    }
}
