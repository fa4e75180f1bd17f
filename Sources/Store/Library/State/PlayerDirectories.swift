// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Kernel
public import Logging

/// Where the players beside main keep their state: a directory for each below `players` of the data directory.
///
/// What stands there is the list of players: there is no second one that could differ, and a damaged state of main
/// takes no other player with it. One rename makes a player and one ends it, so that a crash leaves it whole or not there.
public struct PlayerDirectories: Sendable {
    /// No player's id begins with a dot.
    private static let half = ".new-"
    private static let gone = ".removed-"

    private static let file = "player.json"

    /// The first settings of a player. It has them again should its state be damaged.
    public struct Beginning: Hashable, Sendable, Codable {
        public var name: String
        /// Id of an output; nil follows the default.
        public var output: String?

        public init(name: String, output: String? = nil) {
            self.name = name
            self.output = output
        }
    }

    private let root: String
    private let logger: Logger

    public init(data: String, logger: Logger) {
        root = data + "/players"
        self.logger = logger
    }

    public func path(_ id: String) -> String { "\(root)/\(id)" }

    /// The ids of the players there are, sorted. Takes away what a crash has left half made or half removed.
    public func recover(isID: (String) -> Bool) -> [String] {
        guard access(root, F_OK) == 0 else { return [] }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: root)
        } catch {
            logger.error("the players cannot be listed: \(error)")
            return []
        }
        for name in names where name.hasPrefix(Self.half) || name.hasPrefix(Self.gone) { clear(path(name)) }
        return names.filter { isID($0) && SetAside.reasonAgainst(path($0)) == "is a directory" }.sorted()
    }

    /// Makes the directory of a player: whole, or not at all.
    public func create(_ id: String, _ beginning: Beginning) throws(StateStoreError) {
        let made = path(Self.half + id)
        clear(made)
        do throws(StateStoreError) {
            try DataDirectory.make(made)
            try write(beginning, to: made)
            try move(made, to: path(id))
        } catch {
            clear(made)
            throw error
        }
    }

    /// The player's first settings; nil when they cannot be read.
    public func beginning(of id: String) -> Beginning? {
        let file = path(id) + "/" + Self.file
        do {
            return try JSONDecoder().decode(Beginning.self, from: Data(contentsOf: URL(filePath: file)))
        } catch {
            logger.warning("\(file) cannot be read: \(error)")
            return nil
        }
    }

    private func write(_ beginning: Beginning, to directory: String) throws(StateStoreError) {
        let file = directory + "/" + Self.file
        do {
            try WholeFile.write(try JSONEncoder().encode(beginning), to: file)
        } catch let failure as WholeFile.Failure {
            throw .failed(failure.code, path: file)
        } catch {
            throw .failed(error, path: file)
        }
    }

    /// From here on the player is none, although its files may still be in use; `clear` takes them away afterwards.
    /// - Returns: where they are now.
    public func remove(_ id: String) throws(StateStoreError) -> String {
        let target = path("\(Self.gone)\(id)-\(UInt64.random(in: .min ... .max))")
        try move(path(id), to: target)
        return target
    }

    /// What cannot be taken away now is at the next start.
    public func clear(_ path: String) {
        guard access(path, F_OK) == 0 else { return }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            logger.warning("\(path) cannot be removed: \(error)")
        }
    }

    private func move(_ path: String, to target: String) throws(StateStoreError) {
        guard rename(path, target) == 0 else { throw .failed(errno, path: target) }
        // A name holds through a power cut when its directory was written.
        let directory = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        Glibc.close(directory)
    }
}
