// SPDX-License-Identifier: Apache-2.0

internal import CPulse
import Playback

/// The sinks as reported by the server, and the one in use.
struct PulseDevices {
    /// nil until the first list is complete.
    private(set) var devices: [OutputDevice]?
    /// Incomplete answer to the request for a list; it becomes current when it is complete.
    var listing = Listing()
    private(set) var defaultName: String?
    /// The default changed between the last two lists. It may have changed back.
    private(set) var defaultWasChanged = false
    /// The server has reported such a change since the last list.
    var hasNewDefault = false
    var chosen: String?
    /// The only sink to be used; all others are left out. nil: any sink.
    var only: String?

    struct Listing {
        /// The default is known.
        var hasServer = false
        var devices: [OutputDevice] = []
        var defaultName: String?
        /// The sink of our stream when the server reported its default. Both are of the same moment, which
        /// distinguishes a move by the server from one by somebody else.
        var streamDevice: String?
    }

    /// Returns the sink of our stream at the time of the list.
    mutating func finishListing() -> String? {
        defer { listing = Listing() }
        defaultWasChanged = hasNewDefault || (defaultName != nil && defaultName != listing.defaultName)
        hasNewDefault = false
        defaultName = listing.defaultName
        for index in listing.devices.indices {
            listing.devices[index].isDefault = listing.devices[index].id == defaultName
        }
        devices = listing.devices.filter { only == nil || $0.id == only }
        // A choice lasts until its device disappears.
        if let chosen, !contains(chosen) { self.chosen = nil }
        return listing.streamDevice
    }

    mutating func forget() {
        devices = nil
        listing = Listing()
        defaultName = nil
    }

    func contains(_ id: String) -> Bool { devices?.contains { $0.id == id } ?? false }

    /// The sink for a new stream.
    var target: OutputDevice? {
        guard let devices else { return nil }
        return devices.first { $0.id == chosen } ?? devices.first { $0.isDefault } ?? devices.first
    }

    /// Headphones are selected: no sample of the stream may sound elsewhere.
    var requiresHeadphones: Bool { chosen != nil && target?.isPrivate == true }

    /// Including the sink of the present stream, if there is one.
    func published(streamDevice: String?) -> OutputDevices {
        let current = streamDevice.flatMap { contains($0) ? $0 : nil } ?? target?.id
        return OutputDevices(devices: devices ?? [], current: current, isChosen: chosen != nil && current == chosen)
    }
}

extension OutputDevice {
    init(_ info: pa_sink_info) {
        let state: State =
            switch info.state {
            case PA_SINK_RUNNING: .running
            case PA_SINK_IDLE: .idle
            case PA_SINK_SUSPENDED: .suspended
            default: .unknown
            }
        let ports = UnsafeBufferPointer(start: info.ports, count: info.ports == nil ? 0 : Int(info.n_ports))
            .compactMap { $0.map { OutputPort($0.pointee) } }
        let name = String(cString: info.name)
        self.init(
            id: name,
            description: info.description.map { String(cString: $0) } ?? name,
            formFactor: property("device.form_factor", of: info.proplist),
            bus: property("device.bus", of: info.proplist),
            // PipeWire does not set the flag for all network sinks; their names are those of the modules.
            isNetwork: info.flags.rawValue & PA_SINK_NETWORK.rawValue != 0 || name.hasPrefix("raop")
                || name.hasPrefix("tunnel"),
            state: state,
            isAvailable: ports.isEmpty || ports.contains(where: \.isAvailable),
            sampleRate: Int(info.sample_spec.rate), channelCount: Int(info.sample_spec.channels),
            layout: PulseFormat.layout(info.channel_map), ports: ports,
            activePort: info.active_port.map { String(cString: $0.pointee.name) })
    }
}

extension OutputPort {
    private static let headphones = [
        PA_DEVICE_PORT_TYPE_HEADPHONES, PA_DEVICE_PORT_TYPE_HEADSET, PA_DEVICE_PORT_TYPE_EARPIECE,
        PA_DEVICE_PORT_TYPE_HANDSET, PA_DEVICE_PORT_TYPE_HANDSFREE,
    ].map { UInt32($0.rawValue) }

    init(_ info: pa_sink_port_info) {
        let name = String(cString: info.name)
        self.init(
            name: name, description: info.description.map { String(cString: $0) } ?? name,
            // Servers older than 14 report no type; their names contain it.
            isHeadphones: Self.headphones.contains(UInt32(info.type)) || name.contains("headphone")
                || name.contains("headset"),
            isAvailable: UInt32(info.available) != UInt32(PA_PORT_AVAILABLE_NO.rawValue))
    }
}
