// SPDX-License-Identifier: Apache-2.0

/// What comes to the recorder's thread.
enum StreamMessage: Sendable {
    case start(
        String, name: String?, StreamLimits,
        @Sendable (Result<(status: StreamRecordingStatus, isNew: Bool), RecordingError>) -> Void)
    case stop(String, @Sendable (Result<StreamRecordingStatus, RecordingError>) -> Void)
    /// There may be more of this recording; at most one of them waits.
    case arrived(String, generation: Int)
    /// Another item is current, its source is open, or the player rests, perhaps.
    case changed(String)
    case forget(String, @Sendable () -> Void)
    case shutdown

    func refuse() {
        switch self {
        case .start(_, _, _, let reply): reply(.failure(.shuttingDown))
        case .stop(_, let reply): reply(.failure(.shuttingDown))
        case .forget(_, let done): done()
        case .arrived, .changed, .shutdown: break
        }
    }
}
