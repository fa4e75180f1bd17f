// SPDX-License-Identifier: Apache-2.0

import Announcing
import Playback

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
    mutating func player(_ snapshot: PlayerSnapshot, at moment: Moment) {
        head("tonearm_player_status", "gauge", "1 for the status the player has.")
        for status in PlayerStatus.allCases {
            sample("tonearm_player_status", [("status", status.rawValue)], status == snapshot.status ? 1 : 0)
        }
        metric(
            "tonearm_player_position_seconds", "gauge", "Seconds into the current item, as heard.",
            snapshot.clock.position(at: moment.monotonic))
        metric(
            "tonearm_player_rate", "gauge", "Media seconds per second; 0 unless sound advances.", snapshot.clock.rate)
        metric("tonearm_queue_items", "gauge", "Items in the queue.", snapshot.queueLength)
        let isAvailable = snapshot.output.availability == .available
        metric("tonearm_output_available", "gauge", "Whether the output can be reached.", isAvailable ? 1 : 0)
        let statistics = snapshot.statistics
        metric("tonearm_underruns_total", "counter", "Times the sink ran dry while playing.", statistics.underruns)
        metric("tonearm_decode_errors_total", "counter", "Damaged spots skipped in media.", statistics.decodeErrors)
        metric("tonearm_items_started_total", "counter", "Items that began to sound.", statistics.itemsStarted)
        metric("tonearm_items_failed_total", "counter", "Items that could not be played.", statistics.itemsFailed)
        metric(
            "tonearm_buffered_ahead_seconds", "gauge", "Decoded sound between the decoder and the sink.",
            statistics.bufferedAhead)
    }

    mutating func sounds(_ status: AnnouncerStatus) {
        head("tonearm_announcements_total", "counter", "Announcements by how they ended.")
        for reason in SoundEnd.Reason.allCases {
            sample(
                "tonearm_announcements_total", [("reason", reason.rawValue)],
                status.announcementCounts[reason, default: 0])
        }
        head("tonearm_sound_effects_total", "counter", "Sound effects by how they ended.")
        for reason in SoundEnd.Reason.allCases {
            sample(
                "tonearm_sound_effects_total", [("reason", reason.rawValue)], status.effectCounts[reason, default: 0])
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

    mutating func events(_ hub: EventHub) {
        metric("tonearm_event_clients", "gauge", "Clients of the event channel.", hub.subscriberCount)
        metric("tonearm_events_recorded_total", "counter", "Recorded events.", hub.latestSequence)
        let counters = hub.counters
        metric(
            "tonearm_events_sent_total", "counter", "Frames handed to clients.", counters.sent.load(ordering: .relaxed))
        metric(
            "tonearm_events_dropped_total", "counter", "Events dropped for slow clients.",
            counters.dropped.load(ordering: .relaxed))
        metric(
            "tonearm_event_resyncs_total", "counter", "Times a client was told to start anew.",
            counters.resyncs.load(ordering: .relaxed))
    }

    mutating func process(_ facts: ProcessFacts) {
        metric("process_resident_memory_bytes", "gauge", "Resident memory size.", facts.residentBytes)
        metric("process_cpu_seconds_total", "counter", "User and system CPU time.", facts.cpuSeconds)
        metric("process_open_fds", "gauge", "Open file descriptors.", facts.openDescriptors)
        metric("process_threads", "gauge", "Threads.", facts.threads)
    }
}
