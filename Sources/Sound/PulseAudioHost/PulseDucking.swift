// SPDX-License-Identifier: Apache-2.0

internal import CPulse

/// Whether the server ducks our stream for another one. Mainloop thread only.
///
/// Without such a module, other streams are not requested.
final class PulseDucking {
    private let report: (Bool) -> Void
    private var modules: [DuckingModule] = []
    private var listedModules: [DuckingModule] = []
    private var own: [DuckingModule.Stream] = []
    private var others: [DuckingModule.Stream] = []
    private var listings = Listings.none
    private var client: UInt32 = .max
    private var isDucked = false

    /// `report` receives each change.
    init(report: @escaping (Bool) -> Void) { self.report = report }

    private var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func ducking(_ userdata: UnsafeMutableRawPointer?) -> PulseDucking {
        Unmanaged<PulseDucking>.fromOpaque(userdata!).takeUnretainedValue()
    }

    /// The connection is ready.
    func begin(_ context: OpaquePointer) {
        client = pa_context_get_index(context)
        listModules(context)
    }

    /// The connection is lost; pending requests are never answered.
    func forget() {
        listings = .none
        modules = []
        listedModules = []
        publish(false)
    }

    func changed(facility: UInt32, context: OpaquePointer?) {
        guard let context else { return }
        switch facility {
        case PA_SUBSCRIPTION_EVENT_MODULE.rawValue: listModules(context)
        case PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue where !modules.isEmpty: listStreams(context)
        default: break
        }
    }

    private func listModules(_ context: OpaquePointer) {
        release(
            pa_context_get_module_info_list(
                context,
                { context, info, end, userdata in
                    let ducking = PulseDucking.ducking(userdata)
                    if end != 0 {
                        ducking.modulesListed(context)
                    } else if let info, String(cString: info.pointee.name) == DuckingModule.name {
                        let arguments = info.pointee.argument.map { String(cString: $0) } ?? ""
                        ducking.listedModules.append(DuckingModule(arguments: arguments))
                    }
                }, pointer))
    }

    private func modulesListed(_ context: OpaquePointer?) {
        // Answers come in the order of the requests.
        modules = listedModules
        listedModules = []
        if modules.isEmpty { publish(false) } else if let context { listStreams(context) }
    }

    private func listStreams(_ context: OpaquePointer) {
        guard listings.begin() else { return }
        own = []
        others = []
        release(
            pa_context_get_sink_input_info_list(
                context,
                { context, info, end, userdata in
                    let ducking = PulseDucking.ducking(userdata)
                    if end != 0 { ducking.streamsListed(context) } else if let info { ducking.add(info.pointee) }
                }, pointer))
    }

    private func add(_ info: pa_sink_input_info) {
        let stream = DuckingModule.Stream(
            role: pa_proplist_gets(info.proplist, "media.role").map { String(cString: $0) }, sink: info.sink,
            isAudible: info.corked == 0 && info.mute == 0)
        if info.client == client { own.append(stream) } else { others.append(stream) }
    }

    private func streamsListed(_ context: OpaquePointer?) {
        let isOutdated = listings.end()
        publish(own.contains { stream in modules.contains { $0.ducks(stream, others: others) } })
        if isOutdated, let context { listStreams(context) }
    }

    private func publish(_ ducked: Bool) {
        guard ducked != isDucked else { return }
        isDucked = ducked
        report(ducked)
    }
}
