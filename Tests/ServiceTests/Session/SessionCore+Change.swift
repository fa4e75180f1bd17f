// SPDX-License-Identifier: Apache-2.0

@testable import Service

extension SessionCore {
    /// As if what must be saved had been.
    mutating func change(_ request: SessionRequest) throws(Problem) -> [Action] {
        commit(try propose(request))
    }
}
