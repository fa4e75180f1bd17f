// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Yams

/// An option's text, and its source for error messages.
struct OptionValue: Hashable {
    var text: String
    /// `--port`, `TONEARM_PORT`, or `port in config.yaml`.
    var source: String

    /// `problem`: the predicate of the sentence, such as "is not a whole number".
    func wrong(_ problem: String) -> Failure { .configuration("\(source): \(text) \(problem)") }

    func outside(_ range: ClosedRange<Int>) -> Failure {
        wrong("is not between \(range.lowerBound) and \(range.upperBound)")
    }
}

/// Looks up options: the flag, else `TONEARM_NAME`, else the file's key. An empty variable counts as not set.
///
/// `ServeOptions` declares an option as a flag; its lookup in `ServerConfiguration` makes it a variable and a key of the file too.
final class OptionValues {
    /// The names looked up so far. The file may have no other keys.
    private(set) var names: Set<String> = []

    private let environment: [String: String]
    private let file: OptionsFile?

    init(environment: [String: String], file path: String?) throws {
        self.environment = environment
        file = try path.map(OptionsFile.init)
    }

    /// Rejects unknown keys of the file. Call after all lookups.
    func checkFile() throws { try file?.check(names) }

    func value(_ name: String, _ flag: String?) throws -> OptionValue? {
        names.insert(name)
        if let flag { return OptionValue(text: flag, source: "--\(name)") }
        if let value = variable(name) { return value }
        return try file?.value(name)
    }

    func text(_ name: String, _ flag: String?) throws -> String? { try value(name, flag)?.text }

    func number(_ name: String, _ flag: String?, in range: ClosedRange<Int>) throws -> Int? {
        try value(name, flag).map { value in
            guard let number = Int(value.text) else { throw value.wrong("is not a whole number") }
            guard range.contains(number) else { throw value.outside(range) }
            return number
        }
    }

    func seconds(_ name: String, _ flag: String?, in range: ClosedRange<Int>) throws -> Double? {
        try value(name, flag).map { value in
            guard let seconds = Double(value.text) else { throw value.wrong("is not a number of seconds") }
            guard Double(range.lowerBound)...Double(range.upperBound) ~= seconds else { throw value.outside(range) }
            return seconds
        }
    }

    func flag(_ name: String, _ flag: String?, default defaultValue: Bool) throws -> Bool {
        guard let value = try value(name, flag) else { return defaultValue }
        switch value.text.lowercased() {
        case "true", "1", "yes", "on": return true
        case "false", "0", "no", "off": return false
        default: throw value.wrong("is neither on nor off")
        }
    }

    /// In a variable, colons separate the entries, as in PATH; commas separate origins, which contain colons.
    func list(_ name: String, _ flags: [String]) throws -> [String] {
        names.insert(name)
        if !flags.isEmpty { return flags }
        if let value = variable(name) {
            return value.text.split(separator: name == "allow-origin" ? "," : ":").map(String.init)
        }
        return try file?.list(name) ?? []
    }

    private func variable(_ name: String) -> OptionValue? {
        let variable = "TONEARM_" + name.uppercased().split(separator: "-").joined(separator: "_")
        guard let value = environment[variable], !value.isEmpty else { return nil }
        return OptionValue(text: value, source: variable)
    }
}

/// The file of `--config`: names and values in YAML, of which JSON is a subset.
struct OptionsFile {
    private let path: String
    private var nodes: [String: Node] = [:]

    init(_ path: String) throws {
        self.path = path
        guard let text = String(validating: try ConfigurationFile.read(path, setting: "config"), as: UTF8.self) else {
            throw Failure.configuration("config: \(path) is not UTF-8 text")
        }
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw Failure.configuration("config: \(path) is neither YAML nor JSON: \(error)")
        }
        guard let root else { return }
        guard let mapping = root.mapping else {
            throw Failure.configuration("config: \(path) contains no names and values")
        }
        for (key, value) in mapping { nodes[key.string ?? "?"] = value }
    }

    func check(_ names: Set<String>) throws {
        guard let unknown = nodes.keys.sorted().first(where: { !names.contains($0) }) else { return }
        let known = names.sorted().joined(separator: ", ")
        throw Failure.configuration("config: \(path) has an unknown name \(unknown); known are \(known)")
    }

    func value(_ name: String) throws -> OptionValue? {
        guard let node = nodes[name], node.null == nil else { return nil }
        guard let text = node.scalar?.string else {
            throw Failure.configuration("\(name) in \(path): must be a single value")
        }
        return OptionValue(text: text, source: "\(name) in \(path)")
    }

    func list(_ name: String) throws -> [String] {
        guard let node = nodes[name], node.null == nil else { return [] }
        if let single = node.scalar?.string { return [single] }
        guard let entries = node.sequence?.map(\.scalar?.string), !entries.contains(nil) else {
            throw Failure.configuration("\(name) in \(path): must be a value or a list of values")
        }
        return entries.compactMap { $0 }
    }
}

/// Small files that belong to the configuration.
enum ConfigurationFile {
    private static let largest = 16 << 20

    /// `setting`: the file's purpose, for error messages. Rejects pipes and devices, which could block forever.
    static func read(_ path: String, setting: String, isSecret: Bool = false) throws -> [UInt8] {
        func failure() -> Failure {
            .configuration("\(setting): cannot read \(path): \(String(cString: strerror(errno)))")
        }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure() }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure.configuration("\(setting): \(path) is not a regular file")
        }
        // As ssh does, check only this user's files. The mode of another user's file (a secret mounted into a container) cannot
        // be changed from here.
        if isSecret, status.st_uid == geteuid(), status.st_mode & 0o077 != 0 {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw Failure.configuration(
                "\(setting): others may read \(path) (its mode is 0\(mode)): chmod 600 \(path)")
        }
        var bytes: [UInt8] = []
        while true {
            let part = try [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                let received = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                guard received >= 0 else { throw failure() }
                count = received
            }
            if part.isEmpty { return bytes }
            bytes += part
            guard bytes.count <= largest else { throw Failure.configuration("\(setting): \(path) is too large") }
        }
    }
}
