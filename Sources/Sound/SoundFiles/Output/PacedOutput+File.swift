// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Glibc
public import Playback

extension PacedOutput {
    /// Writes the sound in real time to one 16-bit WAV file. Nothing is written while the clock does not advance.
    ///
    /// The file has the first stream's format, which later streams get too. If the process is killed, the file is complete
    /// up to the last second. `report` is called on the output's thread if the file could not be completed at the end.
    public static func file(_ path: String, report: @escaping @Sendable (_ failure: String) -> Void) -> PacedOutput {
        PacedOutput { FileSink(path: path, report: report) }
    }

    /// Whether the file is writable; creates a missing one. A pipe is not: its writer would wait for a reader.
    public static func checkFile(_ path: String) -> OutputAvailability {
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o644)
        guard file >= 0 else { return .unavailable("cannot write \(path): \(String(cString: strerror(errno)))") }
        defer { Glibc.close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT != S_IFIFO else {
            return .unavailable("cannot write \(path): it is a pipe")
        }
        return .available
    }
}

private final class FileSink: PacedSink {
    private let path: String
    private let report: @Sendable (String) -> Void
    private var writer: WaveFileWriter?
    private var format: AudioFormat?
    private var sinceHeader = 0

    init(path: String, report: @escaping @Sendable (String) -> Void) {
        self.path = path
        self.report = report
    }

    var device: OutputDevice {
        OutputDevice(
            id: "file", description: "File \(path)", isDefault: true, sampleRate: format?.sampleRate ?? 44_100,
            channelCount: format?.channelCount ?? 2)
    }

    func check() -> OutputAvailability { PacedOutput.checkFile(path) }

    func open(_ preferred: AudioFormat) throws(AudioOutputError) -> AudioFormat {
        if let format { return format }
        do {
            writer = try WaveFileWriter(path: path, format: preferred)
        } catch {
            throw .refused(error.message)
        }
        format = preferred
        return preferred
    }

    func write(_ samples: UnsafeBufferPointer<Float>) throws(AudioOutputError) {
        guard let format else { return }
        sinceHeader += samples.count / format.channelCount
        do {
            try writer?.write(samples)
            if sinceHeader >= format.sampleRate {
                sinceHeader = 0
                try writer?.updateHeader()
            }
        } catch {
            throw .refused("cannot write \(path): \(error.message)")
        }
    }

    func finish() {
        do {
            try writer.take()?.finish()
        } catch {
            report("\(path) is not complete: \(error.message)")
        }
    }
}
