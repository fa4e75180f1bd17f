// SPDX-License-Identifier: Apache-2.0

/// Where to seek to, and the body of `POST /player/seek`.
enum SeekTarget: Hashable, Encodable {
    /// Seconds.
    case position(Double)
    /// Seconds from the current position.
    case offset(Double)
    /// 0...1.
    case progress(Double)

    /// `12.5`, `1:23`, `+10`, `-1:00`, `50%`; nil when it is none of these.
    init?(_ text: String) {
        if text.hasSuffix("%") {
            guard let percent = TimeText.seconds(text.dropLast()), percent <= 100, !text.contains(":") else {
                return nil
            }
            self = .progress(percent / 100)
        } else if let sign = text.first, sign == "+" || sign == "-" {
            guard let seconds = TimeText.seconds(text.dropFirst()) else { return nil }
            self = .offset(sign == "-" ? -seconds : seconds)
        } else {
            guard let seconds = TimeText.seconds(text) else { return nil }
            self = .position(seconds)
        }
    }

    private enum Member: String, CodingKey { case position, offset, progress }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Member.self)
        switch self {
        case .position(let seconds): try container.encode(seconds, forKey: .position)
        case .offset(let seconds): try container.encode(seconds, forKey: .offset)
        case .progress(let part): try container.encode(part, forKey: .progress)
        }
    }
}
