// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Kernel
public import Logging

/// The directories of the players other than main: one for each, below `players` of the data directory.
///
/// These directories are the only list of players, so that none can contradict it and damage to main's state affects no other
/// player. One rename adds a player and one removes it: after a crash it is either complete or absent.
public struct PlayerDirectories: Sendable {
    /// No player's id begins with a dot.
    private static let half = ".new-"
    private static let gone = ".removed-"

    private static let file = "player.json"

    /// A player's first settings, which it gets again if its state is damaged.
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

    /// Returns the players' ids, sorted. Deletes players that a crash has left half added or half removed.
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

    /// Creates the directory of a player, completely or not at all.
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

    /// The player's first settings; nil if they cannot be read.
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
        } catch {
            throw .failed(error, path: file)
        }
    }

    /// Removes the player. Its files may still be in use; `clear` deletes them afterwards.
    /// - Returns: their new path.
    public func remove(_ id: String) throws(StateStoreError) -> String {
        let target = path("\(Self.gone)\(id)-\(UInt64.random(in: .min ... .max))")
        try move(path(id), to: target)
        return target
    }

    /// Deletes a directory. If that fails, the next start tries again.
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
        // Syncing the directory makes the rename survive a power cut.
        let directory = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        Glibc.close(directory)
    }
}
