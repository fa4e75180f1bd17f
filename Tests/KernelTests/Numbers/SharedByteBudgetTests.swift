// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@Suite struct SharedByteBudgetTests {
    @Test func usedBytes_areUnavailableToOthers_untilReturned() {
        let budget = SharedByteBudget(ByteBudget(limit: 100))
        let first = SharedByteBudget.Share(of: budget)
        first.report(used: 60)
        #expect(first.allowance == 100)
        do {
            let second = SharedByteBudget.Share(of: budget)
            #expect(second.allowance == 40)
            second.report(used: 50)
            #expect(first.allowance == 50 && second.allowance == 40)
        }
        first.report(used: 10)
        #expect(first.allowance == 100)
    }
}
