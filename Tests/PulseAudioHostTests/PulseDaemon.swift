// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
import KernelTesting

/// A private PulseAudio with null sinks in a directory of its own; ended by its pid.
final class PulseDaemon: @unchecked Sendable {  // because tests use it from one thread at a time
    let directory: String
    private var folder: TemporaryFolder?
    private var process: ChildProcess?
    private let sinks: [String]

    var server: String { "unix:\(directory)/sock" }

    init(sinks: [String] = ["spk", "hp"]) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        directory = folder.path
        self.sinks = sinks
        try start()
    }

    func start() throws {
        var arguments = [
            "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--log-target=file:\(directory)/log",
            "-L", "module-native-protocol-unix socket=\(directory)/sock auth-anonymous=1",
        ]
        for sink in sinks {
            arguments += ["-L", "module-null-sink sink_name=\(sink) format=s16le rate=44100 channels=2 norewinds=1"]
        }
        process = try ChildProcess("/usr/bin/pulseaudio", arguments, environment: environment)
        let deadline = MonotonicTime.now.advanced(bySeconds: 10)
        while access("\(directory)/sock", R_OK) != 0 || pactl("info").isEmpty {
            guard MonotonicTime.now < deadline else { throw Failure("pulseaudio did not start") }
        }
    }

    var environment: [String: String] {
        ["HOME": directory, "XDG_RUNTIME_DIR": directory, "PULSE_SERVER": server, "PATH": "/usr/bin:/bin"]
    }

    func kill() {
        process?.end()
        unlink("\(directory)/sock")
    }

    var identifier: pid_t? { process?.identifier }

    func signal(_ signal: Int32) {
        if let identifier { Glibc.kill(identifier, signal) }
    }

    func remove() {
        kill()
        folder = nil
    }

    @discardableResult
    func pactl(_ arguments: String...) -> String {
        let tool = try? ChildProcess("/usr/bin/pactl", arguments, environment: environment, pipesOutput: true)
        return tool?.readAll() ?? ""
    }

    struct Failure: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }
}
