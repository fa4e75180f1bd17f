// SPDX-License-Identifier: Apache-2.0

@testable import Service

extension SessionCore {
    /// Proposes and commits, as if saved in between.
    mutating func change(_ request: SessionRequest) throws(Problem) -> [Action] {
        commit(try propose(request))
    }
}
