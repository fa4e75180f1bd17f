// SPDX-License-Identifier: Apache-2.0

internal import CPulse
import Service

/// Other programs' streams, and whether the server ducks ours for one of them. Mainloop thread only.
///
/// Listed again after each change, one listing at a time. Without an observer and a ducking module, no streams are
/// requested.
final class PulseOtherStreams: CallbackTarget {
    private struct Listing {
        var others = OtherStreams()
        var hasServer = false
        /// The same streams, and ours, as the ducking modules see them.
        var heard: [DuckingModule.Stream] = []
        var own: [DuckingModule.Stream] = []
    }

    private let reportDucking: (Bool) -> Void
    private var handler: (@Sendable (OtherStreamsReport) -> Void)?
    private var reported: OtherStreams?
    private var isDucked = false
    private var listing = Listing()
    private var listings = Listings.none
    /// Changes that wait for a listing that begins after their request: `reported` may be outdated, and a stream that its user
    /// has just muted must stay so.
    private var waiting: [OtherStreamChange] = []
    /// Those that the running listing decides.
    private var deciding: [OtherStreamChange] = []
    private var modules: [DuckingModule] = []
    private var listedModules: [DuckingModule] = []
    /// Our client index at the server.
    private var client: UInt32 = .max

    /// `reportDucking` receives each change.
    init(reportDucking: @escaping (Bool) -> Void) { self.reportDucking = reportDucking }

    func watch(_ handler: @escaping @Sendable (OtherStreamsReport) -> Void, context: OpaquePointer?) {
        self.handler = handler
        if let context { list(context) } else { handler(.streams(nil)) }
    }

    /// The connection is ready.
    func begin(_ context: OpaquePointer) {
        client = pa_context_get_index(context)
        list(context)
        listModules(context)
    }

    /// The connection is lost; pending requests are never answered.
    func forget() {
        listings = .none
        (modules, listedModules) = ([], [])
        loseStreams()
        publish(isDucked: false)
    }

    /// The streams are unknown, so nothing can be decided.
    private func loseStreams() {
        if reported != nil { handler?(.streams(nil)) }
        reported = nil
        for change in deciding + waiting { handler?(.decided(change, isMade: false)) }
        (waiting, deciding) = ([], [])
    }

    func changed(facility: UInt32, isOwnStream: Bool, context: OpaquePointer?) {
        guard let context else { return }
        switch facility {
        case PA_SUBSCRIPTION_EVENT_MODULE.rawValue: listModules(context)
        case PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue where !isOwnStream || !modules.isEmpty: list(context)
        case PA_SUBSCRIPTION_EVENT_SOURCE.rawValue where handler != nil: list(context)
        default: break
        }
    }

    private func listModules(_ context: OpaquePointer) {
        release(
            pa_context_get_module_info_list(
                context,
                { context, info, end, userdata in
                    let watch = PulseOtherStreams.from(userdata)
                    if end > 0 {
                        watch.modulesListed(context)
                    } else if end < 0 {
                        watch.listedModules = []
                    } else if let info, String(cString: info.pointee.name) == DuckingModule.name {
                        let arguments = info.pointee.argument.map { String(cString: $0) } ?? ""
                        watch.listedModules.append(DuckingModule(arguments: arguments))
                    }
                }, userdata))
    }

    private func modulesListed(_ context: OpaquePointer?) {
        // Answers come in the order of the requests.
        (modules, listedModules) = (listedModules, [])
        if modules.isEmpty { publish(isDucked: false) } else if let context { list(context) }
    }

    private func list(_ context: OpaquePointer) {
        guard handler != nil || !modules.isEmpty, listings.begin() else { return }
        listing = Listing()
        (deciding, waiting) = (waiting, [])
        release(
            pa_context_get_server_info(
                context,
                { _, info, userdata in
                    let watch = PulseOtherStreams.from(userdata)
                    if let info {
                        watch.listing.others.server = info.pointee.cookie
                        watch.listing.hasServer = true
                    }
                }, userdata))
        release(
            pa_context_get_source_info_list(
                context,
                { _, info, _, userdata in
                    // The monitor of an output does not count as a microphone.
                    if let info, info.pointee.monitor_of_sink == UInt32.max {
                        PulseOtherStreams.from(userdata).listing.others.hasInput = true
                    }
                }, userdata))
        release(
            pa_context_get_sink_input_info_list(
                context,
                { context, info, end, userdata in
                    let watch = PulseOtherStreams.from(userdata)
                    if end == 0 {
                        if let info { watch.add(info.pointee) }
                    } else if end > 0, watch.listing.hasServer {
                        watch.listed(context)
                    } else {
                        watch.listingFailed(context)
                    }
                }, userdata))
    }

