// SPDX-License-Identifier: Apache-2.0

import Media

/// Under which uri each directory stands in the catalogue, so that links neither list music twice nor lead in circles.
struct FolderPlaces {
    private var uris: [FolderIdentity: String] = [:]

    /// Whether `uri` may stand for the directory. One that stands elsewhere stays there as long as it is there.
    mutating func take(
        _ identity: FolderIdentity, for uri: String, identityOf: (String) -> FolderIdentity?
    ) -> Bool {
        if let other = uris[identity], other != uri, identityOf(other) == identity { return false }
        uris[identity] = uri
        return true
    }

    mutating func forget(below uri: String) {
        uris = uris.filter { $0.value != uri && !$0.value.hasPrefix(uri + "/") }
    }
}
