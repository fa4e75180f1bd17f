// SPDX-License-Identifier: Apache-2.0

import Glibc
import Playback
import Service

/// Prometheus text exposition format 0.0.4.
struct MetricsText {
    private(set) var text = ""

    mutating func metric(_ name: String, _ type: String, _ help: String, _ value: some CustomStringConvertible) {
        head(name, type, help)
        text += "\(name) \(value)\n"
    }

    mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    mutating func sample(_ name: String, _ labels: [(String, String)], _ value: some CustomStringConvertible) {
        let labels = labels.map { "\($0.0)=\"\(Self.escape($0.1))\"" }.joined(separator: ",")
        text += "\(name){\(labels)} \(value)\n"
    }

    private static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}

extension MetricsText {
    /// A sample of each player, with the player as a label.
    private mutating func family<Player>(
        _ name: String, _ type: String, _ help: String, _ players: [(id: String, Player)],
        _ value: (Player) -> some CustomStringConvertible
    ) {
        head(name, type, help)
        for (id, player) in players { sample(name, [("player", id)], value(player)) }
    }

    mutating func players(_ players: [(id: String, PlayerSnapshot)], at moment: Moment) {
        head("tonearm_player_status", "gauge", "1 for the status the player has.")
        for (id, snapshot) in players {
            for status in PlayerStatus.allCases {
                sample(
                    "tonearm_player_status", [("player", id), ("status", status.rawValue)],
                    status == snapshot.status ? 1 : 0)
            }
        }
        family("tonearm_player_position_seconds", "gauge", "Seconds into the current item, as heard.", players) {
            $0.clock.position(at: moment.monotonic)
        }
        family("tonearm_player_rate", "gauge", "Media seconds per second; 0 unless sound advances.", players) {
            $0.clock.rate
        }
        family("tonearm_queue_items", "gauge", "Items in the queue.", players) { $0.queueLength }
        family("tonearm_output_available", "gauge", "Whether the output can be reached.", players) {
            $0.output.availability == .available ? 1 : 0
        }
        family("tonearm_underruns_total", "counter", "Times the sink ran dry while playing.", players) {
            $0.statistics.underruns
        }
        family("tonearm_decode_errors_total", "counter", "Damaged spots skipped in media.", players) {
            $0.statistics.decodeErrors
        }
        family("tonearm_items_started_total", "counter", "Items that began to sound.", players) {
            $0.statistics.itemsStarted
        }
        family("tonearm_items_failed_total", "counter", "Items that could not be played.", players) {
            $0.statistics.itemsFailed
        }
        family("tonearm_item_bits_per_second", "gauge", "Bit rate of the current item; 0 while unknown.", players) {
            $0.item?.media?.encoding.bitrate ?? 0
        }
        family("tonearm_network_bytes_per_second", "gauge", "Network speed of the current item.", players) {
            $0.loaded?.bytesPerSecond ?? 0
        }
        family(
            "tonearm_buffered_ahead_seconds", "gauge", "Decoded sound between the decoder and the sink.", players
        ) { $0.statistics.bufferedAhead }
        family(
            "tonearm_decode_seconds_total", "counter", "Time that decoders took, waiting for their sources included.",
            players
        ) { $0.statistics.decodeSeconds }
    }

    mutating func sounds(_ players: [(id: String, AnnouncerStatus)]) {
        ends("tonearm_announcements_total", "Announcements by how they ended.", players, \.announcementCounts)
        ends("tonearm_sound_effects_total", "Sound effects by how they ended.", players, \.effectCounts)
    }

    private mutating func ends(
        _ name: String, _ help: String, _ players: [(id: String, AnnouncerStatus)],
        _ counts: KeyPath<AnnouncerStatus, [SoundEnd.Reason: UInt64]>
    ) {
        head(name, "counter", help)
        for (id, status) in players {
            for reason in SoundEnd.Reason.allCases {
                sample(
                    name, [("player", id), ("reason", reason.rawValue)],
                    status[keyPath: counts][reason, default: 0])
            }
        }
    }

    mutating func requests(_ counters: RequestCounters) {
        head("tonearm_http_requests_total", "counter", "Answers by route and status.")
        for (key, count) in counters.all {
            sample(
                "tonearm_http_requests_total",
                [("method", key.method), ("route", key.route), ("status", String(key.status))], count)
        }
    }

    mutating func events(_ hubs: [(id: String, EventHub)]) {
        family("tonearm_event_clients", "gauge", "Clients of the event channel.", hubs) { $0.subscriberCount }
        family("tonearm_events_recorded_total", "counter", "Recorded events.", hubs) { $0.latestSequence }
        family("tonearm_events_sent_total", "counter", "Frames handed to clients.", hubs) {
            $0.counters.sent.load(ordering: .relaxed)
        }
        family("tonearm_events_dropped_total", "counter", "Events dropped for slow clients.", hubs) {
            $0.counters.dropped.load(ordering: .relaxed)
        }
        family("tonearm_event_resyncs_total", "counter", "Resyncs of slow clients.", hubs) {
            $0.counters.resyncs.load(ordering: .relaxed)
        }
    }

    mutating func process(_ facts: ProcessFacts) {
        metric("process_resident_memory_bytes", "gauge", "Resident memory size.", facts.residentBytes)
        metric("process_cpu_seconds_total", "counter", "User and system CPU time.", facts.cpuSeconds)
        metric("process_open_fds", "gauge", "Open file descriptors.", facts.openDescriptors)
        metric("process_threads", "gauge", "Threads.", facts.threads)
    }
}

/// The kernel's figures of this process (proc(5)).
struct ProcessFacts {
    var residentBytes: Int
    var cpuSeconds: Double
    var openDescriptors: Int
    var threads: Int

    static func read() -> ProcessFacts {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let resident = text("/proc/self/statm").split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        return ProcessFacts(
            residentBytes: resident * page, cpuSeconds: cpu, openDescriptors: count("/proc/self/fd") - 1,
            threads: count("/proc/self/task"))
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }

    private static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    /// Entries of a directory, without `.` and `..`.
    private static func count(_ path: String) -> Int {
        guard let directory = opendir(path) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while Glibc.readdir(directory) != nil { count += 1 }
        return count - 2
    }
}
