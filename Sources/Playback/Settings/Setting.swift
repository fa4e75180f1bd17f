// SPDX-License-Identifier: Apache-2.0

/// The value of a setting, as used by requests, replies, the state file and the command line.
public enum SettingValue: Hashable, Sendable {
    /// An optional setting that has no value.
    case none
    case flag(Bool)
    case number(Double)
    case text(String)
}

/// A type that a setting can have.
public protocol SettingConvertible: Sendable {
    /// The values that a setting of this type accepts, unless its declaration narrows them.
    static var form: Setting.Form { get }
    static var isOptional: Bool { get }
    var settingValue: SettingValue { get }

    /// nil if the value has another type.
    init?(_ value: SettingValue)
}

/// A setting of a player, declared in `PlayerSettings.table`. All interfaces and the state file derive from it.
public struct Setting: Sendable {
    /// The values that a setting accepts.
    public enum Form: Hashable, Sendable {
        case flag
        case number(ClosedRange<Double>)
        case choice([String])
        /// At most this many code points.
        case text(maximum: Int)
        /// See `PlayerSettings.isName`.
        case name

        /// The end of a sentence such as "volume must be ...".
        public var requirement: String {
            switch self {
            case .flag: "true or false"
            case .number(let range):
                range.upperBound.isFinite ? "a number " + Setting.words(of: range) : "a finite number"
            case .choice(let choices): "one of: " + choices.joined(separator: ", ")
            case .text(let maximum): "text of at most \(maximum) characters"
            case .name: "1 to 100 characters in one line, not only spaces"
            }
        }
    }

    /// The setting's row in the state file.
    public enum Saving: Sendable {
        case never
        /// Under the key of the setting.
        case always
        /// Under the name from an older release.
        case named(String)
    }

    /// The owner of the setting on a follower.
    public enum Sharing: Sendable {
        /// The follower.
        case own
        /// The leader; the follower has the default.
        case leaders
    }

    /// The API resource that has the setting as a member.
    public enum Place: Sendable { case player, elsewhere }

    /// The member of the player's resource. `remoteCommands.skip` is the member `skip` of the object `remoteCommands`.
    public let key: String
    /// For example `remoteCommands`; nil for a plain member.
    public let object: String?
    /// For example `skip`.
    public let name: String
    public let form: Form
    /// Unit or meaning of the value, for the help; empty if the key explains it.
    public let meaning: String
    /// null is allowed and removes the value. Other settings reject null.
    public let isOptional: Bool
    /// The row in the state file; nil: not saved.
    public let row: String?
    public let sharing: Sharing
    public let place: Place
    public let defaultValue: SettingValue

    let path: any PartialKeyPath<PlayerSettings> & Sendable
    private let read: @Sendable (PlayerSettings) -> SettingValue
    private let write: @Sendable (inout PlayerSettings, SettingValue) -> Void

    /// `form`: nil for the form of the type; numbers need a range.
    init<Value: SettingConvertible>(
        _ key: String, _ path: any WritableKeyPath<PlayerSettings, Value> & Sendable, _ form: Form? = nil,
        meaning: String = "", saved: Saving = .always, sharing: Sharing = .own, place: Place = .player
    ) {
        self.key = key
        let parts = key.split(separator: ".").map(String.init)
        object = parts.count > 1 ? parts[0] : nil
        name = parts[parts.count - 1]
        self.form = form ?? Value.form
        self.meaning = meaning
        isOptional = Value.isOptional
        row =
            switch saved {
            case .never: nil
            case .always: key
            case .named(let name): name
            }
        self.sharing = sharing
        self.place = place
        defaultValue = PlayerSettings()[keyPath: path].settingValue
        self.path = path
        read = { $0[keyPath: path].settingValue }
        write = { settings, value in
            if let value = Value(value) { settings[keyPath: path] = value }
        }
    }

    public func value(in settings: PlayerSettings) -> SettingValue { read(settings) }

    /// The setting must accept the value.
    public func set(_ value: SettingValue, in settings: inout PlayerSettings) { write(&settings, value) }

    public func accepts(_ value: SettingValue) -> Bool {
        switch (form, value) {
        case (_, .none): isOptional
        case (.flag, .flag): true
        case (.number(let range), .number(let number)): range.contains(number)
        case (.choice(let choices), .text(let text)): choices.contains(text)
        case (.text(let maximum), .text(let text)):
            text.unicodeScalars.count <= maximum && !text.utf8.contains(0)
        case (.name, .text(let text)): PlayerSettings.isName(text)
        default: false
        }
    }

    /// For example "from 0.5 to 10".
    public static func words(of range: ClosedRange<Double>) -> String {
        let bounds = [range.lowerBound, range.upperBound].map { bound in
            let text = bound.description
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
        return "from \(bounds[0]) to \(bounds[1])"
    }
}

extension SettingConvertible {
    public static var isOptional: Bool { false }
}

extension Bool: SettingConvertible {
    public static var form: Setting.Form { .flag }
    public var settingValue: SettingValue { .flag(self) }

    public init?(_ value: SettingValue) {
        guard case .flag(let flag) = value else { return nil }
        self = flag
    }
}

extension Double: SettingConvertible {
    public static var form: Setting.Form { .number(-.infinity ... .infinity) }
    public var settingValue: SettingValue { .number(self) }

    public init?(_ value: SettingValue) {
        guard case .number(let number) = value else { return nil }
        self = number
    }
}

extension String: SettingConvertible {
    public static var form: Setting.Form { .text(maximum: 1024) }
    public var settingValue: SettingValue { .text(self) }

    public init?(_ value: SettingValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension SettingConvertible where Self: RawRepresentable & CaseIterable, RawValue == String {
    public static var form: Setting.Form { .choice(allCases.map(\.rawValue)) }
    public var settingValue: SettingValue { .text(rawValue) }

    public init?(_ value: SettingValue) {
        guard case .text(let text) = value else { return nil }
        self.init(rawValue: text)
    }
}

extension Optional: SettingConvertible where Wrapped: SettingConvertible {
    public static var form: Setting.Form { Wrapped.form }
    public static var isOptional: Bool { true }
    public var settingValue: SettingValue { self?.settingValue ?? .none }

    public init?(_ value: SettingValue) {
        if value == .none {
            self = .none
        } else if let wrapped = Wrapped(value) {
            self = wrapped
        } else {
            return nil
        }
    }
}
