// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@Suite struct LoadedLibraryTests {
    private struct Functions: Sendable {
        var triple: (@convention(c) (Int32) -> Int32)?
    }

    @Test func functionsAreCallable_whenLoaded() throws {
        let library = try LoadedLibrary(Functions()) { table in
            table.pointee.triple = { $0 * 3 }
            return nil
        }
        #expect(library.functions.pointee.triple?(7) == 21)
    }

    @Test func errorHasTheReason_whenLoadingFails() {
        let reason = "libnone.so.1: cannot open shared object file"
        let failure = #expect(throws: MissingLibrary.self) {
            try reason.withCString { text in _ = try LoadedLibrary(Functions()) { _ in text } }
        }
        #expect(failure?.reason == reason)
    }
}