    private func add(_ info: pa_sink_input_info) {
        let stream = DuckingModule.Stream(
            role: property("media.role", of: info.proplist), sink: info.sink,
            isAudible: info.corked == 0 && info.mute == 0)
        if info.client == client { listing.own.append(stream) } else { listing.heard.append(stream) }
        if info.client != client, info.client != UInt32.max, !OwnStreams.contain(info.proplist) {
            listing.others.streams.append(OtherStream(info))
        }
    }

    private func listed(_ context: OpaquePointer?) {
        let isOutdated = listings.end()
        if let handler, listing.others != reported {
            reported = listing.others
            handler(.streams(listing.others))
        }
        if let context { decide(context) }
        let (own, heard) = (listing.own, listing.heard)
        publish(isDucked: own.contains { stream in modules.contains { $0.ducks(stream, others: heard) } })
        if isOutdated, let context { list(context) }
    }

    /// A server that hangs does not show that other programs have ended.
    private func listingFailed(_ context: OpaquePointer?) {
        loseStreams()
        if let context, listings.fail(context) { list(context) }
    }

    private func publish(isDucked: Bool) {
        guard isDucked != self.isDucked else { return }
        self.isDucked = isDucked
        reportDucking(isDucked)
    }

    func change(_ changes: [OtherStreamChange], context: OpaquePointer?) {
        for change in changes {
            if change.expected == nil {
                if let context, !cancel(change.index) { apply(change, context) }
            } else if context != nil {
                waiting.append(change)
            } else {
                handler?(.decided(change, isMade: false))
            }
        }
        if let context, !waiting.isEmpty { list(context) }
    }

    /// Cancels the waiting changes of a stream. False: there were none.
    private func cancel(_ index: UInt32) -> Bool {
        let count = waiting.count + deciding.count
        waiting.removeAll { $0.index == index }
        deciding.removeAll { $0.index == index }
        return waiting.count + deciding.count < count
    }

    private func decide(_ context: OpaquePointer) {
        for change in deciding {
            let stream = listing.others.streams.first { $0.index == change.index }
            let isMade = if let stream, let expected = change.expected { stream.has(expected) } else { false }
            if isMade { apply(change, context) }
            handler?(.decided(change, isMade: isMade))
        }
        deciding = []
    }

    private func apply(_ change: OtherStreamChange, _ context: OpaquePointer) {
        switch change.value {
        case .muted(let isMuted):
            release(pa_context_set_sink_input_mute(context, change.index, isMuted ? 1 : 0, nil, nil))
        case .volume(let channels):
            guard (1...32).contains(channels.count) else { return }
            var volume = pa_cvolume()
            pa_cvolume_init(&volume)
            volume.channels = UInt8(channels.count)
            withUnsafeMutableBytes(of: &volume.values) { bytes in
                bytes.withMemoryRebound(to: pa_volume_t.self) { values in
                    for (index, value) in channels.enumerated() { values[index] = value }
                }
            }
            release(pa_context_set_sink_input_volume(context, change.index, &volume, nil, nil))
        }
    }
}

extension OtherStream {
    init(_ info: pa_sink_input_info) {
        let application = property("application.name", of: info.proplist) ?? "unknown"
        let process = property("application.process.id", of: info.proplist) ?? ""
        var volume = info.volume
        let channels = withUnsafeBytes(of: &volume.values) { bytes in
            Array(bytes.bindMemory(to: pa_volume_t.self).prefix(Int(info.volume.channels)))
        }
        self.init(
            index: info.index,
            // Within a run of the server, client and process ids are not reused.
            identity: "\(info.client) \(process) \(application)",
            role: property("media.role", of: info.proplist), isCorked: info.corked != 0, isMuted: info.mute != 0,
            volume: info.has_volume != 0 && info.volume_writable != 0 ? channels : [])
    }
}

/// Recognises the streams of this process: every player has its own connection, and none of them counts as another
/// program.
///
/// The server copies its client's properties to a stream. The process id alone is ambiguous across machines and
/// containers.
enum OwnStreams {
    static let key = "tonearm.process"
    static let process = String(UInt64.random(in: .min ... .max), radix: 36)

    static func contain(_ properties: OpaquePointer?) -> Bool {
        property(key, of: properties) == process
    }
}
