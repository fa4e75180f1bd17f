// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import CSndfile
internal import Glibc
import Service

/// A file in progress, written through libsndfile. Used by one thread at a time.
final class RecordingFile: RecordingWriter {
    let id: String
    private let settle: (_ isEmpty: Bool) throws(RecordingError) -> Void
    private var handle: OpaquePointer?
    private let descriptor: Int32
    private let channelCount: Int
    /// Bytes of a sample in the file; nil for compressed formats.
    private let sampleBytes: Int?
    /// Buffer for 16-bit samples, which are restored exactly; nil if libsndfile converts.
    private let quantized: UnsafeMutableBufferPointer<Int16>?
    private var written = 0
    /// The length of a WAV file has 32 bits; some bytes are reserved for the header.
    private static let largestWave = Int(UInt32.max) - (1 << 20)

    /// Takes ownership of the descriptor, also if it throws. `settle` publishes the closed file, or deletes an empty one.
    init(
        id: String, _ descriptor: Int32, _ settings: RecordingSettings,
        settle: @escaping (_ isEmpty: Bool) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        self.id = id
        self.settle = settle
        self.descriptor = descriptor
        channelCount = settings.channelCount
        sampleBytes = settings.container == .wav ? settings.bits / 8 : nil
        let isExact = settings.bits == 16 && [.wav, .flac].contains(settings.container)
        quantized = isExact ? .allocate(capacity: 4_096 * settings.channelCount) : nil
        var info = SF_INFO(
            frames: 0, samplerate: Int32(settings.sampleRate), channels: Int32(settings.channelCount),
            format: Int32(Self.format(settings)), sections: 0, seekable: 0)
        errno = 0
        handle = sf_open_fd(descriptor, Int32(SFM_WRITE), &info, 0)
        guard let handle else {
            let (code, text) = (errno, String(cString: sf_strerror(nil)))
            close(descriptor)
            if code == ENOSPC || code == EDQUOT { throw RecordingDirectory.failure(code, "sf_open_fd") }
            throw .failed("libsndfile does not write this format: \(text)")
        }
        sf_command(handle, Int32(SFC_SET_CLIPPING), nil, Int32(SF_TRUE))
        // Keeps the file valid after each write, in case the process dies.
        sf_command(handle, Int32(SFC_SET_UPDATE_HEADER_AUTO), nil, Int32(SF_TRUE))
    }

    deinit {
        quantized?.deallocate()
        if let handle {
            sf_close(handle)
            close(descriptor)
        }
    }

    func write(_ samples: UnsafeBufferPointer<Float>) throws(RecordingError) -> WriteOutcome {
        guard let handle, let base = samples.baseAddress, !samples.isEmpty else { return .written }
        if let sampleBytes, (written + samples.count) * sampleBytes > Self.largestWave { return .sizeLimit }
        errno = 0
        if let quantized {
            guard PCM16Quantizer.write(samples, to: handle, by: quantized) else { throw failure("sf_write_short") }
        } else {
            let frames = sf_count_t(samples.count / channelCount)
            guard sf_writef_float(handle, base, frames) == frames, sf_error(handle) == 0 else {
                throw failure("sf_writef_float")
            }
        }
        written += samples.count
        return .written
    }

    /// Publishes the file even if its last bytes could not be written, as the rest is playable.
    func finish() throws(RecordingError) {
        var problem: RecordingError?
        do throws(RecordingError) { try complete() } catch { problem = error }
        try settle(written == 0)
        if let problem { throw problem }
    }

    private func complete() throws(RecordingError) {
        guard let handle else { return }
        self.handle = nil
        errno = 0
        let code = sf_close(handle)
        let problem = errno
        // Failed writes are reported here at the latest.
        let isSynced = fsync(descriptor) == 0
        let syncProblem = errno
        close(descriptor)
        guard code == 0 else { throw RecordingDirectory.failure(problem, "the end of the file cannot be written") }
        guard isSynced || syncProblem == EINVAL else {
            throw RecordingDirectory.failure(syncProblem, "the file cannot be written to the disk")
        }
    }

    private func failure(_ call: String) -> RecordingError {
        let code = errno
        if code != 0 { return RecordingDirectory.failure(code, call) }
        return .failed("\(call): \(String(cString: sf_strerror(handle)))")
    }

    static func format(_ settings: RecordingSettings) -> Int {
        switch settings.container {
        case .wav:
            let container = settings.channelCount > 2 ? SF_FORMAT_WAVEX : SF_FORMAT_WAV
            let samples =
                switch settings.bits {
                case 8: SF_FORMAT_PCM_U8
                case 24: SF_FORMAT_PCM_24
                case 32: settings.isFloat ? SF_FORMAT_FLOAT : SF_FORMAT_PCM_32
                default: SF_FORMAT_PCM_16
                }
            return Int(container) | Int(samples)
        case .flac:
            let samples =
                switch settings.bits {
                case 8: SF_FORMAT_PCM_S8
                case 24: SF_FORMAT_PCM_24
                default: SF_FORMAT_PCM_16
                }
            return Int(SF_FORMAT_FLAC) | Int(samples)
        case .opus: return Int(SF_FORMAT_OGG) | Int(SF_FORMAT_OPUS)
        case .mp3: return Int(SF_FORMAT_MPEG) | Int(SF_FORMAT_MPEG_LAYER_III)
        }
    }
}
