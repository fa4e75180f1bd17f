// SPDX-License-Identifier: Apache-2.0

public import Audio

public struct OutputDevices: Hashable, Sendable {
    public var devices: [OutputDevice]
    /// Id of the device that is used or would be, nil when there is none.
    public var current: String?
    /// Whether the user chose `current` (it then stays although the default changes).
    public var isChosen: Bool

    public init(devices: [OutputDevice] = [], current: String? = nil, isChosen: Bool = false) {
        self.devices = devices
        self.current = current
        self.isChosen = isChosen
    }
}

public struct OutputDevice: Hashable, Sendable {
    public enum State: String, Sendable { case running, idle, suspended, unknown }

    /// Stable name, such as PulseAudio's sink name.
    public var id: String
    public var description: String
    /// As PulseAudio's `device.form_factor`: speaker, headphone, headset, hdmi ...; nil when unknown.
    public var formFactor: String?
    /// As PulseAudio's `device.bus`: pci, usb, bluetooth.
    public var bus: String?
    /// Reached over a network: AirPlay, or another machine's sound server.
    public var isNetwork: Bool
    public var state: State
    /// False when every port is unplugged.
    public var isAvailable: Bool
    public var isDefault: Bool
    public var sampleRate: Int
    public var channelCount: Int
    /// nil when one of its channels has a position that Tonearm has no name for.
    public var layout: ChannelLayout?
    /// Jacks and other connectors; none where the device has no choice.
    public var ports: [OutputPort]
    /// Name of the port that is used.
    public var activePort: String?

    public init(
        id: String, description: String, formFactor: String? = nil, bus: String? = nil, isNetwork: Bool = false,
        state: State = .unknown, isAvailable: Bool = true, isDefault: Bool = false, sampleRate: Int = 44_100,
        channelCount: Int = 2, layout: ChannelLayout? = nil, ports: [OutputPort] = [], activePort: String? = nil
    ) {
        self.layout = layout
        self.ports = ports
        self.activePort = activePort
        self.id = id
        self.description = description
        self.formFactor = formFactor
        self.bus = bus
        self.isNetwork = isNetwork
        self.state = state
        self.isAvailable = isAvailable
        self.isDefault = isDefault
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }
}

extension OutputDevice {
    /// Worn by one person, or carried away: its loss must not make the room hear what it played.
    public var isPrivate: Bool {
        if ["headphone", "headset", "hands-free", "handset"].contains(formFactor) || isBluetooth { return true }
        return ports.contains { $0.name == activePort && $0.isHeadphones && $0.isAvailable }
    }

    public var isBluetooth: Bool { bus == "bluetooth" }

    /// The layout of a stream that plays this media here. Mono and stereo are stereo, which a wider device may spread as
    /// its user has set it up. Surround has the device's channels, so that nothing is mixed twice, or is folded to stereo.
    public func streamLayout(for media: ChannelLayout) -> ChannelLayout {
        guard channelCount > 2 else { return .stereo }
        return media.positions.count > 2 ? layout ?? media : .stereo
    }
}

public struct OutputPort: Hashable, Sendable {
    public var name: String
    public var description: String
    public var isHeadphones: Bool
    /// False only when the device knows that nothing is plugged in.
    public var isAvailable: Bool

    public init(name: String, description: String, isHeadphones: Bool = false, isAvailable: Bool = true) {
        self.name = name
        self.description = description
        self.isHeadphones = isHeadphones
        self.isAvailable = isAvailable
    }
}
