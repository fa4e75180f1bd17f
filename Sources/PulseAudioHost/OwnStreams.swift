// SPDX-License-Identifier: Apache-2.0

internal import CPulse
import Threading

/// Tells streams of this process from others'. Each output has a connection of its own, and a process id is not enough:
/// programs in containers have the same.
enum OwnStreams {
    static let property = "tonearm.run"
    /// Differs in every run of every process.
    static let run = String(UInt64.random(in: .min ... .max), radix: 36)

    static func contains(_ info: pa_sink_input_info) -> Bool {
        pa_proplist_gets(info.proplist, property).map { String(cString: $0) } == run
    }
}
