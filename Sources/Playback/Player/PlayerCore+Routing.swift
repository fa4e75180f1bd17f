// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// Where the sound goes. What is to follow from which devices there are is decided in `RouteDecision`; here it is done.
extension PlayerCore {
    struct Routing {
        /// The device selected at the output; nil for the default one.
        fileprivate(set) var target: String?
        /// Where the sound goes or would go, as reported last.
        fileprivate(set) var route: OutputDevice?
        fileprivate(set) var known: [OutputDevice]?
        fileprivate(set) var followed: String?
        fileprivate(set) var lost: RouteLoss?
        fileprivate(set) var filter = RouteFilter()
        /// The device to use until one is chosen.
        var configured: String?
        /// Why `target` was changed: reported when the sound is there.
        fileprivate(set) var cause: RouteReason?
        /// Comes before what the user chose, until the sound ends.
        fileprivate(set) var borrowed: String?
        /// The sound on it has begun.
        fileprivate(set) var usesBorrowed = false
        /// The stream that another one is to take the place of.
        fileprivate(set) var leaving: Generation?
        /// Headphones are away, and the policy is to wait for them.
        fileprivate(set) var waitsForDevice = false
    }

    private func situation(_ devices: OutputDevices) -> RouteSituation {
        RouteSituation(
            devices: devices, known: routing.known, previous: routing.route,
            chosen: borrowed(of: devices) ?? wantedDevice, followed: routing.followed,
            asked: routing.target,
            lost: routing.lost,
            policy: settings.routePolicy, filter: routing.filter, now: now)
    }

    /// The user's choice, else the configured device. It counts while the device is there.
    var wantedDevice: String? { settings.outputDevice ?? routing.configured }

    private func borrowed(of devices: OutputDevices) -> String? {
        guard let borrowed = routing.borrowed else { return nil }
        return devices.devices.contains { $0.id == borrowed && $0.isAvailable } ? borrowed : nil
    }

    /// For an alarm: the choice of the user stays, and is in force again as soon as no sound is wanted.
    mutating func borrow(_ device: String?) {
        guard device != routing.borrowed else { return }
        (routing.borrowed, routing.usesBorrowed) = (device, false)
        let decision = RouteDecision(situation(output.devices))
        if decision.target != routing.target { routing.cause = .override }
        use(decision.target)
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
            leaveForLayout()
        } else {
            routing.route = route
            if isNew { routing.cause = decision.reason }
        }
    }

    private mutating func show(_ devices: OutputDevices) {
        var new = output
        new.devices = devices
        new.missing = wantedDevice.flatMap { wanted in
            devices.devices.contains { $0.id == wanted && $0.isAvailable } ? nil : wanted
        }
        guard new != output else { return }
        output = new
        emit(.output(output))
    }

    private mutating func take(_ decision: RouteDecision) {
        routing.followed = decision.followed
        routing.lost = decision.lost
        switch decision.transport {
        case .goOn: break
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
        guard goal.wantsSound else { return }
        if settings.routePolicy == .hold {
            routing.waitsForDevice = true
        } else {
            goal = .pause(.routeLost)
        }
    }

    /// The stream was taken off its device. Headphones: not a sample may sound elsewhere, also before the list of devices
    /// has what is left.
    mutating func deviceLost() {
        guard let used = situation(output.devices).used, used.isPrivate, settings.routePolicy != .follow
        else { return }
        routing.lost = RouteLoss(device: used, since: now)
        stopForLoss()
    }

    /// By the user. `nil` follows the default device again.
    mutating func outputChosen(_ device: String?) {
        routing.configured = nil
        routing.followed = nil
        routing.borrowed = nil
        // A client that names the output does not wait for another one.
        routing.waitsForDevice = false
        routing.cause = .override
        if device == routing.route?.id { routing.cause = nil }
        // The sound was on its way back to the headphones.
        if let lost = routing.lost, lost.device.id == routing.target { routing.lost = nil }
        routing.target = device
        actions.append(.output(.select(device)))
        if routing.known != nil { show(output.devices) }
    }

    /// The session admits other devices now.
    mutating func admit(_ filter: RouteFilter) {
        routing.filter = filter
        guard routing.known != nil else { return }
        let decision = RouteDecision(situation(output.devices))
        guard decision.target != routing.target else { return reportRoute(.categoryChange) }
        routing.cause = .categoryChange
        take(decision)
    }

    mutating func routePolicyChanged() {
        guard routing.waitsForDevice, settings.routePolicy != .hold else { return }
        routing.waitsForDevice = false
        if goal.wantsSound, settings.routePolicy == .pause { goal = .pause(.routeLost) }
    }

    /// Another stream takes the place of this one; nil: none does any more.
    mutating func leave(_ stream: Generation?) { routing.leaving = stream }

    mutating func endWaitForDevice() { routing.waitsForDevice = false }

    mutating func reportRoute(_ reason: RouteReason) {
        emit(.route(reason, previous: routing.route, current: routing.route))
    }

    /// On the way to another stream: silent first, so that the place that was heard is known to the frame. False when the
    /// goal asks for something else.
    mutating func leaveStream(_ transport: OutputStream.Transport) -> Bool {
        switch goal {
        case .play, .hold, .pause: break
        case .stop: return false
        case .idle, .rest:
            guard case .silent = transport else { return false }
            actions += stream.close()
            closeDown()
            return true
        }
        // What was heard to its end is not faded out.
        if case .draining = transport, current?.isFed == false { return true }
        // The sound server reports the end of the call for this stream only.
        guard case .silent = transport, !interruptions.holds(.soundServer) else {
            silence()
            return true
        }
        let place = position
        actions += stream.close()
        routing.leaving = nil
        describeStream()
        if current?.isFed == true { takeBack(to: place) }
        reconcileStream()
        return true
    }
}
