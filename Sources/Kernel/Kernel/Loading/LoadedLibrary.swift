// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A C library that is loaded at its first use, not with the program. Its C target declares the table of its functions
/// (`CLoading/table.h`). The library is never unloaded: create one instance and keep it.
///
/// `@unchecked Sendable` because the table never changes once it is filled.
public final class LoadedLibrary<Functions>: @unchecked Sendable {
    /// Valid as long as this object lives.
    public let functions: UnsafePointer<Functions>

    /// `load` fills the table and returns nil, or the reason of the failure. Blocks while the library is read from the disk.
    public init(
        _ empty: Functions, _ load: (UnsafeMutablePointer<Functions>) -> UnsafePointer<CChar>?
    ) throws(MissingLibrary) {
        let table = UnsafeMutablePointer<Functions>.allocate(capacity: 1)
        table.initialize(to: empty)
        functions = UnsafePointer(table)
        // Loading a library built with -ffast-math makes the thread treat denormal numbers as 0.
        var environment = fenv_t()
        fegetenv(&environment)
        defer { fesetenv(&environment) }
        if let problem = load(table) { throw MissingLibrary(reason: String(cString: problem)) }
    }

    deinit { functions.deallocate() }
}

/// A library, or one of its functions, is missing on this machine. Only the features that need it fail, with this reason.
public struct MissingLibrary: Error, Sendable {
    /// Names the file; fits the end of a sentence.
    public let reason: String

    public init(reason: String) { self.reason = reason }
}
