// SPDX-License-Identifier: Apache-2.0

import Service

extension JSONWriter {
    /// `GET /session` and the `session` event.
    mutating func members(of status: SessionStatus) {
        let configuration = status.configuration
        member("category", configuration.category.rawValue)
        member("options", texts: configuration.options.map(\.rawValue).sorted())
        member("effectiveOptions", texts: configuration.effectiveOptions.map(\.rawValue).sorted())
        member("mode", configuration.mode.rawValue)
        member("active", status.isActive)
        member("available") { writer in
            writer.member("categories", texts: status.hardware.categories.map(\.rawValue))
            writer.member(
                "options",
                texts: SessionOption.allCases.filter { $0.categories.contains(configuration.category) }.map(\.rawValue))
            writer.member(
                "modes",
                texts: SessionMode.allCases.filter { $0.categories.contains(configuration.category) }.map(\.rawValue))
        }
        member("others", configuration.others.rawValue)
        member("interruptOthers", status.interruptsOthers)
        member("otherAudioPlaying", status.otherAudioPlaying)
        member("silenceSecondaryAudioHint", status.othersPlayMusic)
        member("silentSwitch", status.silentSwitch)
        member("locked", status.isLocked)
        member("mayRecord", status.recordingRefusal == nil)
    }
}
