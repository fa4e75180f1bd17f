// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The output device. `RouteDecision` decides which device to use; this extension applies the decision.
extension PlayerCore {
    struct Routing {
        /// The device selected at the output; nil: the default one.
        fileprivate(set) var target: String?
        /// The device in use, as last reported.
        fileprivate(set) var route: OutputDevice?
        fileprivate(set) var known: [OutputDevice]?
        fileprivate(set) var followed: String?
        fileprivate(set) var revoked: String?
        fileprivate(set) var lost: RouteLoss?
        fileprivate(set) var filter = RouteFilter()
        /// The device to use until one is chosen.
        var configured: String?
        /// The reason for the change of `target`; reported once the new device is in use.
        fileprivate(set) var cause: RouteReason?
        /// A device that takes precedence over the user's choice until the sound ends.
        fileprivate(set) var borrowed: String?
        /// Sound has started on the borrowed device.
        fileprivate(set) var usesBorrowed = false
        /// The stream that is being replaced.
        fileprivate(set) var replacing: Generation?
        /// Lost headphones are awaited (policy `hold`).
        fileprivate(set) var waitsForDevice = false
    }

    private func situation(_ devices: OutputDevices) -> RouteSituation {
        RouteSituation(
            devices: devices, known: routing.known, previous: routing.route,
            chosen: borrowed(of: devices) ?? wantedDevice, followed: routing.followed, selected: routing.target,
            revoked: routing.revoked, lost: routing.lost, policy: routePolicy, filter: routing.filter, now: now)
    }

    /// The user's choice, else the configured device. Used while it is available.
    var wantedDevice: String? { settings.outputDevice ?? routing.configured }

    /// A follower waits instead of pausing: its leader plays on, and would resume it aloud.
    private var routePolicy: RoutePolicy {
        settings.leader != nil && settings.routePolicy == .pause ? .hold : settings.routePolicy
    }

    /// A follower waits for its own device: on the default one it would play in another room, or double its leader.
    var isFollowerWithoutDevice: Bool {
        let isBorrowing = routing.borrowed != nil && routing.target == routing.borrowed
        return settings.leader != nil && output.missing != nil && !isBorrowing
    }

    private func borrowed(of devices: OutputDevices) -> String? {
        guard let borrowed = routing.borrowed else { return nil }
        return devices.devices.contains { $0.id == borrowed && $0.isAvailable } ? borrowed : nil
    }

    /// For an alarm: the user's choice remains and applies again when no sound is wanted.
    mutating func borrow(_ device: String?) {
        guard device != routing.borrowed else { return }
        (routing.borrowed, routing.usesBorrowed) = (device, false)
        let decision = RouteDecision(situation(output.devices))
        if decision.target != routing.target { expectMove(to: decision.target, .override) }
        use(decision.target)
    }

    /// Remembers why the sound moves to this device; nil: the default one. Returns false if it is there already.
    @discardableResult
    private mutating func expectMove(to target: String?, _ reason: RouteReason?) -> Bool {
        let device = target ?? output.devices.devices.first(where: \.isDefault)?.id
        let isMove = device != routing.route?.id
        routing.cause = isMove ? reason : nil
        return isMove
    }

    mutating func reconcileBorrowing() {
        guard routing.borrowed != nil else { return }
        if goal.wantsSound { return routing.usesBorrowed = true }
        if routing.usesBorrowed, !stream.isSounding { borrow(nil) }
    }

    mutating func devicesReported(_ reported: OutputDevices) {
        let decision = RouteDecision(situation(reported))
        let isNew = decision.target != routing.target
        take(decision)
        routing.known = reported.devices
        if reported.devices.contains(where: { $0.id == routing.revoked }) { routing.revoked = nil }
        var shown = reported
        shown.isChosen = reported.isChosen && reported.current == wantedDevice
        show(shown)
        let route = reported.devices.first { $0.id == reported.current }
        if route?.id != routing.route?.id || route?.activePort != routing.route?.activePort
            || route?.isPrivate != routing.route?.isPrivate
        {
            let reason = routing.cause ?? decision.reason ?? .unknown
            routing.cause = nil
            let previous = routing.route
            routing.route = route
            emit(.route(reason, previous: previous, current: route))
            replaceForLayout()
        } else {
            routing.route = route
            if isNew { expectMove(to: decision.target, decision.reason) }
        }
    }

