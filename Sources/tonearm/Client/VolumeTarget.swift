// SPDX-License-Identifier: Apache-2.0

/// A volume in percent, or a change of it.
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

    /// 0...1, whole percents where the change is one.
    func volume(from current: Double) -> Double {
        switch self {
        case .percent(let percent): percent / 100
        case .change(let change): min(100, max(0, (current * 100).rounded() + change)) / 100
        }
    }
}
