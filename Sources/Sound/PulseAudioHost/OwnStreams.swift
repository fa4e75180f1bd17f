// SPDX-License-Identifier: Apache-2.0

internal import CPulse

/// Recognises the streams of this process among all that the sound server has: every player has a connection of its own,
/// and none of them counts as another program's.
///
/// The server gives a stream its client's properties. The process id alone would do only on one machine, in one container.
enum OwnStreams {
    static let property = "tonearm.process"
    static let process = String(UInt64.random(in: .min ... .max), radix: 36)

    static func contain(_ properties: OpaquePointer?) -> Bool {
        guard let properties, let value = pa_proplist_gets(properties, property) else { return false }
        return String(cString: value) == process
    }
}
