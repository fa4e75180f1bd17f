// SPDX-License-Identifier: Apache-2.0

import Playback

extension JSONWriter {
    /// The members of `PlayerSettings` in openapi.yaml.
    mutating func settingsMembers(of settings: PlayerSettings, followers: [String]) {
        member("followers", texts: followers)
        member("abLoop", settings.abLoop) { writer, part in
            writer.member("begin", part.begin)
            writer.member("end", part.end)
        }
        for part in Self.parts {
            guard let object = part.object else {
                members(of: part.settings, in: settings)
                continue
            }
            key(object)
            self.object { $0.members(of: part.settings, in: settings) }
        }
    }

    private mutating func members(of part: [(name: String, setting: Setting)], in settings: PlayerSettings) {
        for (name, setting) in part {
            key(name)
            switch setting.value(in: settings) {
            case .none: null()
            case .flag(let flag): value(flag)
            case .number(let number): value(number)
            case .text(let text): value(text)
            }
        }
    }

    /// Settings that follow each other, by the object that they are members of.
    private static let parts: [(object: String?, settings: [(name: String, setting: Setting)])] =
        PlayerSettings.table.filter { $0.place == .player }.reduce(into: []) { parts, setting in
            if parts.last.map({ $0.object != setting.object }) ?? true { parts.append((setting.object, [])) }
            parts[parts.count - 1].settings.append((setting.name, setting))
        }
}
