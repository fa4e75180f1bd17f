// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

extension HTTPRequest {
    var caller: Caller {
        var address: String?
        if case .remote(let remote) = peer { address = remote }
        guard let recipient else { return Caller(address: address) }
        return Caller(address: address) { recipient.isGone }
    }
}
