// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The input of a route decision.
struct RouteSituation {
    /// The present list.
    var devices: OutputDevices
    /// The previous list; nil at first.
    var known: [OutputDevice]?
    /// The device in use before, in its previous state.
    var previous: OutputDevice?
    /// The user's choice. Used while it is available.
    var chosen: String?
    /// The device that is followed without being chosen: it appeared, or another program moved the stream to it.
    var followed: String?
    /// The device last selected at the output; nil: the default one.
    var selected: String?
    /// A device that was chosen until the user chose the default one, while it was away.
    var revoked: String?
    /// Headphones that disappeared while in use.
    var lost: RouteLoss?
    var policy = RoutePolicy.pause
    var filter = RouteFilter()
    var now: MonotonicTime

    /// The headphones to which the sound is returning.
    var returning: OutputDevice? {
        guard let lost, lost.device.id == selected, lost.isBack(in: known ?? []) else { return nil }
        return lost.device
    }

    /// The device in use, or that to which the sound is returning.
    var used: OutputDevice? { returning ?? previous }
}

/// Lost headphones, until the sound is on them again.
struct RouteLoss: Equatable {
    var device: OutputDevice
    var since: MonotonicTime

    /// The headphones are back, plugged in.
    func isBack(in devices: [OutputDevice]) -> Bool {
        devices.contains { $0.id == device.id && $0.isPrivate }
    }
}

/// The decision in a situation: a pure function, so that tests can cover the whole table.
struct RouteDecision: Equatable {
    enum Transport: Equatable {
        case unchanged
        /// Headphones were lost, and the policy is `pause` or `hold`.
        case stop
        /// The headphones whose loss stopped the music are back.
        case resume
    }

    /// The device to select at the output; nil for the default one.
    var target: String?
    var followed: String?
    var lost: RouteLoss?
    var transport = Transport.unchanged
    /// nil if a listener notices no change.
    var reason: RouteReason?

    /// Seconds after which returning headphones no longer resume the music.
    static let resumesWithin = 120.0

    init(_ situation: RouteSituation) {
        let available = situation.devices.devices.filter(\.isAvailable)
        let devices = available.filter(situation.filter.admits)
        func isThere(_ id: String?) -> Bool { id != nil && devices.contains { $0.id == id } }

        lost = situation.lost
        followed =
            devices.first { $0.id == situation.followed && !($0.isPrivate && situation.filter.prefersSpeaker) }?.id
        let chosen = isThere(situation.chosen) ? situation.chosen : nil
        // PulseAudio remembers the choice, and moves the stream to the device when it returns.
        let isMovedBack = situation.revoked != nil && situation.devices.current == situation.revoked

        if let used = situation.used, used.isPrivate, Self.isGone(used, in: devices) {
            // Each loss stops the music once: since then, somebody may have started it again, even on a device that the session
            // forbids. That one is lost again when it disappears.
            let known = situation.known?.filter(\.isAvailable) ?? []
            let disappears = Self.isGone(used, in: available) && !Self.isGone(used, in: known)
            if disappears || situation.returning != nil || used.id != situation.lost?.device.id {
                lost = RouteLoss(device: used, since: situation.now)
                transport = situation.policy == .follow ? .unchanged : .stop
            }
            followed = nil
        } else if let loss = situation.lost, loss.isBack(in: devices) {
            let isRecent = situation.now.seconds(since: loss.since) <= Self.resumesWithin
            transport = isRecent || situation.policy == .hold ? .resume : .unchanged
            if chosen == nil { followed = loss.device.id }
            reason = .newDeviceAvailable
        } else if chosen == nil, let new = Self.newHeadphones(situation, devices) {
            followed = new.id
            if situation.known != nil { reason = .newDeviceAvailable }
        } else if !isMovedBack, let moved = Self.movedByOthers(situation, devices) {
            followed = moved
        } else if followed != nil, Self.defaultWasChanged(situation) || Self.movedToDefault(situation, devices) {
            followed = nil
            reason = .override
        }

        target = chosen ?? followed ?? Self.substitute(situation, devices)
        let goesTo = target ?? devices.first(where: \.isDefault)?.id
        // The output moves a stream only to a device with a name.
        if isMovedBack { target = goesTo }
        // Returning headphones do not start the music on another device.
        if transport == .resume, goesTo != situation.lost?.device.id { transport = .unchanged }
        let isReturning = transport == .resume && situation.devices.current != lost?.device.id
        if !isReturning, lost?.isBack(in: devices) == true { lost = nil }
        if devices.isEmpty {
            reason = situation.previous == nil ? nil : .noSuitableRoute
        } else if reason == nil {
            reason = Self.reason(situation, devices)
        }
    }

