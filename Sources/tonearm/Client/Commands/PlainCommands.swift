// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct PauseCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "pause", abstract: "Pauses at once.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.silence("pause") }
}

struct ToggleCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "toggle", abstract: "Pauses what plays, plays what is paused.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.command("toggle") }
}

struct NextCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "next", abstract: "Goes to the next item.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.command("next") }
}

struct PreviousCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "previous", abstract: "Goes to the previous item, or to the beginning of this one.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.command("previous") }
}

struct MuteCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "mute", abstract: "Plays on without sound.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { _ = try client.change(["muted": true]) }
}

struct UnmuteCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "unmute", abstract: "Ends mute.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { _ = try client.change(["muted": false]) }
}

struct ClearCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "clear", abstract: "Empties the queue.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.send(.delete, QueuePage.path) }
}

struct UndoCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Takes the last edit of the queue back.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.send(.post, QueuePage.path + "/undo") }
}

struct RedoCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo", abstract: "Makes the edit again that undo took back.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.send(.post, QueuePage.path + "/redo") }
}
