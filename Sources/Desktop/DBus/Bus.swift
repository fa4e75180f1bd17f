// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
import Glibc
import Kernel

/// One connection to a message bus. Belongs to one thread, which waits on `descriptor` for `events`, until `deadline`, and
/// then calls `process`.
final class Bus {
    enum Kind: Sendable {
        /// The bus of the user's desktop.
        case session
        /// The bus of the machine.
        case system
    }

    let pointer: OpaquePointer
    let library: BusLibrary
    private var functions: csystemd_bus { library.functions.pointee }
    /// The handlers of pending calls, by the calls' numbers on this connection.
    private var answers: [UInt64: (BusMessage) throws(BusFailure) -> Void] = [:]
    /// Receives the signals requested with `match`.
    var onSignal: (BusMessage) throws(BusFailure) -> Void = { _ in }
    /// Receives errors of `onSignal` and of answer handlers.
    var onFailure: (BusFailure) -> Void = { _ in }

    /// Begins to connect; `process` continues.
    init(_ kind: Kind, _ library: BusLibrary) throws(BusFailure) {
        self.library = library
        var bus: OpaquePointer?
        switch kind {
        case .session: try BusFailure.check(library.functions.pointee.open_user(&bus), "sd_bus_open_user")
        case .system: try BusFailure.check(library.functions.pointee.open_system(&bus), "sd_bus_open_system")
        }
        guard let bus else { throw BusFailure(call: "sd_bus_open", code: -ENOMEM) }
        pointer = bus
        _ = library.functions.pointee.set_exit_on_disconnect(bus, 0)
    }

    /// Drops queued messages: the bus may hang.
    deinit { _ = functions.close_unref(pointer) }

    var descriptor: Int32 { functions.get_fd(pointer) }

    /// The events of poll(2) to wait for.
    func events() throws(BusFailure) -> Int16 {
        Int16(truncatingIfNeeded: try BusFailure.check(functions.get_events(pointer), "sd_bus_get_events"))
    }

    /// The time at which `process` is due without an event; nil: never.
    var deadline: MonotonicTime? {
        var microseconds: UInt64 = 0
        guard functions.get_timeout(pointer, &microseconds) > 0, microseconds < UInt64(Int64.max) / 1000 else {
            return nil
        }
        return MonotonicTime(nanoseconds: Int64(microseconds) * 1000)
    }

    /// Does all work that is possible without waiting; throws if the connection is lost.
    func process() throws(BusFailure) {
        while try BusFailure.check(functions.process(pointer, nil), "sd_bus_process") > 0 {}
    }

    func send(_ message: BusMessage) throws(BusFailure) {
        try BusFailure.check(functions.send(pointer, message.pointer, nil), "sd_bus_send")
    }

    /// Requests the signals that match the rule (D-Bus specification, "Match Rules").
    func match(_ rule: String) throws(BusFailure) {
        let code = functions.add_match_async(
            pointer, nil, rule,
            { message, context, _ in
                guard let message, let context else { return 0 }
                let bus = Unmanaged<Bus>.fromOpaque(context).takeUnretainedValue()
                bus.receive(message, bus.onSignal)
                return 0
            }, nil, Unmanaged.passUnretained(self).toOpaque())
        try BusFailure.check(code, "sd_bus_add_match_async")
    }

    /// Calls a method of a running program; starts none. `answer` receives the reply or the error once, unless the connection
    /// ends first.
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        answer: @escaping (BusMessage) throws(BusFailure) -> Void
    ) throws(BusFailure) {
        var made: OpaquePointer?
        let code = functions.message_new_method_call(pointer, &made, destination, path, interface, member)
        try BusFailure.check(code, "sd_bus_message_new_method_call")
        guard let made else { return }
        let message = BusMessage(owning: made, library)
        try BusFailure.check(functions.message_set_auto_start(made, 0), "sd_bus_message_set_auto_start")
        try message.append(arguments)
        let sent = functions.call_async(
            pointer, nil, made,
            { message, context, _ in
                guard let message, let context else { return 0 }
                Unmanaged<Bus>.fromOpaque(context).takeUnretainedValue().answered(message)
                return 1
            }, Unmanaged.passUnretained(self).toOpaque(), Self.patience)
        try BusFailure.check(sent, "sd_bus_call_async")
        var number: UInt64 = 0
        try BusFailure.check(functions.message_get_cookie(made, &number), "sd_bus_message_get_cookie")
        answers[number] = answer
    }

    /// Microseconds.
    private static let patience: UInt64 = 10_000_000

    private func answered(_ reply: OpaquePointer) {
        var number: UInt64 = 0
        guard functions.message_get_reply_cookie(reply, &number) >= 0 else { return }
        if let answer = answers.removeValue(forKey: number) { receive(reply, answer) }
    }

    private func receive(_ message: OpaquePointer, _ use: (BusMessage) throws(BusFailure) -> Void) {
        do throws(BusFailure) { try use(BusMessage(sharing: message, library)) } catch { onFailure(error) }
    }
}

/// An error of sd-bus: the call and its negative errno.
struct BusFailure: Error {
    var call: String
    var code: Int32

    @discardableResult
    static func check(_ code: Int32, _ call: String) throws(BusFailure) -> Int32 {
        if code < 0 { throw BusFailure(call: call, code: code) }
        return code
    }
}

/// libsystemd's functions, loaded at the first connection to a bus.
typealias BusLibrary = LoadedLibrary<csystemd_bus>

extension BusLibrary {
    convenience init() throws(MissingLibrary) { try self.init(csystemd_bus(), csystemd_bus_load) }
}
