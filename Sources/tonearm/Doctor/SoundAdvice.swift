// SPDX-License-Identifier: Apache-2.0

import Glibc
import PulseAudioHost

/// Advice about an unreachable sound server, derived from the environment and the file system.
struct SoundAdvice {
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    static let noOutput = [
        "check that the system sees the sound card: cat /proc/asound/cards",
        "without a card, as in a container, use a null sink: pactl load-module module-null-sink",
    ]

    /// For outputs without a connector or a bus, which sound cards and Bluetooth devices have. Network outputs have neither.
    static func noSoundCard(_ outputs: [String]) -> Finding {
        .note(
            "sound card", "no output is a sound card: \(outputs.joined(separator: ", ")). Nobody hears a null sink",
            "check that the system sees the sound card: cat /proc/asound/cards")
    }

    /// The address of the sound server, according to the environment.
    var place: String { (value("PULSE_SERVER") ?? socket).map { " at \($0)" } ?? "" }

    func unreachable() -> [String] {
        var advice: [String] = []
        if let server = value("PULSE_SERVER") {
            advice.append("PULSE_SERVER is \(server): check the value, or unset it")
        } else if value("XDG_RUNTIME_DIR") == nil, value("PULSE_RUNTIME_PATH") == nil {
            advice.append(
                "XDG_RUNTIME_DIR is not set (cron, sudo and su do not set it): XDG_RUNTIME_DIR=/run/user/\(getuid())")
        }
        if let socket { advice += look(at: socket) }
        advice += cookie()
        if isContainer {
            advice.append(
                "in a container, mount the directory of the host's socket and name the socket: "
                    + "-v /run/user/1000/pulse:/run/pulse:ro -e PULSE_SERVER=unix:/run/pulse/native --user 1000")
        } else {
            advice.append("start one: systemctl --user start pipewire-pulse (or pulseaudio --start)")
        }
        return advice
    }

    private var socket: String? { PulseAddress(environment: value).socketPath }

    private func look(at path: String) -> [String] {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return errno == EACCES
                ? [
                    "\(path) is in a directory that user \(geteuid()) may not enter: run Tonearm as the user who is logged in"
                ]
                : ["there is no socket \(path): no sound server runs for user \(geteuid()), or it is elsewhere"]
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return ["\(path) is not a socket"] }
        guard status.st_uid != geteuid() else {
            return ["the socket \(path) is there, but nobody answers: restart the sound server"]
        }
        return [
            "the socket \(path) belongs to user \(status.st_uid), Tonearm runs as \(geteuid()): "
                + "run it as that user (docker: --user \(status.st_uid))"
        ]
    }

    private func cookie() -> [String] {
        guard let path = value("PULSE_COOKIE"), access(path, R_OK) != 0 else { return [] }
        return ["PULSE_COOKIE is \(path), which cannot be read: \(String(cString: strerror(errno)))"]
    }

    private var isContainer: Bool {
        access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 || value("container") != nil
    }

    private func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
}
