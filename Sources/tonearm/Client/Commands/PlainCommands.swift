// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A command that takes nothing but where the server is.
protocol PlainAction {
    static var name: String { get }
    static var abstract: String { get }
    static func perform(_ client: ServerClient) throws
}

struct PlainCommand<Action: PlainAction>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: Action.name, abstract: Action.abstract)
    }

    @OptionGroup var options: ClientOptions

    func run() throws { try Action.perform(try options.client()) }
}

typealias PauseCommand = PlainCommand<Pause>
typealias ToggleCommand = PlainCommand<Toggle>
typealias NextCommand = PlainCommand<Next>
typealias PreviousCommand = PlainCommand<Previous>
typealias MuteCommand = PlainCommand<Mute>
typealias UnmuteCommand = PlainCommand<Unmute>
typealias ClearCommand = PlainCommand<Clear>
typealias UndoCommand = PlainCommand<Undo>
typealias RedoCommand = PlainCommand<Redo>

enum Pause: PlainAction {
    static let name = "pause"
    static let abstract = "Pauses at once."
    static func perform(_ client: ServerClient) throws { try client.silence(name) }
}

enum Toggle: PlainAction {
    static let name = "toggle"
    static let abstract = "Pauses what plays, plays what is paused."
    static func perform(_ client: ServerClient) throws { try client.command(name) }
}

enum Next: PlainAction {
    static let name = "next"
    static let abstract = "Goes to the next item."
    static func perform(_ client: ServerClient) throws { try client.command(name) }
}

enum Previous: PlainAction {
    static let name = "previous"
    static let abstract = "Goes to the previous item, or to the beginning of this one."
    static func perform(_ client: ServerClient) throws { try client.command(name) }
}

enum Mute: PlainAction {
    static let name = "mute"
    static let abstract = "Plays on without sound."
    static func perform(_ client: ServerClient) throws { _ = try client.change("muted", .flag(true)) }
}

enum Unmute: PlainAction {
    static let name = "unmute"
    static let abstract = "Ends mute."
    static func perform(_ client: ServerClient) throws { _ = try client.change("muted", .flag(false)) }
}

enum Clear: PlainAction {
    static let name = "clear"
    static let abstract = "Empties the queue."
    static func perform(_ client: ServerClient) throws { try client.send(.delete, QueuePage.path) }
}

enum Undo: PlainAction {
    static let name = "undo"
    static let abstract = "Takes the last edit of the queue back."
    static func perform(_ client: ServerClient) throws { try client.send(.post, "\(QueuePage.path)/undo") }
}

enum Redo: PlainAction {
    static let name = "redo"
    static let abstract = "Makes the edit again that undo took back."
    static func perform(_ client: ServerClient) throws { try client.send(.post, "\(QueuePage.path)/redo") }
}
