// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc
import Threading

/// One connection to the session bus, with the player's object on it. Made, used and given up on one thread.
final class BusConnection {
    static let name = "org.mpris.MediaPlayer2.tonearm"
    static let object = "/org/mpris/MediaPlayer2"

    private let library: BusLibrary
    private let bus: OpaquePointer
    private var functions: csystemd_bus { library.functions }
    private let call: (BusMessage) -> Void
    private let named: (String) -> Void
    /// A further server on the same bus takes this name, as the specification has it.
    private var names = [BusConnection.name, BusConnection.name + ".instance\(getpid())"]
    private var askedName = ""

    /// Connecting goes on in `process`. `call` gets each method call of the object, `named` the name once it is ours.
    init(
        _ library: BusLibrary, call: @escaping (BusMessage) -> Void, named: @escaping (String) -> Void
    ) throws(BusFailure) {
        self.library = library
        self.call = call
        self.named = named
        var bus: OpaquePointer?
        _ = try BusMessage.check(library.functions.open_user(&bus), "sd_bus_open_user")
        guard let bus else { throw BusFailure(call: "sd_bus_open_user", code: -ENOMEM) }
        self.bus = bus
        _ = functions.set_exit_on_disconnect(bus, 0)
        let added = functions.add_object(
            bus, nil, Self.object,
            { message, context, _ in
                guard let message, let context else { return 0 }
                return Unmanaged<BusConnection>.fromOpaque(context).takeUnretainedValue().received(message)
            }, Unmanaged.passUnretained(self).toOpaque())
        _ = try BusMessage.check(added, "sd_bus_add_object")
        try requestName()
    }

    /// Drops the name and whatever is queued: waiting for a bus that hangs would be no use to anybody.
    deinit { _ = functions.close_unref(bus) }

    private func received(_ message: OpaquePointer) -> Int32 {
        let message = BusMessage(sharing: message, library)
        guard message.isCall else { return 0 }
        call(message)
        return 1
    }

    private func requestName() throws(BusFailure) {
        guard !names.isEmpty else { throw BusFailure(call: "RequestName", code: -EEXIST) }
        askedName = names.removeFirst()
        let code = functions.request_name_async(
            bus, nil, askedName, 0,
            { message, context, _ in
                guard let message, let context else { return 0 }
                return Unmanaged<BusConnection>.fromOpaque(context).takeUnretainedValue().nameAnswered(message)
            }, Unmanaged.passUnretained(self).toOpaque())
        _ = try BusMessage.check(code, "sd_bus_request_name_async")
    }

    private func nameAnswered(_ message: OpaquePointer) -> Int32 {
        var answer: UInt32 = 0
        guard functions.message_is_method_error(message, nil) == 0,
            functions.message_read_basic(message, CChar(bitPattern: UInt8(ascii: "u")), &answer) > 0
        else { return -EPROTO }
        // DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER, ..._ALREADY_OWNER
        if answer == 1 || answer == 4 {
            named(askedName)
            return 1
        }
        do throws(BusFailure) {
            try requestName()
            return 1
        } catch {
            return error.code
        }
    }

    // MARK: The bus's own turn

    var descriptor: Int32 { functions.get_fd(bus) }

    /// poll(2)'s events that it waits for.
    func events() throws(BusFailure) -> Int16 {
        Int16(truncatingIfNeeded: try BusMessage.check(functions.get_events(bus), "sd_bus_get_events"))
    }

    /// When `process` is due though nothing comes; nil when never.
    var deadline: MonotonicTime? {
        var microseconds: UInt64 = 0
        guard functions.get_timeout(bus, &microseconds) > 0, microseconds < UInt64(Int64.max) / 1000 else { return nil }
        return MonotonicTime(nanoseconds: Int64(microseconds) * 1000)
    }

    /// Does all that can be done without waiting; throws when the connection is lost.
    func process() throws(BusFailure) {
        while try BusMessage.check(functions.process(bus, nil), "sd_bus_process") > 0 {}
    }

    // MARK: Sending

    func send(_ signal: BusSignal) throws(BusFailure) {
        var pointer: OpaquePointer?
        let code = functions.message_new_signal(bus, &pointer, Self.object, signal.interface, signal.member)
        try send(pointer, code, signal.body)
    }

    /// `.command` is answered when the player has answered.
    func answer(_ call: BusMessage, _ values: [BusValue]) throws(BusFailure) {
        guard call.wantsReply else { return }
        var pointer: OpaquePointer?
        let code = functions.message_new_method_return(call.pointer, &pointer)
        try send(pointer, code, values)
    }

    func answer(_ call: BusMessage, variant: BusValue) throws(BusFailure) {
        guard call.wantsReply else { return }
        var pointer: OpaquePointer?
        _ = try BusMessage.check(functions.message_new_method_return(call.pointer, &pointer), "new_method_return")
        guard let pointer else { return }
        let message = BusMessage(owning: pointer, library)
        try message.appendVariant(variant)
        _ = try BusMessage.check(functions.send(bus, message.pointer, nil), "sd_bus_send")
    }

    func answer(_ call: BusMessage, _ error: BusError) throws(BusFailure) {
        guard call.wantsReply else { return }
        var pointer: OpaquePointer?
        let code = error.name.withCString { name in
            error.message.withCString { text in
                var details = sd_bus_error(name: name, message: text, _need_free: 0)
                return functions.message_new_method_error(call.pointer, &pointer, &details)
            }
        }
        try send(pointer, code, [])
    }

    private func send(_ pointer: OpaquePointer?, _ code: Int32, _ values: [BusValue]) throws(BusFailure) {
        _ = try BusMessage.check(code, "new message")
        guard let pointer else { return }
        let message = BusMessage(owning: pointer, library)
        try message.append(values)
        _ = try BusMessage.check(functions.send(bus, message.pointer, nil), "sd_bus_send")
    }
}
