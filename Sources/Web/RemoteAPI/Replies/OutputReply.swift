// SPDX-License-Identifier: Apache-2.0

import Playback

extension JSONWriter {
    /// `output` of the snapshot and the `output` event.
    mutating func members(of status: OutputStatus) {
        switch status.availability {
        case .available:
            member("available", true)
            member("message", String?.none)
        case .unavailable(let message):
            member("available", false)
            member("message", message)
        }
        let current = status.devices.devices.first { $0.id == status.devices.current }
        member("id", status.devices.current)
        member("description", current?.description)
        member("chosen", status.devices.isChosen)
        member("suspended", status.isSuspended)
        member("ducked", status.isDucked)
        member("sampleRate", status.sampleRate)
        member("channels", status.channelCount)
    }

    /// `GET /outputs`
    mutating func outputs(of snapshot: PlayerSnapshot) {
        let (status, devices) = (snapshot.output, snapshot.output.devices)
        member("outputs", objects: devices.devices) { writer, device in
            writer.members(
                of: device, isCurrent: device.id == devices.current, isReachable: status.availability == .available)
        }
        member("following", devices.isChosen ? "choice" : "default")
        member("policy", snapshot.settings.routePolicy.rawValue)
    }

    /// What is behind a way that is closed is as it was last seen, but for what nobody can know.
    private mutating func members(of device: OutputDevice, isCurrent: Bool, isReachable: Bool) {
        member("id", device.id)
        member("name", device.id)
        member("description", device.description)
        member("formFactor", device.formFactor)
        member("bus", device.bus)
        member("state", (isReachable ? device.state : .unknown).rawValue)
        member("available", isReachable && device.isAvailable)
        member("current", isCurrent)
        member("default", device.isDefault)
        member("sampleRate", device.sampleRate)
        member("channels", device.channelCount)
        member("activePort", device.activePort)
        member("ports", objects: device.ports) { writer, port in
            writer.member("name", port.name)
            writer.member("description", port.description)
            writer.member("headphones", port.isHeadphones)
            writer.member("available", port.isAvailable)
        }
    }

    /// `previous` and `current` of the `route` event.
    mutating func members(ofRoute device: OutputDevice) {
        member("id", device.id)
        member("description", device.description)
        member("formFactor", device.formFactor)
        member("port", device.activePort)
        member("headphones", device.isPrivate)
    }
}
