// SPDX-License-Identifier: Apache-2.0

/// A level in percent, or a step of it.
enum VolumeTarget: Hashable {
    case percent(Double)
    case change(Double)

    /// `80`, `80%`, `+5`, `-5`; nil when it is none of these or lies outside 0...100.
    init?(_ text: String) {
        let number = text.hasSuffix("%") ? text.dropLast() : text[...]
        let sign = number.first
        let isChange = sign == "+" || sign == "-"
        let digits = isChange ? number.dropFirst() : number
        guard !digits.contains(":"), let percent = TimeText.seconds(digits), percent <= 100 else { return nil }
        self = isChange ? .change(sign == "-" ? -percent : percent) : .percent(percent)
    }

    /// The server adds a step to its level, so that steps of several clients add up.
    var setting: SettingChange {
        switch self {
        case .percent(let percent): SettingChange("level", .number(percent / 100))
        case .change(let change): SettingChange("levelBy", .number(change / 100))
        }
    }
}
