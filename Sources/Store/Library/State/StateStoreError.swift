// SPDX-License-Identifier: Apache-2.0

/// Why a store cannot be had at all; a damaged database is no reason, it is set aside.
public enum StateStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process (or another store of this one) works on the directory.
    case inUse(directory: String)
    /// The directory or the file in it cannot be made, opened or written: full disk, permissions.
    case unusable(path: String, reason: String)

    public var description: String {
        switch self {
        case .inUse(let directory): "the data directory \(directory) is in use by another server"
        case .unusable(let path, let reason): "\(path) cannot be used: \(reason)"
        }
    }
}

/// A change that does not fit what is saved; saving it again would not help.
struct InconsistentChange: Error, CustomStringConvertible {
    var description: String
}
