// SPDX-License-Identifier: Apache-2.0

internal import CPulse
import Service

/// Other programs' streams, as reported by the server. Mainloop thread only.
///
/// Listed again after each change, one listing at a time; nothing is requested without an observer.
final class PulseOtherStreams {
    private var handler: (@Sendable (OtherStreams?) -> Void)?
    private var current = OtherStreams()
    private var listing: [OtherStream] = []
    private var listingHasInput = false
    private var reported: OtherStreams?
    private var listings = Listings.none
    /// Our client index at the server.
    private var client: UInt32 = .max

    private var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func of(_ userdata: UnsafeMutableRawPointer?) -> PulseOtherStreams {
        Unmanaged<PulseOtherStreams>.fromOpaque(userdata!).takeUnretainedValue()
    }

    func watch(_ handler: @escaping @Sendable (OtherStreams?) -> Void, context: OpaquePointer?) {
        self.handler = handler
        if let context { begin(context) } else { handler(nil) }
    }

    /// The connection is ready.
    func begin(_ context: OpaquePointer) {
        client = pa_context_get_index(context)
        list(context)
    }

    /// The connection is lost; pending requests are never answered.
    func forget() {
        listings = .none
        guard reported != nil else { return }
        reported = nil
        handler?(nil)
    }

    func changed(facility: UInt32, context: OpaquePointer?) {
        guard let context,
            facility == PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue || facility == PA_SUBSCRIPTION_EVENT_SOURCE.rawValue
        else { return }
        list(context)
    }

    private func list(_ context: OpaquePointer) {
        guard handler != nil, listings.begin() else { return }
        listing = []
        listingHasInput = false
        release(
            pa_context_get_server_info(
                context,
                { _, info, userdata in
                    if let info { PulseOtherStreams.of(userdata).current.server = info.pointee.cookie }
                }, pointer))
        release(
            pa_context_get_source_info_list(
                context,
                { _, info, _, userdata in
                    // The monitor of an output does not count as a microphone.
                    if let info, info.pointee.monitor_of_sink == UInt32.max {
                        PulseOtherStreams.of(userdata).listingHasInput = true
                    }
                }, pointer))
        release(
            pa_context_get_sink_input_info_list(
                context,
                { context, info, end, userdata in
                    let watch = PulseOtherStreams.of(userdata)
                    if end != 0 {
                        watch.listed(context)
                    } else if let info, info.pointee.client != watch.client, info.pointee.client != UInt32.max,
                        !OwnStreams.contain(info.pointee.proplist)
                    {
                        watch.listing.append(OtherStream(info.pointee))
                    }
                }, pointer))
    }

    private func listed(_ context: OpaquePointer?) {
        let isOutdated = listings.end()
        current.streams = listing
        current.hasInput = listingHasInput
        if current != reported {
            reported = current
            handler?(current)
        }
        if isOutdated, let context { list(context) }
    }

    func change(_ changes: [OtherStreamChange], context: OpaquePointer?) {
        guard let context else { return }
        for change in changes {
            switch change.value {
            case .muted(let isMuted):
                release(pa_context_set_sink_input_mute(context, change.index, isMuted ? 1 : 0, nil, nil))
            case .volume(let channels):
                guard (1...32).contains(channels.count) else { continue }
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
}

extension OtherStream {
    init(_ info: pa_sink_input_info) {
        func property(_ key: String) -> String? { pa_proplist_gets(info.proplist, key).map { String(cString: $0) } }
        let application = property("application.name") ?? "unknown"
        var volume = info.volume
        let channels = withUnsafeBytes(of: &volume.values) { bytes in
            Array(bytes.bindMemory(to: pa_volume_t.self).prefix(Int(info.volume.channels)))
        }
        self.init(
            index: info.index,
            // Within a run of the server, client and process ids are not reused.
            identity: "\(info.client) \(property("application.process.id") ?? "") \(application)",
            application: application, role: property("media.role"), isCorked: info.corked != 0,
            isMuted: info.mute != 0, volume: info.has_volume != 0 && info.volume_writable != 0 ? channels : [])
    }
}

/// Recognises the streams of this process: every player has its own connection, and none of them counts as another
/// program.
///
/// The server copies its client's properties to a stream. The process id alone is ambiguous across machines and
/// containers.
enum OwnStreams {
    static let property = "tonearm.process"
    static let process = String(UInt64.random(in: .min ... .max), radix: 36)

    static func contain(_ properties: OpaquePointer?) -> Bool {
        guard let properties, let value = pa_proplist_gets(properties, property) else { return false }
        return String(cString: value) == process
    }
}
