// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite
import Glibc
import Kernel

/// The directory of the server's data.
public enum DataDirectory {
    /// Creates the directory and its parents, for this user only. Leaves existing ones unchanged.
    public static func make(_ path: String) throws(StateStoreError) {
        var made = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: true) {
            made += (made.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
            guard mkdir(made, 0o700) == 0 || errno == EEXIST || (errno == EROFS && access(made, F_OK) == 0) else {
                throw .failed(errno, path: made)
            }
        }
    }
}

/// Why a store cannot be opened. A damaged database is no reason: it is set aside.
public enum StateStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process, or another store of this process, uses the directory.
    case inUse(directory: String)
    /// The directory or a file in it cannot be created, opened or written: full disk, permissions.
    case unusable(path: String, reason: String, isDiskFull: Bool = false)

    /// `code`: the system's error number.
    static func failed(_ code: Int32, path: String) -> StateStoreError {
        .unusable(path: path, reason: String(cString: strerror(code)), isDiskFull: code == ENOSPC || code == EDQUOT)
    }

    static func failed(_ error: any Error, path: String) -> StateStoreError {
        if let failure = error as? WholeFile.Failure { return failed(failure.code, path: path) }
        return error as? StateStoreError ?? .unusable(path: path, reason: "\(error)", isDiskFull: error.isDiskFull)
    }

    public var isDiskFull: Bool { if case .unusable(_, _, let isDiskFull) = self { isDiskFull } else { false } }

    public var description: String {
        switch self {
        case .inUse(let directory): "the data directory \(directory) is in use by another server"
        case .unusable(let path, let reason, _): "\(path) cannot be used: \(reason)"
        }
    }
}

extension Database {
    /// Turns SQLite's I/O error for an exhausted disk quota into a full disk, which it is for the user.
    func cause(of error: any Error) -> any Error {
        guard (error as? DatabaseError)?.resultCode == .SQLITE_IOERR, journalErrno == EDQUOT else { return error }
        return DatabaseError(resultCode: .SQLITE_FULL, message: "the disk quota is used up")
    }

    /// The error of the last failed call on the journal. `sqlite3_system_errno` does not cover commits.
    private var journalErrno: Int32 {
        var journal: UnsafeMutablePointer<sqlite3_file>?
        var code: Int32 = 0
        sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal)
        _ = journal?.pointee.pMethods?.pointee.xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &code)
        return code
    }
}

extension Error {
    var isDiskFull: Bool { (self as? DatabaseError)?.resultCode == .SQLITE_FULL }
}

/// A change that contradicts the saved state. A retry would not help.
struct InconsistentChange: Error, CustomStringConvertible {
    var description: String
}