    /// The device is gone, or its headphones are unplugged.
    static func isGone(_ device: OutputDevice, in devices: [OutputDevice]) -> Bool {
        guard let now = devices.first(where: { $0.id == device.id }) else { return true }
        guard device.isPrivate, !now.isPrivate else { return false }
        // Another port of the device, chosen while the headphones are plugged in: not a loss.
        let port = now.ports.first { $0.name == device.activePort }
        return port?.isAvailable != true
    }

    /// New headphones since the last list. At first all headphones count, and precede the configured default.
    private static func newHeadphones(_ situation: RouteSituation, _ devices: [OutputDevice]) -> OutputDevice? {
        guard !situation.filter.prefersSpeaker else { return nil }
        guard let known = situation.known else {
            let isDefault = devices.contains { $0.isDefault && $0.isPrivate }
            return isDefault ? nil : devices.first(where: \.isPrivate)
        }
        return devices.last { device in
            device.isPrivate && device.id != situation.previous?.id
                && !known.contains { $0.id == device.id && $0.isAvailable && $0.isPrivate }
        }
    }

    /// The stream is on a device that is neither selected nor the default.
    private static func movedByOthers(_ situation: RouteSituation, _ devices: [OutputDevice]) -> String? {
        guard let current = situation.devices.current, let previous = situation.previous, current != previous.id,
            !isGone(previous, in: devices), devices.contains(where: { $0.id == current && !$0.isDefault }),
            current != situation.chosen, current != situation.followed, current != situation.selected
        else { return nil }
        return current
    }

    /// Another program moved the stream from the followed device to the default one.
    private static func movedToDefault(_ situation: RouteSituation, _ devices: [OutputDevice]) -> Bool {
        guard let current = situation.devices.current, situation.previous?.id == situation.followed,
            situation.selected == situation.followed
        else { return false }
        return current != situation.followed && devices.contains { $0.id == current && $0.isDefault }
    }

    /// Somebody chose another default device. A default that changes because devices come or go does not count.
    private static func defaultWasChanged(_ situation: RouteSituation) -> Bool {
        guard let known = situation.known, let old = known.first(where: \.isDefault),
            let new = situation.devices.devices.first(where: \.isDefault)
        else { return false }
        return old.id != new.id && new.id != situation.followed && known.contains { $0.id == new.id }
            && situation.devices.devices.contains { $0.id == old.id }
    }

    /// nil for the default device, or a device that the session admits.
    private static func substitute(_ situation: RouteSituation, _ devices: [OutputDevice]) -> String? {
        if situation.filter.prefersSpeaker, let speaker = devices.first(where: { $0.formFactor == "speaker" }) {
            return speaker.id
        }
        let admitsDefault = devices.contains { $0.isDefault }
        return admitsDefault || situation.devices.devices.allSatisfy(situation.filter.admits)
            ? nil : devices.first?.id
    }

    private static func reason(_ situation: RouteSituation, _ devices: [OutputDevice]) -> RouteReason? {
        let current = devices.first { $0.id == situation.devices.current }
        guard let previous = situation.previous else {
            return current == nil ? nil : situation.known == nil ? .unknown : .newDeviceAvailable
        }
        if isGone(previous, in: devices) { return .oldDeviceUnavailable }
        guard let current, current.id == previous.id else { return current == nil ? nil : .override }
        if current.isPrivate, !previous.isPrivate { return .newDeviceAvailable }
        return current.activePort == previous.activePort ? nil : .routeConfigurationChange
    }
}
