// SPDX-License-Identifier: Apache-2.0

/// The reason for a change of the output device or its port.
public enum RouteReason: String, CaseIterable, Sendable {
    case unknown
    /// A better device appeared, or a lost one came back.
    case newDeviceAvailable = "new-device-available"
    case oldDeviceUnavailable = "old-device-unavailable"
    /// The session's category or options admit other devices now.
    case categoryChange = "category-change"
    /// Somebody chose: through the API, by another default device, or by moving the stream.
    case override
    case wakeFromSleep = "wake-from-sleep"
    /// No device can play.
    case noSuitableRoute = "no-suitable-route"
    /// Another port of the same device.
    case routeConfigurationChange = "route-configuration-change"
}

/// The reaction to the loss of headphones.
public enum RoutePolicy: String, CaseIterable, SettingConvertible {
    /// Pauses; resumes if the same headphones come back soon.
    case pause
    /// Waits for the headphones, without a limit.
    case hold
    /// Plays on through another device.
    case follow
}

/// The devices that the session admits.
public struct RouteFilter: Hashable, Sendable {
    public var allowsBluetooth = true
    public var allowsNetwork = true
    /// Prefers a speaker to a headset.
    public var prefersSpeaker = false

    func admits(_ device: OutputDevice) -> Bool {
        (allowsBluetooth || !device.isBluetooth) && (allowsNetwork || !device.isNetwork)
    }
}
