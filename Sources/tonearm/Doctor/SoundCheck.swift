// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import Playback
import PulseAudioHost
import SoundFiles
import Kernel

/// Checks the output as the player uses it: connects to the sound server, lists its devices, plays a moment of silence.
struct SoundCheck {
    /// Seconds for each step.
    private static let patience = 4.0
    private static let generation = Generation(1)

    private let settings: ServerConfiguration
    private let environment: [String: String]

    init(_ settings: ServerConfiguration, _ environment: [String: String]) {
        self.settings = settings
        self.environment = environment
    }

    func findings() -> [Finding] {
        switch settings.output {
        case .null: [.note("output", "null: a clock without sound", "use --output auto to hear something")]
        case .file(let path): [file(path)]
        case .pulse: pulse()
        }
    }

    /// As serve checks it. A file that this creates is removed.
    private func file(_ path: String) -> Finding {
        let isNew = access(path, F_OK) != 0
        if case .unavailable(let reason) = PacedOutput.checkFile(path) {
            return .problem("output", reason, ["name another file with --output file:PATH"])
        }
        if isNew, let created = realpath(path, nil) {
            unlink(created)
            free(created)
        }
        return .note("output", "the sound is written to \(path)")
    }

    private func pulse() -> [Finding] {
        let events = Mailbox<AudioOutputEvent>()
        let output = PulseAudioOutput()
        output.perform(.select(settings.sink))
        output.activate { events.post($0) }
        defer { output.shutdown() }
        var heard = Heard()
        heard.wait(events, Self.patience) { $0.availability != nil }
        guard case .available = heard.availability else {
            var sentence = "the sound server does not answer"
            if case .unavailable(let text) = heard.availability { sentence = text }
            // A sound server without outputs sends an empty list at once; an unreachable one sends none.
            heard.wait(events, 0.2) { $0.devices != nil }
            if heard.devices != nil { return [.problem("outputs", sentence, SoundAdvice.noOutput)] }
            return [.problem("sound server", sentence, SoundAdvice(environment).unreachable())]
        }
        heard.wait(events, Self.patience) { $0.devices != nil }
        let reached = Finding.ok("sound server", "reached" + SoundAdvice(environment).place)
        guard let devices = heard.devices?.devices, !devices.isEmpty else {
            return [reached, .problem("outputs", "the sound server has no output", SoundAdvice.noOutput)]
        }
        var missing: [Finding] = []
        if let sink = settings.sink, !devices.contains(where: { $0.id == sink }) {
            let names = devices.map(\.id).joined(separator: ", ")
            missing = [
                .note(
                    "sink", "\(sink) is not there: the sound goes elsewhere until it appears", "use one of: \(names)"
                )
            ]
        }
        let current = heard.devices?.current
        let list = devices.map { ($0.id == current ? "*" : "") + "\($0.id) (\($0.description), \($0.state.rawValue))" }
        let isSilent = devices.allSatisfy { $0.bus == nil && $0.ports.isEmpty }
        return [reached, .ok("outputs", list.joined(separator: "; "))] + missing + [trial(output, events, &heard)]
            + (isSilent ? [SoundAdvice.noSoundCard(devices.map(\.description))] : [])
    }

    /// Plays a tenth of a second of silence, as `play` would.
    private func trial(_ output: PulseAudioOutput, _ events: Mailbox<AudioOutputEvent>, _ heard: inout Heard) -> Finding
    {
        let format = AudioFormat(sampleRate: 44_100, layout: .stereo)
        output.perform(.open(format, Self.generation))
        heard.wait(events, Self.patience) { $0.ring != nil || $0.failure != nil }
        if let ring = heard.ring {
            let lease = ring.grant().lease
            let silence = [Float](repeating: 0, count: ring.format.sampleRate / 10 * ring.format.channelCount)
            silence.withUnsafeBufferPointer { _ = ring.write($0, lease: lease) }
            output.perform(.stream(.start(), Self.generation))
            output.perform(.stream(.drain, Self.generation))
            heard.wait(events, Self.patience) { $0.isStarted || $0.failure != nil }
        }
        let current = heard.devices?.current ?? "NAME"
        if heard.isStarted { return .ok("playing", "\(current) accepts sound") }
        if let failure = heard.failure {
            return .problem("playing", failure.message, ["look at the sound server's log"])
        }
        let isSuspended = heard.devices?.devices.contains { $0.id == current && $0.state == .suspended } == true
        guard isSuspended || heard.isSuspended else {
            return .problem(
                "playing", "\(current) accepted the stream, but its clock does not advance",
                ["look at the sound server's log", "try another sink with --sink NAME"])
        }
        return .problem(
            "playing", "\(current) is suspended and does not wake up for music",
            [
                "wake it: pactl suspend-sink \(current) 0",
                "end the program that holds the sound card (fuser -v /dev/snd/*), or choose another sink with --sink NAME",
            ])
    }
}

/// The output's reports so far.
private struct Heard {
    private(set) var availability: OutputAvailability?
    private(set) var devices: OutputDevices?
    private(set) var ring: FrameRing?
    private(set) var isStarted = false
    private(set) var isSuspended = false
    private(set) var failure: AudioOutputError?

    mutating func wait(_ events: Mailbox<AudioOutputEvent>, _ seconds: Double, until done: (Heard) -> Bool) {
        let deadline = MonotonicTime.now.advanced(bySeconds: seconds)
        while !done(self), MonotonicTime.now < deadline {
            for event in events.take(until: deadline) { note(event) }
        }
    }

    private mutating func note(_ event: AudioOutputEvent) {
        switch event {
        case .availability(let value): availability = value
        case .devices(let value): devices = value
        case .opened(_, let value): ring = value
        case .started: isStarted = true
        case .suspended(_, let value): isSuspended = value
        case .failed(_, let error): failure = error
        case .paused, .flushed, .drained, .closed, .underrun, .corkRequested, .muted, .displaced, .ducked: break
        }
    }
}
