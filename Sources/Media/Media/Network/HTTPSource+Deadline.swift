// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

extension HTTPSource {
    /// Runs `body`, which reads this source. Closes the source afterwards, at the deadline, and on cancellation. `seconds`: the time
    /// allowed, for the error.
    func read<Value>(
        until deadline: MonotonicTime, within seconds: Double, _ cancellation: MediaCancellation,
        _ body: () throws(MediaError) -> Value
    ) throws(MediaError) -> Value {
        defer { close() }
        cancellation.onCancel { [weak self] in self?.close() }
        transport.call(at: deadline) { [weak self] in self?.close() }
        do throws(MediaError) {
            return try body()
        } catch {
            guard error.code == .cancelled, !cancellation.isCancelled else { throw error }
            throw MediaError(.network, "\(name) did not arrive within \(Int(clamping: seconds)) s.")
        }
    }
}
