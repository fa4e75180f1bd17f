// SPDX-License-Identifier: Apache-2.0

import Catalogue
import Playback

extension Problem {
    /// Names the member of the request, as `items[3].uri`.
    init(_ fault: ItemFault) {
        let member = "items[\(fault.index)].\(fault.member)"
        switch fault.cause {
        case .media(let error): self.init(error, member: member)
        case .catalogue(let error): self.init(error)
        case .playlist(let error, let id): self.init(error, id)
        case .noLibrary: self = .noLibrary
        case .noPlaylists: self = .noPlaylists
        case .severalItems:
            self = .invalid(
                member, "This stands for more than one item, and expand is false.", code: "several-items")
        case .tooLarge(let bytes):
            self = .tooLarge("The items take more than \(bytes >> 20) MB.", code: "queue-full")
        case .cancelled: self = .clientGone
        }
        self.member = member
    }
}

extension ItemFault {
    /// It concerns this address alone.
    var canBeSkipped: Bool {
        switch cause {
        case .media, .catalogue, .playlist, .severalItems, .noLibrary, .noPlaylists: true
        case .tooLarge, .cancelled: false
        }
    }
}
