// SPDX-License-Identifier: Apache-2.0

public import Audio
internal import CSndfile
public import Service

/// Writes float32 frames with 16 bits: as a WAV file (WAVE_FORMAT_EXTENSIBLE for more than two channels), or in another container.
public struct WaveFileWriter: ~Copyable {
    private let file: OpaquePointer
    private let scratch: UnsafeMutableBufferPointer<Int16>

    /// The text of libsndfile or the system, with the call and the path.
    public struct Failure: Error, Hashable, Sendable {
        public var message: String
    }

    /// Creates or empties the file.
    public init(
        path: String, format: AudioFormat, container: RecordingSettings.Container = .wav
    ) throws(Failure) {
        var settings = RecordingSettings()
        settings.container = container
        settings.channelCount = format.channelCount
        var info = SF_INFO(
            frames: 0, samplerate: Int32(format.sampleRate), channels: Int32(format.channelCount),
            format: Int32(RecordingFile.format(settings)), sections: 0, seekable: 0)
        guard let file = sf_open(path, Int32(SFM_WRITE), &info) else {
            throw Failure(message: "cannot write \(path): sf_open: \(String(cString: sf_strerror(nil)))")
        }
        self.file = file
        scratch = .allocate(capacity: 4_096 * format.channelCount)
    }

    deinit {
        sf_close(file)
        scratch.deallocate()
    }

    /// Appends interleaved samples; their count is divisible by the channel count.
    public mutating func write(_ samples: UnsafeBufferPointer<Float>) throws(Failure) {
        guard PCM16Quantizer.write(samples, to: file, by: scratch) else { throw failure("sf_write_short") }
    }

    /// Writes the present length to the header, so that the file is valid if the process dies.
    public mutating func updateHeader() throws(Failure) {
        sf_command(file, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
        if sf_error(file) != 0 { throw failure("header") }
    }

    /// Ends the file. Without it, `deinit` does the same but cannot report a failure.
    public consuming func finish() throws(Failure) {
        try updateHeader()
    }

    private func failure(_ call: String) -> Failure {
        Failure(message: "\(call): \(String(cString: sf_strerror(file))) (error \(sf_error(file)))")
    }
}
