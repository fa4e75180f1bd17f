// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playback
import Testing
import Yams

/// openapi.yaml describes the settings as `PlayerSettings.table` declares them.
@Suite struct SettingsContractTests {
    /// A schema's description of a value.
    private struct Description: Equatable {
        var type: String?
        var isNullable = false
        var range: ClosedRange<Double>?
        var choices: [String]?
        var maximumLength: Int?
        var isName = false
        var defaultValue: SettingValue?
    }

    @Test func repliesHaveTheSettings_withTypeRangeAndDefault() throws {
        var described = try properties("PlayerSettings")
        described["followers"] = nil
        for name in ["", ".begin", ".end"] { described["abLoop" + name] = nil }
        #expect(
            described.mapValues { description(of: $0) }
                == expected { setting, description in
                    description.isNullable = setting.isOptional
                    description.defaultValue = setting.defaultValue
                    // A player without a name has an empty one.
                    if setting.form == .name { description = Description(type: "string", defaultValue: .text("")) }
                })
    }

    @Test func patchesTakeTheSettings_withTypeAndRange() throws {
        var described = try properties("Settings")
        for name in ["levelBy", "groupLevelBy", "abLoop", "abLoop.begin", "abLoop.end"] { described[name] = nil }
        for member in ["to", "seconds"] { described["volumeRamp.\(member)"] = nil }
        #expect(described.mapValues { description(of: $0) } == expected { $1.isNullable = $0.isOptional })
    }

    @Test func numbersHaveARange_andAUnitOrMeaning() {
        for setting in PlayerSettings.table {
            if case .number(let range) = setting.form {
                #expect(range.lowerBound.isFinite && range.upperBound.isFinite)
                #expect(!setting.meaning.isEmpty || setting.place == .elsewhere, "\(setting.key)")
            }
        }
    }

    private func expected(_ complete: (Setting, inout Description) -> Void) -> [String: Description] {
        let settings = PlayerSettings.table.filter { $0.place == .player }
        return Dictionary(
            uniqueKeysWithValues: settings.map { setting in
                var description = Description()
                switch setting.form {
                case .flag: description.type = "boolean"
                case .number(let range): (description.type, description.range) = ("number", range)
                case .choice(let choices): (description.type, description.choices) = ("string", choices)
                case .text(let maximum): (description.type, description.maximumLength) = ("string", maximum)
                case .name: (description.type, description.maximumLength, description.isName) = ("string", 100, true)
                }
                complete(setting, &description)
                return (setting.key, description)
            })
    }

    private func description(of schema: Node) -> Description {
        let types = schema["type"].map { $0.array().isEmpty ? [$0] : $0.array() }?.compactMap(\.string)
        let choices = schema["enum"]?.array()
        var description = Description(type: types?.first { $0 != "null" } ?? (choices == nil ? nil : "string"))
        description.isNullable = types?.contains("null") == true || choices?.contains { $0.null != nil } == true
        if let minimum = schema["minimum"]?.float, let maximum = schema["maximum"]?.float {
            description.range = minimum...maximum
        }
        description.choices = choices?.filter { $0.null == nil }.compactMap(\.string)
        description.maximumLength = schema["maxLength"]?.int
        description.isName = schema["minLength"]?.int == 1 && schema["pattern"] != nil
        description.defaultValue = schema["default"].map { value in
            if value.null != nil { return .none }
            switch description.type {
            case "boolean": return value.bool.map { .flag($0) } ?? .none
            case "number": return value.float.map { .number($0) } ?? .none
            default: return value.string.map { .text($0) } ?? .none
            }
        }
        return description
    }

    /// The properties of a schema. Members of objects are named `object.member`.
    private func properties(_ name: String) throws -> [String: Node] {
        let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let text = try String(contentsOf: root.appending(path: "openapi.yaml"), encoding: .utf8)
        let schemas = try #require(try Yams.compose(yaml: text)?["components"]?["schemas"])
        func resolved(_ schema: Node) -> Node {
            if let choice = schema["oneOf"]?.array().first { return resolved(choice) }
            guard let name = schema["$ref"]?.string?.split(separator: "/").last else { return schema }
            return schemas[String(name)].map(resolved) ?? schema
        }
        func members(_ schema: Node, _ prefix: String) -> [(String, Node)] {
            (schema["properties"]?.mapping?.map { ($0.string ?? "", resolved($1)) } ?? []).flatMap { name, member in
                member["properties"] == nil ? [(prefix + name, member)] : members(member, prefix + name + ".")
            }
        }
        return Dictionary(uniqueKeysWithValues: members(try #require(schemas[name]), ""))
    }
}
