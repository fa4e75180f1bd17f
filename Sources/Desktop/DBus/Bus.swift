// SPDX-License-Identifier: Apache-2.0

package import CSystemd
import Glibc
package import Kernel

/// One connection to a message bus. Made, used and given up on one thread, which waits on `descriptor` for `events`,
/// until `deadline`, and then calls `process`.
package final class Bus {
    package enum Kind: Sendable {
        /// The user's, of the desktop.
        case session
        /// The machine's.
        case system
    }

    package let pointer: OpaquePointer
    package let library: BusLibrary
    private var functions: csystemd_bus { library.functions.pointee }
    /// Of the calls that are under way, by their number on this connection.
    private var answers: [UInt64: (BusMessage) throws(BusFailure) -> Void] = [:]
    /// What was asked for with `match`.
    package var onSignal: (BusMessage) throws(BusFailure) -> Void = { _ in }
    /// Receives what goes wrong in `onSignal` and with an answer.
    package var onFailure: (BusFailure) -> Void = { _ in }

    /// Connecting goes on in `process`.
    package init(_ kind: Kind, _ library: BusLibrary) throws(BusFailure) {
        self.library = library
        var bus: OpaquePointer?
        switch kind {
        case .session: _ = try BusFailure.check(library.functions.pointee.open_user(&bus), "sd_bus_open_user")
        case .system: _ = try BusFailure.check(library.functions.pointee.open_system(&bus), "sd_bus_open_system")
        }
        guard let bus else { throw BusFailure(call: "sd_bus_open", code: -ENOMEM) }
        pointer = bus
        _ = library.functions.pointee.set_exit_on_disconnect(bus, 0)
    }

    /// Drops whatever is queued: waiting for a bus that hangs would be no use to anybody.
    deinit { _ = functions.close_unref(pointer) }

    package var descriptor: Int32 { functions.get_fd(pointer) }

    /// poll(2)'s events that it waits for.
    package func events() throws(BusFailure) -> Int16 {
        Int16(truncatingIfNeeded: try BusFailure.check(functions.get_events(pointer), "sd_bus_get_events"))
    }

    /// When `process` is due though nothing comes; nil when never.
    package var deadline: MonotonicTime? {
        var microseconds: UInt64 = 0
        guard functions.get_timeout(pointer, &microseconds) > 0, microseconds < UInt64(Int64.max) / 1000 else {
            return nil
        }
        return MonotonicTime(nanoseconds: Int64(microseconds) * 1000)
    }

    /// Does all that can be done without waiting; throws when the connection is lost.
    package func process() throws(BusFailure) {
        while try BusFailure.check(functions.process(pointer, nil), "sd_bus_process") > 0 {}
    }

    package func send(_ message: BusMessage) throws(BusFailure) {
        _ = try BusFailure.check(functions.send(pointer, message.pointer, nil), "sd_bus_send")
    }

    /// Signals that fit the rule (D-Bus specification, "Match Rules") come to `onSignal` from now on.
    package func match(_ rule: String) throws(BusFailure) {
        let code = functions.add_match_async(
            pointer, nil, rule,
            { message, context, _ in
                guard let message, let context else { return 0 }
                let bus = Unmanaged<Bus>.fromOpaque(context).takeUnretainedValue()
                bus.receive(message, bus.onSignal)
                return 0
            }, nil, Unmanaged.passUnretained(self).toOpaque())
        _ = try BusFailure.check(code, "sd_bus_add_match_async")
    }

    /// Calls a method of a program that runs; none is started for it. `answer` gets the reply or the error, once, unless the
    /// connection ends before.
    package func call(
        _ address: BusCall, _ arguments: [BusValue] = [], answer: @escaping (BusMessage) throws(BusFailure) -> Void
    ) throws(BusFailure) {
        var made: OpaquePointer?
        let code = functions.message_new_method_call(
            pointer, &made, address.destination, address.path, address.interface, address.member)
        _ = try BusFailure.check(code, "sd_bus_message_new_method_call")
        guard let made else { return }
        let message = BusMessage(owning: made, library)
        _ = try BusFailure.check(functions.message_set_auto_start(made, 0), "sd_bus_message_set_auto_start")
        try message.append(arguments)
        let sent = functions.call_async(
            pointer, nil, made,
            { message, context, _ in
                guard let message, let context else { return 0 }
                Unmanaged<Bus>.fromOpaque(context).takeUnretainedValue().answered(message)
                return 1
            }, Unmanaged.passUnretained(self).toOpaque(), Self.patience)
        _ = try BusFailure.check(sent, "sd_bus_call_async")
        var number: UInt64 = 0
        _ = try BusFailure.check(functions.message_get_cookie(made, &number), "sd_bus_message_get_cookie")
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

/// Whose method is called.
package struct BusCall {
    package var destination: String
    package var path: String
    package var interface: String
    package var member: String

    package init(_ destination: String, _ path: String, _ interface: String, _ member: String) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
    }
}

/// An error of sd-bus: the call and its negative errno.
package struct BusFailure: Error {
    package var call: String
    package var code: Int32

    package static func check(_ code: Int32, _ call: String) throws(BusFailure) -> Int32 {
        if code < 0 { throw BusFailure(call: call, code: code) }
        return code
    }
}

/// libsystemd's functions, loaded when a bus is to be talked to.
package typealias BusLibrary = LoadedLibrary<csystemd_bus>

extension BusLibrary {
    package convenience init() throws(MissingLibrary) { try self.init(csystemd_bus(), csystemd_bus_load) }
}
