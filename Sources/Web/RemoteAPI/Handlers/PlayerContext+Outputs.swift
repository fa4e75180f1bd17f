// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// `/outputs`: the devices, and the one in use.
extension PlayerContext {
    var outputRoutes: [Route] {
        [
            .show("/api/v1/outputs", { _ in player.snapshot }) { $0.outputs(of: $1) },
            .command("outputs.select", .put, "/api/v1/outputs/current") { command, reply throws(Problem) in
                let members = try command.body.members("id")
                guard members.contains("id") else { throw members.invalid("id", "is needed: an output's id, or null") }
                // nil follows the default device.
                let id = try members.text("id")
                verbs.perform(.selectOutput(id), reply: object(reply) { $0.outputs(of: $1) })
            },
            .command("outputs.policy", .patch, "/api/v1/outputs") { command, reply throws(Problem) in
                let members = try command.body.members("policy")
                var patch = SettingsPatch()
                patch.routePolicy = try members.needed(
                    members.choice("policy", RoutePolicy.self), "policy", "is needed: pause, hold or follow")
                verbs.perform(.apply(patch), reply: object(reply) { $0.outputs(of: $1) })
            },
        ]
    }
}

extension OutputStatus {
    fileprivate var message: String? {
        switch availability {
        case .available: missing.map { "The chosen output \($0) is not there. It is used when it appears." }
        case .unavailable(let message): message
        }
    }
}

extension JSONWriter {
    /// `output` of the snapshot and the `output` event.
    mutating func members(of status: OutputStatus) {
        member("available", status.availability == .available)
        member("message", status.message)
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
        member("message", status.message)
        member("policy", snapshot.settings.routePolicy.rawValue)
    }

    /// Without a connection the devices are as last seen, with an unknown state.
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
