// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@Suite struct OwningThreadTests {
    @Test func theFirstThread_mayCallAgain() {
        var owner = OwningThread()
        owner.check()
        owner.check()
    }

    @Test func anotherThread_endsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            final class Owned: @unchecked Sendable { var owner = OwningThread() }
            let owned = Owned()
            owned.owner.check()
            NamedThread("other") { owned.owner.check() }.join()
        }
    }
}
