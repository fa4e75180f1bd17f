// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// All that the choice of a device depends on.
struct RouteSituation {
    /// As reported now; `current` is where the sound goes or would go.
    var devices: OutputDevices
    /// Those known before; nil the first time.
    var known: [OutputDevice]?
    /// Where the sound went, as that device was then.
    var previous: OutputDevice?
    /// The user's choice. It counts while the device is there.
    var chosen: String?
    /// The last followed device that was not chosen: a device that came, or that another program moved us to.
    var followed: String?
    /// The device that was last selected at the output; nil for the default one.
    var asked: String?
    /// Headphones that went while they were used.
    var lost: RouteLoss?
    var policy = RoutePolicy.pause
    var filter = RouteFilter()
    var now: MonotonicTime

    /// The device in use, or the headphones to which the sound is returning.
    var used: OutputDevice? {
        guard let lost, lost.device.id == asked, lost.isBack(in: known ?? []) else { return previous }
        return lost.device
    }
}

/// Headphones that went away, until the sound is on them again.
struct RouteLoss: Equatable {
    var device: OutputDevice
    var since: MonotonicTime

    /// They are there, and sound through what went.
    func isBack(in devices: [OutputDevice]) -> Bool {
        devices.contains { $0.id == device.id && $0.isPrivate }
    }
}

/// The decision in a situation. A pure function, so that its whole table can be tested.
struct RouteDecision: Equatable {
    enum Transport: Equatable {
        case goOn
        /// Silence, by policy `pause` or `hold`: headphones were lost.
        case stop
        /// Headphones whose loss had stopped the music are back.
        case resume
    }

    /// The device to select at the output; nil for the default one.
    var target: String?
    var followed: String?
    var lost: RouteLoss?
    var transport = Transport.goOn
    /// nil when nothing that a listener could notice has changed.
    var reason: RouteReason?

    /// Headphones that come back later than this find the music paused.
    static let resumesWithin = 120.0

    init(_ situation: RouteSituation) {
        let devices = situation.devices.devices.filter { $0.isAvailable && situation.filter.admits($0) }
        func isThere(_ id: String?) -> Bool { id != nil && devices.contains { $0.id == id } }

        lost = situation.lost
        followed =
            devices.first { $0.id == situation.followed && !($0.isPrivate && situation.filter.prefersSpeaker) }?.id
        let chosen = isThere(situation.chosen) ? situation.chosen : nil

        if let used = situation.used, used.isPrivate, Self.isGone(used, in: devices) {
            lost = RouteLoss(device: used, since: situation.now)
            transport = situation.policy == .follow ? .goOn : .stop
            followed = nil
        } else if let loss = situation.lost, loss.isBack(in: devices) {
            let isRecent = situation.now.seconds(since: loss.since) <= Self.resumesWithin
            transport = isRecent || situation.policy == .hold ? .resume : .goOn
            if chosen == nil { followed = loss.device.id }
            reason = .newDeviceAvailable
        } else if chosen == nil, let new = Self.cameAndIsBetter(situation, devices) {
            followed = new.id
            if situation.known != nil { reason = .newDeviceAvailable }
        } else if let moved = Self.movedByOthers(situation, devices) {
            followed = moved
        } else if followed != nil, Self.defaultWasChanged(situation) || Self.movedToDefault(situation, devices) {
            followed = nil
            reason = .override
        }

        target = chosen ?? followed ?? Self.substitute(situation, devices)
        // Headphones that are plugged in are no reason to begin elsewhere.
        let goesTo = target ?? devices.first(where: \.isDefault)?.id
        if transport == .resume, goesTo != situation.lost?.device.id { transport = .goOn }
        let isReturning = transport == .resume && situation.devices.current != lost?.device.id
        if !isReturning, lost?.isBack(in: devices) == true { lost = nil }
        if devices.isEmpty {
            reason = situation.previous == nil ? nil : .noSuitableRoute
        } else if reason == nil {
            reason = Self.reason(situation, devices)
        }
    }

    /// The device is not there any more, or no longer sounds through its headphones.
    static func isGone(_ device: OutputDevice, in devices: [OutputDevice]) -> Bool {
        guard let now = devices.first(where: { $0.id == device.id }) else { return true }
        guard device.isPrivate, !now.isPrivate else { return false }
        // Another port of the same device, chosen while the headphones are plugged in, is no loss of them.
        let port = now.ports.first { $0.name == device.activePort }
        return port?.isAvailable != true
    }

    /// Headphones that were not there, or not plugged in, in the last list. At the start all of them are, and
    /// they win over a default that is configured.
    private static func cameAndIsBetter(_ situation: RouteSituation, _ devices: [OutputDevice]) -> OutputDevice? {
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

    /// Our stream is on a device that we did not ask for and that is not the default one.
    private static func movedByOthers(_ situation: RouteSituation, _ devices: [OutputDevice]) -> String? {
        guard let current = situation.devices.current, let previous = situation.previous, current != previous.id,
            !isGone(previous, in: devices), devices.contains(where: { $0.id == current && !$0.isDefault }),
            current != situation.chosen, current != situation.followed, current != situation.asked
        else { return nil }
        return current
    }

    /// By others, off the device that was followed.
    private static func movedToDefault(_ situation: RouteSituation, _ devices: [OutputDevice]) -> Bool {
        guard let current = situation.devices.current, situation.previous?.id == situation.followed,
            situation.asked == situation.followed
        else { return false }
        return current != situation.followed && devices.contains { $0.id == current && $0.isDefault }
    }

    /// By someone: not because the old one went, nor because the one that is configured came.
    private static func defaultWasChanged(_ situation: RouteSituation) -> Bool {
        guard let known = situation.known, let old = known.first(where: \.isDefault),
            let new = situation.devices.devices.first(where: \.isDefault)
        else { return false }
        return old.id != new.id && new.id != situation.followed && known.contains { $0.id == new.id }
            && situation.devices.devices.contains { $0.id == old.id }
    }

    /// The default device, unless the session does not admit it.
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
