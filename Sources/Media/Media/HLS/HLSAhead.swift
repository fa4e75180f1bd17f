// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Synchronization
internal import Kernel

/// The next run, opened on a thread of its own while the present one still plays: its worker takes longer to start on a busy
/// machine than a short segment lasts. There is one at most; it moves nothing in the stream until its turn has come.
final class HLSAhead {
    /// The segment that it begins with.
    let first: Int64
    private let run: HLSRun
    private let state = Monitor(State.opening)

    /// What an opening came to: nothing when the run has ended before its first frame, or could not begin.
    typealias Opened = Result<any AudioDecoder, MediaError>?

    private enum State {
        case opening
        case opened(any AudioDecoder)
        /// Its run has ended before the first frame.
        case nothing
        case failed(MediaError)
    }

    /// nil when there can be no thread.
    init?(_ stream: HLSStream, from first: Int64, _ context: HLSContext, _ selection: MediaExaminer) {
        self.first = first
        let run = HLSRun(stream, from: first, context, role: .ahead)
        self.run = run
        let thread = NamedThread(ifPossible: "decode-ahead") { [state] in
            let result: State
            do throws(MediaError) {
                try run.begin()
                result = run.end == nil ? .opened(try selection.open(run)) : .nothing
            } catch {
                result = .failed(error)
            }
            state.change { $0 = result }
        }
        guard let thread else { return nil }
        thread.detach()
    }

    deinit { run.abandon() }

    /// Its turn has come. Blocks until it is open; nil when it must be opened anew.
    func adopt() -> (HLSRun, Opened)? {
        run.begins()
        let state: State = state.wait { if case .opening = $0 { nil } else { $0 } }
        switch state {
        case .opened(let decoder): return (run, .success(decoder))
        case .nothing: return (run, nil)
        case .failed(let error):
            return run.first != nil && [.unsupported, .empty].contains(error.code) ? (run, .failure(error)) : nil
        case .opening: return nil
        }
    }
}
