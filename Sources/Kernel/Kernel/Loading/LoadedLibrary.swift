// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A C library that is loaded when it is first needed, not with the program; its functions are in a table that its
/// C target declares (`CLoading/table.h`). Whoever makes one keeps it: the library is never unloaded.
///
/// `@unchecked Sendable` because the table never changes once it is filled.
public final class LoadedLibrary<Functions>: @unchecked Sendable {
    /// For as long as this object lives.
    public let functions: UnsafePointer<Functions>

    /// `load` fills the table and gives nil, or names what is missing. Blocks while the library is read from the disk.
    public init(
        _ empty: Functions, _ load: (UnsafeMutablePointer<Functions>) -> UnsafePointer<CChar>?
    ) throws(MissingLibrary) {
        let table = UnsafeMutablePointer<Functions>.allocate(capacity: 1)
        table.initialize(to: empty)
        functions = UnsafePointer(table)
        // A library that was built with -ffast-math makes the thread compute with 0 in place of denormal numbers.
        var environment = fenv_t()
        fegetenv(&environment)
        defer { fesetenv(&environment) }
        if let problem = load(table) { throw MissingLibrary(reason: String(cString: problem)) }
    }

    deinit { functions.deallocate() }
}

/// A library, or a function that it should have, is not on this machine. What needs it fails with this reason; nothing
/// else does.
public struct MissingLibrary: Error, Sendable {
    /// For a sentence's end; it names the file.
    public let reason: String

    public init(reason: String) { self.reason = reason }
}
