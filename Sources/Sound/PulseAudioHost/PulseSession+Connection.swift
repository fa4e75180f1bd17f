// SPDX-License-Identifier: Apache-2.0

internal import CPulse
import Playback
import Kernel

/// Connects to the server and follows its devices, while the output is active.
extension PulseSession {
    private static let patience = 5.0

    func connect() {
        if context == nil { makeContext() }
        guard let context else { return }
        connection = .connecting
        retryTimer?.arm(.now.advanced(bySeconds: Self.patience))
        if pa_context_connect(context, options.server, PA_CONTEXT_NOAUTOSPAWN, nil) != 0, case .connecting = connection
        {
            connectionFailed(pa_context_errno(context))
        }
    }

    private func makeContext() {
        let properties = pa_proplist_new()
        defer { pa_proplist_free(properties) }
        let name = options.player.map { "Tonearm (\($0))" } ?? "Tonearm"
        pa_proplist_sets(properties, "application.name", name)
        pa_proplist_sets(properties, OwnStreams.key, OwnStreams.process)
        pa_proplist_sets(properties, "application.id", "tonearm")
        pa_proplist_sets(properties, "application.icon_name", "multimedia-player")
        guard let context = pa_context_new_with_proplist(api, name, properties) else { return }
        self.context = context
        retryTimer = PulseTimer(context, api) { [unowned self] in retry() }
        pa_context_set_state_callback(
            context, { _, userdata in PulseSession.from(userdata).contextChanged() }, userdata)
    }

    func dropContext() {
        retryTimer?.free()
        retryTimer = nil
        guard let context else { return }
        pa_context_set_state_callback(context, nil, nil)
        pa_context_set_subscribe_callback(context, nil, nil)
        pa_context_disconnect(context)
        pa_context_unref(context)
        self.context = nil
    }

    private func retry() {
        if case .connecting = connection {
            connectionFailed(Int32(PA_ERR_TIMEOUT.rawValue))
        } else if case .waiting = connection {
            connect()
        }
    }

    private func contextChanged() {
        guard let context else { return }
        switch pa_context_get_state(context) {
        case PA_CONTEXT_READY: connected(context)
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED: connectionFailed(pa_context_errno(context))
        default: break
        }
    }

    private func connected(_ context: OpaquePointer) {
        retryTimer?.arm(nil)
        connection = .ready
        pa_context_set_subscribe_callback(
            context,
            { _, kind, index, userdata in
                let facility = kind.rawValue & PA_SUBSCRIPTION_EVENT_FACILITY_MASK.rawValue
                let session = PulseSession.from(userdata)
                let isOwn = facility == PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue && session.isOwnStream(index)
                if isOwn { session.current?.requestMuteState() }
                session.otherStreams.changed(facility: facility, isOwnStream: isOwn, context: session.context)
                switch facility {
                case PA_SUBSCRIPTION_EVENT_SERVER.rawValue:
                    session.devices.hasNewDefault = true
                    session.listDevices()
                case PA_SUBSCRIPTION_EVENT_SINK.rawValue: session.listDevices()
                // New and ended streams of other clients do not affect devices.
                default: break
                }
            }, userdata)
        let mask = pa_subscription_mask_t(
            rawValue: PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SERVER.rawValue
                | PA_SUBSCRIPTION_MASK_SINK_INPUT.rawValue | PA_SUBSCRIPTION_MASK_SOURCE.rawValue
                | PA_SUBSCRIPTION_MASK_MODULE.rawValue)
        release(pa_context_subscribe(context, mask, nil, nil))
        listDevices()
        otherStreams.begin(context)
    }

    private func connectionFailed(_ code: Int32) {
        let reason = PulseProblem.connection(code, server: options.server)
        connection = .waiting(reason)
        listings = .none
        devices.forget()
        otherStreams.forget()
        dropContext()
        announce(.unavailable(reason))
        performDeferred()
        makeContext()
        retryTimer?.arm(.now.advanced(bySeconds: retryDelay))
        retryDelay = min(2, retryDelay * 2)
    }

    func announce(_ availability: OutputAvailability) {
        guard availability != announced else { return }
        announced = availability
        emit(.availability(availability))
    }

    /// The server answers.
    func announceDevices() { announce(devices.target == nil ? .unavailable(PulseProblem.noDevice) : .available) }

    // MARK: Devices

    func listDevices() {
        guard let context, listings.begin() else { return }
        movesBeforeListing = requestedMoves
        release(
            pa_context_get_server_info(
                context,
                { _, info, userdata in
                    guard let info else { return }
                    let session = PulseSession.from(userdata)
                    session.devices.listing.hasServer = true
                    session.devices.listing.defaultName = info.pointee.default_sink_name.map { String(cString: $0) }
                    session.devices.listing.streamDevice = session.deviceAtListing
                }, userdata))
        release(
            pa_context_get_sink_info_list(
                context,
                { _, info, end, userdata in
                    let session = PulseSession.from(userdata)
                    if end == 0 {
                        if let info { session.devices.listing.devices.append(OutputDevice(info.pointee)) }
                    } else if end > 0, session.devices.listing.hasServer {
                        session.listed()
                    } else {
                        session.listingFailed()
                    }
                }, userdata))
    }

    /// Answers come in the order of events at the server. A stream moves together with the default, and its move is
    /// reported first.
    private var deviceAtListing: String? {
        guard requestedMoves == movesBeforeListing else {
            // The list was requested before a move of our own.
            listings = .outdated
            return streamDevice
        }
        return reportedDevice
    }

    private func listed() {
        let isOutdated = listings.end()
        retryDelay = 0.1
        streamDevice = devices.finishListing()
        // The devices first: an observer of the availability then knows the device of the sound.
        publishDevices()
        checkPlacement()
        announceDevices()
        performDeferred()
        if isOutdated { listDevices() }
    }

    /// The last list stays. Before the first one, the server counts as unreachable.
    private func listingFailed() {
        guard let context else { return }
        devices.listing = PulseDevices.Listing()
        if devices.devices == nil {
            connectionFailed(pa_context_errno(context))
        } else if listings.fail(context) {
            listDevices()
        }
    }
}
