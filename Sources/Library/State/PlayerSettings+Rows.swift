// SPDX-License-Identifier: Apache-2.0

import GRDB
import Playback

extension PlayerSettings {
    /// One row per setting, so that one unreadable value costs only itself.
    var rows: [(key: String, value: DatabaseValue)] {
        [
            ("name", name.databaseValue), ("leader", leader.databaseValue), ("volume", volume.databaseValue),
            ("muted", muted.databaseValue),
            ("balance", balance.databaseValue),
            ("repeat", repeats.rawValue.databaseValue), ("shuffle", shuffle.databaseValue),
            ("consume", consume.databaseValue), ("stopAfterCurrent", stopAfterCurrent.databaseValue),
            ("autoPlay", autoPlay.databaseValue), ("previousRestartsAfter", previousRestartsAfter.databaseValue),
            ("outputDevice", outputDevice.databaseValue), ("routePolicy", routePolicy.rawValue.databaseValue),
            ("interruptionPolicy", interruptionPolicy.rawValue.databaseValue),
            ("autoResume", autoResume.databaseValue), ("interruptionTimeout", interruptionTimeout.databaseValue),
        ] + remote.rows
    }

    /// Takes what is there and in range. Returns how many values were not.
    mutating func take(_ values: [String: DatabaseValue]) -> Int {
        var unreadable = 0
        func read<Value: DatabaseValueConvertible>(
            _ key: String, into target: inout Value, where isValid: (Value) -> Bool = { _ in true }
        ) {
            guard let stored = values[key] else { return }
            if let value = Value.fromDatabaseValue(stored), isValid(value) {
                target = value
            } else {
                unreadable += 1
            }
        }
        read("name", into: &name) { $0.isEmpty || Self.isName($0) }
        read("volume", into: &volume) { (0...1).contains($0) }
        read("muted", into: &muted)
        read("balance", into: &balance) { (-1...1).contains($0) }
        var mode = repeats.rawValue
        read("repeat", into: &mode) { Repeat(rawValue: $0) != nil }
        repeats = Repeat(rawValue: mode) ?? .off
        read("shuffle", into: &shuffle)
        read("consume", into: &consume)
        read("stopAfterCurrent", into: &stopAfterCurrent)
        read("autoPlay", into: &autoPlay)
        read("previousRestartsAfter", into: &previousRestartsAfter) { (0...3600).contains($0) }
        var routing = routePolicy.rawValue
        read("routePolicy", into: &routing) { RoutePolicy(rawValue: $0) != nil }
        routePolicy = RoutePolicy(rawValue: routing) ?? .pause
        var policy = interruptionPolicy.rawValue
        read("interruptionPolicy", into: &policy) { InterruptionPolicy(rawValue: $0) != nil }
        interruptionPolicy = InterruptionPolicy(rawValue: policy) ?? .auto
        read("autoResume", into: &autoResume)
        read("interruptionTimeout", into: &interruptionTimeout) { (0...86_400).contains($0) }
        leader = values["leader"].flatMap(String.fromDatabaseValue)
        outputDevice = values["outputDevice"].flatMap(String.fromDatabaseValue)
        remote.takeFlags { read($0, into: &$1) }
        if let stored = values["remote.skipInterval"], !stored.isNull {
            var interval = 0.0
            read("remote.skipInterval", into: &interval) { RemotePatch.intervals.contains($0) }
            remote.commands.skipInterval = interval > 0 ? interval : nil
        }
        // Skipping by nothing would be no command at all.
        if remote.commands.skipInterval == nil { remote.commands.skip = false }
        return unreadable
    }
}

extension RemoteSettings {
    fileprivate static var flags: [(key: String, path: WritableKeyPath<RemoteSettings, Bool>)] {
        [
            ("remote.mpris", \.mpris), ("remote.showsMetadata", \.showsMetadata),
            ("remote.prefersTags", \.prefersTags), ("remote.enabled", \.commands.enabled),
            ("remote.play", \.commands.play), ("remote.pause", \.commands.pause),
            ("remote.next", \.commands.next), ("remote.previous", \.commands.previous),
            ("remote.seek", \.commands.seek), ("remote.skip", \.commands.skip),
        ]
    }

    fileprivate var rows: [(key: String, value: DatabaseValue)] {
        Self.flags.map { ($0.key, self[keyPath: $0.path].databaseValue) }
            + [("remote.skipInterval", commands.skipInterval.databaseValue)]
    }

    fileprivate mutating func takeFlags(_ read: (String, inout Bool) -> Void) {
        for flag in Self.flags { read(flag.key, &self[keyPath: flag.path]) }
    }
}
