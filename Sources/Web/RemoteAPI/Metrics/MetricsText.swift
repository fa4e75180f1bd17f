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
            case "\\", "\"": escaped += "\\\(character)"
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return escaped
    }

    /// One sample for each player, labelled with its id.
    private mutating func family<Player>(
        _ name: String, _ type: String, _ help: String, _ players: [(id: String, Player)],
        _ value: (Player) -> some CustomStringConvertible
    ) {
        head(name, type, help)
        for (id, player) in players { sample(name, [("player", id)], value(player)) }
    }

    mutating func players(_ players: [(id: String, PlayerSnapshot)], at moment: Moment) {
        func gauge(_ name: String, _ help: String, _ value: (PlayerSnapshot) -> some CustomStringConvertible) {
            family(name, "gauge", help, players, value)
        }
        func counter(_ name: String, _ help: String, _ value: (PlayerStatistics) -> some CustomStringConvertible) {
            family(name, "counter", help, players) { value($0.statistics) }
        }
        let status = "tonearm_player_status"
        head(status, "gauge", "1 for the status the player has.")
        for (id, snapshot) in players {
            for each in PlayerStatus.allCases {
                sample(status, [("player", id), ("status", each.rawValue)], each == snapshot.status ? 1 : 0)
            }
        }
        gauge("tonearm_player_position_seconds", "Seconds into the current item, as heard.") {
            $0.clock.position(at: moment.monotonic)
        }
        gauge("tonearm_player_rate", "Media seconds per second; 0 unless sound advances.") { $0.clock.rate }
        gauge("tonearm_queue_items", "Items in the queue.") { $0.queueLength }
        gauge("tonearm_output_available", "Whether the output can be reached.") {
            $0.output.availability == .available ? 1 : 0
        }
        counter("tonearm_underruns_total", "Times the sink ran dry while playing.") { $0.underruns }
        counter("tonearm_decode_errors_total", "Damaged spots skipped in media.") { $0.decodeErrors }
        counter("tonearm_items_started_total", "Items that began to sound.") { $0.itemsStarted }
        counter("tonearm_items_failed_total", "Items that could not be played.") { $0.itemsFailed }
        gauge("tonearm_item_bits_per_second", "Bit rate of the current item; 0 while unknown.") {
            $0.item?.media?.encoding.bitrate ?? 0
        }
        gauge("tonearm_network_bytes_per_second", "Network speed of the current item.") {
            $0.loaded?.bytesPerSecond ?? 0
        }
        gauge("tonearm_buffered_ahead_seconds", "Decoded sound between the decoder and the sink.") {
            $0.statistics.bufferedAhead
        }
        counter("tonearm_decode_seconds_total", "Time that decoders took, waiting for their sources included.") {
            $0.decodeSeconds
        }
    }

    mutating func sounds(_ players: [(id: String, AnnouncerStatus)]) {
        func ends(_ name: String, _ help: String, _ counts: (AnnouncerStatus) -> [SoundEnd.Reason: UInt64]) {
            head(name, "counter", help)
            for (id, status) in players {
                for reason in SoundEnd.Reason.allCases {
                    let labels = [("player", id), ("reason", reason.rawValue)]
                    sample(name, labels, counts(status)[reason, default: 0])
                }
            }
        }
        ends("tonearm_announcements_total", "Announcements by how they ended.", \.announcementCounts)
        ends("tonearm_sound_effects_total", "Sound effects by how they ended.", \.effectCounts)
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
        func counter(_ name: String, _ help: String, _ count: (EventHub) -> some CustomStringConvertible) {
            family(name, "counter", help, hubs, count)
        }
        family("tonearm_event_clients", "gauge", "Clients of the event channel.", hubs) { $0.subscriberCount }
        counter("tonearm_events_recorded_total", "Recorded events.") { $0.latestSequence }
        counter("tonearm_events_sent_total", "Frames handed to clients.") { $0.sent.load(ordering: .relaxed) }
        counter("tonearm_events_dropped_total", "Events dropped for slow clients.") {
            $0.dropped.load(ordering: .relaxed)
        }
        counter("tonearm_event_resyncs_total", "Resyncs of slow clients.") { $0.resyncs.load(ordering: .relaxed) }
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
