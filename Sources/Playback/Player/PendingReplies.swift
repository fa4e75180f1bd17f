// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The unanswered commands. A command is answered once it has taken effect, or at its deadline.
struct PendingReplies {
    /// Seconds after which every command is answered.
    static let limit = 0.8

    enum Awaited: Equatable {
        case transport
        case nothing
        /// The sound has the set tempo.
        case tempo
        /// This many seconds are decoded for the sink, or all that exist.
        case decoded(Double)
        /// The output uses this device (nil: the default one).
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

    /// Answers the commands that have taken effect or are late. `failure`: the failure of the current item.
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
