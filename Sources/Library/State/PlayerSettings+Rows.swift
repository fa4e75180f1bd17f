// SPDX-License-Identifier: Apache-2.0

import GRDB
import Playback

extension PlayerSettings {
    /// One row per setting, so that one unreadable value costs only itself.
    var rows: [(key: String, value: DatabaseValue)] {
        [
            ("volume", volume.databaseValue), ("muted", muted.databaseValue), ("balance", balance.databaseValue),
            ("repeat", repeats.rawValue.databaseValue), ("shuffle", shuffle.databaseValue),
            ("consume", consume.databaseValue), ("stopAfterCurrent", stopAfterCurrent.databaseValue),
            ("autoPlay", autoPlay.databaseValue), ("previousRestartsAfter", previousRestartsAfter.databaseValue),
            ("outputDevice", outputDevice.databaseValue), ("routePolicy", routePolicy.rawValue.databaseValue),
            ("interruptionPolicy", interruptionPolicy.rawValue.databaseValue),
            ("autoResume", autoResume.databaseValue), ("interruptionTimeout", interruptionTimeout.databaseValue),
        ]
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
        outputDevice = values["outputDevice"].flatMap(String.fromDatabaseValue)
        return unreadable
    }
}