    private mutating func show(_ devices: OutputDevices) {
        var new = output
        new.devices = devices
        new.missing = wantedDevice.flatMap { wanted in
            devices.isFixed || devices.devices.contains { $0.id == wanted && $0.isAvailable } ? nil : wanted
        }
        guard new != output else { return }
        output = new
        emit(.output(output))
    }

    private mutating func take(_ decision: RouteDecision) {
        routing.followed = decision.followed
        routing.lost = decision.lost
        switch decision.transport {
        case .unchanged: break
        case .stop: stopForLoss()
        case .resume:
            routing.waitsForDevice = false
            if case .pause(.routeLost) = goal, rules.refusal == nil { goal = .play }
        }
        use(decision.target)
    }

    mutating func use(_ target: String?) {
        guard target != routing.target else { return }
        routing.target = target
        actions.append(.output(.select(target)))
    }

    private mutating func stopForLoss() {
        // A follower waits even in silence: its leader may play before the headphones are back.
        guard goal.wantsSound || settings.leader != nil else { return }
        if routePolicy == .hold {
            routing.waitsForDevice = true
        } else {
            goal = .pause(.routeLost)
        }
    }

    /// The stream lost its device. If it was headphones, no sample may sound elsewhere, even before the list changes.
    mutating func deviceLost() {
        guard let used = situation(output.devices).used, used.isPrivate, routePolicy != .follow
        else { return }
        routing.lost = RouteLoss(device: used, since: now)
        routing.known?.removeAll { $0.id == used.id }
        stopForLoss()
    }

    /// Applies the user's choice; nil: the default device.
    mutating func outputChosen(_ device: String?) {
        routing.configured = nil
        routing.followed = nil
        routing.borrowed = nil
        routing.revoked = device == nil ? output.missing ?? routing.revoked : nil
        // A client that chooses an output does not wait for another one.
        routing.waitsForDevice = false
        expectMove(to: device, .override)
        // The sound was returning to the headphones.
        if let lost = routing.lost, lost.device.id == routing.target { routing.lost = nil }
        routing.target = device
        actions.append(.output(.select(device)))
        if routing.known != nil { show(output.devices) }
    }

    /// The session's device filter has changed.
    mutating func admit(_ filter: RouteFilter) {
        routing.filter = filter
        guard routing.known != nil else { return }
        let decision = RouteDecision(situation(output.devices))
        guard decision.target != routing.target else { return reportRoute(.categoryChange) }
        take(decision)
        if !expectMove(to: decision.target, .categoryChange) { reportRoute(.categoryChange) }
    }

    mutating func routePolicyChanged() {
        // Begins to follow, without its headphones: its leader starts it once they are back.
        if settings.leader != nil, routePolicy == .hold, case .pause(.routeLost) = goal, routing.lost != nil,
            wantedDevice == nil
        {
            routing.waitsForDevice = true
            goal = .pause(.leader)
        }
        guard routing.waitsForDevice, routePolicy != .hold else { return }
        routing.waitsForDevice = false
        if goal.wantsSound, routePolicy == .pause { goal = .pause(.routeLost) }
    }

    /// Replaces this stream; nil: no stream is replaced.
    mutating func replaceStream(_ stream: Generation?) { routing.replacing = stream }

    mutating func endWaitForDevice() { routing.waitsForDevice = false }

    mutating func reportRoute(_ reason: RouteReason) {
        emit(.route(reason, previous: routing.route, current: routing.route))
    }

    /// Replaces the stream, silent first, so that the position is exact. Returns false if the goal requires something
    /// else.
    mutating func continueReplacing(_ transport: OutputStream.Transport) -> Bool {
        switch goal {
        case .play, .hold, .pause: break
        case .stop: return false
        case .idle, .rest:
            guard case .silent = transport else { return false }
            actions += stream.close()
            streamClosed()
            return true
        }
        // A stream that drains to its end is not faded out.
        if case .draining = transport, current?.isFed == false { return true }
        // The sound server reports the end of a call only for this stream.
        guard case .silent = transport, !interruptions.holds(.soundServer) else {
            silence()
            return true
        }
        let place = position
        actions += stream.close()
        routing.replacing = nil
        updateStreamFormat()
        if current?.isFed == true { decodeUnheardAgain(from: place) }
        reconcileStream()
        return true
    }
}
