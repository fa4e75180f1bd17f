// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Yams

/// A setting's text with where it came from, for a sentence when it is wrong.
struct Setting: Hashable {
    var text: String
    /// `--port`, `TONEARM_PORT`, or `port in config.yaml`.
    var source: String

    /// `problem` follows the source and the value: "is not a whole number".
    func wrong(_ problem: String) -> Failure { .configuration("\(source): \(text) \(problem)") }
}

/// Looks a setting up: flag, then `TONEARM_NAME`, then the file's key. An empty variable counts as not set.
struct SettingValues {
    private let environment: [String: String]
    private let file: SettingsFile

    init(environment: [String: String], file path: String?) throws {
        self.environment = environment
        file = try path.map(SettingsFile.init) ?? SettingsFile()
    }

    func setting(_ name: String, _ flag: String?) throws -> Setting? {
        if let flag { return Setting(text: flag, source: "--\(name)") }
        if let value = variable(name) { return value }
        return try file.setting(name)
    }

    func text(_ name: String, _ flag: String?) throws -> String? {
        try setting(name, flag)?.text
    }

    func number(_ name: String, _ flag: String?, in range: ClosedRange<Int>) throws -> Int? {
        guard let setting = try setting(name, flag) else { return nil }
        guard let number = Int(setting.text) else { throw setting.wrong("is not a whole number") }
        guard range.contains(number) else {
            throw setting.wrong("is not between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    func flag(_ name: String, _ flag: Bool) throws -> Bool {
        try self.flag(name, flag ? "true" : nil, default: false)
    }

    func flag(_ name: String, _ flag: String?, default defaultValue: Bool) throws -> Bool {
        guard let setting = try setting(name, flag) else { return defaultValue }
        switch setting.text.lowercased() {
        case "true", "1", "yes", "on": return true
        case "false", "0", "no", "off": return false
        default: throw setting.wrong("is neither true nor false")
        }
    }

    func seconds(_ name: String, _ flag: String?, in range: ClosedRange<Double>) throws -> Double? {
        guard let setting = try setting(name, flag) else { return nil }
        guard let seconds = Double(setting.text) else { throw setting.wrong("is not a number of seconds") }
        guard range.contains(seconds) else {
            throw setting.wrong("is not between \(Int(range.lowerBound)) and \(Int(range.upperBound))")
        }
        return seconds
    }

    /// In the environment the entries are separated by colons, as in PATH (by commas for origins, which hold colons).
    func list(_ name: String, _ flags: [String]) throws -> [String] {
        if !flags.isEmpty { return flags }
        if let value = variable(name) {
            return value.text.split(separator: name == "allow-origin" ? "," : ":").map(String.init)
        }
        return try file.list(name)
    }

    private func variable(_ name: String) -> Setting? {
        let variable = "TONEARM_" + name.uppercased().split(separator: "-").joined(separator: "_")
        guard let value = environment[variable], !value.isEmpty else { return nil }
        return Setting(text: value, source: variable)
    }
}

/// The file given with `--config`: names and values in YAML, or JSON, which is YAML as well.
struct SettingsFile {
    /// The names that it may have; anything else is an error.
    static let names: Set<String> = [
        "host", "name", "port", "music", "data", "public", "output", "sink", "token-file", "allow-origin", "allow-host",
        "port-file", "log-level", "anonymous", "library", "interrupt-others", "decode-buffer-frames", "buffer-count",
        "media-worker", "network", "network-timeout", "prebuffer", "rebuffer", "mpris", "logind", "recordings", "cache",
        "cache-dir", "cache-limit", "cache-ignore", "socket",
    ]

    private var path = ""
    private var nodes: [String: Node] = [:]

    /// Without any setting.
    init() {}

    init(_ path: String) throws {
        self.path = path
        guard let root = try Self.compose(try Self.read(path), path) else { return }
        guard let mapping = root.mapping else {
            throw Failure.configuration("config: \(path) holds no names and values")
        }
        for (key, value) in mapping {
            guard let name = key.string, Self.names.contains(name) else {
                let known = Self.names.sorted().joined(separator: ", ")
                throw Failure.configuration(
                    "config: \(path) has an unknown name \(key.string ?? "?"); known are \(known)")
            }
            nodes[name] = value
        }
    }

    func setting(_ name: String) throws -> Setting? {
        guard let node = nodes[name], node.null == nil else { return nil }
        guard let text = node.scalar?.string else {
            throw Failure.configuration("\(name) in \(path): must be a single value")
        }
        return Setting(text: text, source: "\(name) in \(path)")
    }

    func list(_ name: String) throws -> [String] {
        guard let node = nodes[name], node.null == nil else { return [] }
        if let single = node.scalar?.string { return [single] }
        guard let entries = node.sequence?.map(\.scalar?.string), !entries.contains(nil) else {
            throw Failure.configuration("\(name) in \(path): must be a value or a list of values")
        }
        return entries.compactMap { $0 }
    }

    private static func read(_ path: String) throws -> String {
        let bytes = try WholeFile.read(path, setting: "config")
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure.configuration("config: \(path) is not UTF-8 text")
        }
        return text
    }

    private static func compose(_ text: String, _ path: String) throws -> Node? {
        do {
            return try Yams.compose(yaml: text)
        } catch {
            throw Failure.configuration("config: \(path) is neither YAML nor JSON: \(error)")
        }
    }
}
