// SPDX-License-Identifier: Apache-2.0

extension Problem {
    /// Names the member of the request, as `items[3].uri`.
    public init(_ fault: ItemFault) {
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
        case .tooManyReferences(let limit):
            self = .invalid(
                member,
                "One request names \(limit) folders, lists and entries of the library at most. Add fewer at a time.",
                code: "too-many-references")
        case .outOfTime(let seconds):
            self.init(
                .unavailable, "lookup-timeout",
                "The addresses were not all looked up within \(seconds) s. Add fewer at a time.", retryAfter: 30)
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
        case .tooLarge, .tooManyReferences, .outOfTime, .cancelled: false
        }
    }
}
