// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The commands that are not answered yet. Owns when each is: once it has taken effect, or late, with the state as it is.
struct PendingReplies {
    /// Seconds after which a command is answered in any case.
    static let limit = 0.8

    enum Awaited: Equatable {
        case transport
        case nothing
        /// What sounds has the set speed.
        case tempo
        /// So many seconds wait for the sink, or all that there is.
        case decoded(Double)
        /// The output plays on this device (nil: on the default one).
        case device(String?)
    }

    private struct Reply {
        var token: CommandToken
        var deadline: MonotonicTime
        var inserted: Range<UInt64>?
        var failsWithItem: Bool
        var awaits: Awaited
    }

    private var replies: [Reply] = []

    var isEmpty: Bool { replies.isEmpty }
    var deadline: MonotonicTime? { replies.map(\.deadline).min() }
    var awaitDecoding: Bool { replies.contains { if case .decoded = $0.awaits { true } else { false } } }

    mutating func add(_ command: PlayerCommand, _ token: CommandToken, inserted: Range<UInt64>?, _ now: MonotonicTime) {
        replies.append(
            Reply(
                token: token, deadline: now.advanced(bySeconds: Self.limit), inserted: inserted,
                failsWithItem: command.failsWithItem, awaits: command.awaits))
    }

    /// Answers those that await nothing more, and late ones. `failure`: of the item that some of them are for.
    mutating func answer(
        isSettled: Bool, isInTempo: Bool, decoded: Double, _ devices: OutputDevices, failure: PlaybackError?,
        _ now: MonotonicTime
    ) -> [PlayerAction] {
        var actions: [PlayerAction] = []
        replies.removeAll { reply in
            let isDone =
                switch reply.awaits {
                case .nothing: true
                case .transport: isSettled
                case .tempo: isSettled && isInTempo
                case .decoded(let seconds): decoded >= seconds
                case .device(nil):
                    !devices.isChosen
                        && devices.devices.first(where: \.isDefault).map { $0.id == devices.current } ?? true
                case .device(let device): devices.isChosen && devices.current == device
                }
            guard isDone || reply.deadline <= now else { return false }
            let failure = reply.failsWithItem ? failure : nil
            actions.append(.reply(reply.token, failure.map { .failed($0) } ?? .done(inserted: reply.inserted)))
            return true
        }
        return actions
    }
}
