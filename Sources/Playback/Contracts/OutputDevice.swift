// SPDX-License-Identifier: Apache-2.0

public import Audio

public struct OutputDevices: Hashable, Sendable {
    public var devices: [OutputDevice]
    /// The id of the device in use, or to be used; nil: none.
    public var current: String?
    /// True if the user chose `current`, which then stays when the default changes.
    public var isChosen: Bool
    /// The devices never change; a choice of another device is ignored but kept.
    public var isFixed: Bool

    public init(
        devices: [OutputDevice] = [], current: String? = nil, isChosen: Bool = false, isFixed: Bool = false
    ) {
        self.devices = devices
        self.current = current
        self.isChosen = isChosen
        self.isFixed = isFixed
    }
}

public struct OutputDevice: Hashable, Sendable {
    public enum State: String, Sendable { case running, idle, suspended, unknown }

    /// A stable name, such as PulseAudio's sink name.
    public var id: String
    public var description: String
    /// PulseAudio's `device.form_factor`: speaker, headphone, headset, hdmi ...; nil if unknown.
    public var formFactor: String?
    /// PulseAudio's `device.bus`: pci, usb, bluetooth.
    public var bus: String?
    /// Reached over a network: AirPlay, or another machine's sound server.
    public var isNetwork: Bool
    public var state: State
    /// False when every port is unplugged.
    public var isAvailable: Bool
    public var isDefault: Bool
    public var sampleRate: Int
    public var channelCount: Int
    /// nil if Tonearm has no name for the position of one of the channels.
    public var layout: ChannelLayout?
    /// Jacks and other connectors; empty if the device has no choice.
    public var ports: [OutputPort]
    /// The name of the port in use.
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
    /// Headphones and Bluetooth devices: when they disappear, the music must not play aloud elsewhere.
    public var isPrivate: Bool {
        if ["headphone", "headset", "hands-free", "handset"].contains(formFactor) || isBluetooth { return true }
        return ports.contains { $0.name == activePort && $0.isHeadphones && $0.isAvailable }
    }

    public var isBluetooth: Bool { bus == "bluetooth" }

    /// The stream layout for an item with these channels. Mono and stereo use a stereo stream, which a wider device may distribute as
    /// configured. Surround uses the layout of the device, or is folded to stereo.
    public func streamLayout(for media: ChannelLayout) -> ChannelLayout {
        guard channelCount > 2 else { return .stereo }
        return media.positions.count > 2 ? layout ?? media : .stereo
    }
}

public struct OutputPort: Hashable, Sendable {
    public var name: String
    public var description: String
    public var isHeadphones: Bool
    /// False only if the device reports that nothing is plugged in.
    public var isAvailable: Bool

    public init(name: String, description: String, isHeadphones: Bool = false, isAvailable: Bool = true) {
        self.name = name
        self.description = description
        self.isHeadphones = isHeadphones
        self.isAvailable = isAvailable
    }
}
