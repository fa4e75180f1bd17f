// SPDX-License-Identifier: Apache-2.0

/// Why the sound goes elsewhere, or why what it goes to is another now.
public enum RouteReason: String, CaseIterable, Sendable {
    case unknown
    /// A better one came, or the one that was lost came back.
    case newDeviceAvailable = "new-device-available"
    case oldDeviceUnavailable = "old-device-unavailable"
    /// The session's category or options allow others now.
    case categoryChange = "category-change"
    /// Someone chose: through the API, by another default device, by moving our stream.
    case override
    case wakeFromSleep = "wake-from-sleep"
    /// There is nothing that could play.
    case noSuitableRoute = "no-suitable-route"
    /// The same device, through another of its ports.
    case routeConfigurationChange = "route-configuration-change"
}

/// The reaction of the music to the loss of headphones.
public enum RoutePolicy: String, CaseIterable, SettingConvertible {
    /// Pauses; the same headphones resume it when they come back soon.
    case pause
    /// Waits for them, however long.
    case hold
    /// Goes on through whatever there is.
    case follow
}

/// Which devices the session lets the player use.
public struct RouteFilter: Hashable, Sendable {
    public var allowsBluetooth = true
    public var allowsNetwork = true
    /// A speaker is to be used although a headset is there.
    public var prefersSpeaker = false

    public init() {}

    func admits(_ device: OutputDevice) -> Bool {
        (allowsBluetooth || !device.isBluetooth) && (allowsNetwork || !device.isNetwork)
    }
}
