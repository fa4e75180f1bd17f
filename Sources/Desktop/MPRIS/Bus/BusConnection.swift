// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc
import Kernel

/// One connection to the session bus, with the player's object on it. Belongs to one thread.
final class BusConnection: BusClient {
    static let name = "org.mpris.MediaPlayer2.tonearm"
    static let object = "/org/mpris/MediaPlayer2"

    let bus: Bus
    private var library: BusLibrary { bus.library }
    private var pointer: OpaquePointer { bus.pointer }
    private var functions: csystemd_bus { library.functions.pointee }
    private let call: (BusMessage) -> Void
    private let named: (String) -> Void
    /// The second name is for another server on the same bus, as the MPRIS specification requires.
    private var names = [BusConnection.name, BusConnection.name + ".instance\(getpid())"]
    private var requestedName = ""

    /// `call` receives each method call of the object, `named` the acquired name.
    init(
        _ library: BusLibrary, call: @escaping (BusMessage) -> Void, named: @escaping (String) -> Void
    ) throws(BusFailure) {
        self.call = call
        self.named = named
        bus = try Bus(.session, library)
        let added = functions.add_object(
            pointer, nil, Self.object,
            { message, context, _ in
                guard let message, let context else { return 0 }
                return Unmanaged<BusConnection>.fromOpaque(context).takeUnretainedValue().received(message)
            }, Unmanaged.passUnretained(self).toOpaque())
        try BusFailure.check(added, "sd_bus_add_object")
        try requestName()
    }

    private func received(_ message: OpaquePointer) -> Int32 {
        let message = BusMessage(sharing: message, library)
        guard message.isCall else { return 0 }
        call(message)
        return 1
    }

    private func requestName() throws(BusFailure) {
        guard !names.isEmpty else { throw BusFailure(call: "RequestName", code: -EEXIST) }
        requestedName = names.removeFirst()
        let code = functions.request_name_async(
            pointer, nil, requestedName, 0,
            { message, context, _ in
                guard let message, let context else { return 0 }
                return Unmanaged<BusConnection>.fromOpaque(context).takeUnretainedValue().nameAnswered(message)
            }, Unmanaged.passUnretained(self).toOpaque())
        try BusFailure.check(code, "sd_bus_request_name_async")
    }

    private func nameAnswered(_ message: OpaquePointer) -> Int32 {
        var answer: UInt32 = 0
        guard functions.message_is_method_error(message, nil) == 0,
            functions.message_read_basic(message, CChar(bitPattern: UInt8(ascii: "u")), &answer) > 0
        else { return -EPROTO }
        // DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER, ..._ALREADY_OWNER
        if answer == 1 || answer == 4 {
            named(requestedName)
            return 1
        }
        do throws(BusFailure) {
            try requestName()
            return 1
        } catch {
            return error.code
        }
    }

    // MARK: Sending

    func send(_ signal: BusSignal) throws(BusFailure) {
        var made: OpaquePointer?
        let code = functions.message_new_signal(pointer, &made, Self.object, signal.interface, signal.member)
        try send(made, code, signal.body)
    }

    func answer(_ call: BusMessage, _ values: [BusValue]) throws(BusFailure) {
        guard call.wantsReply else { return }
        var made: OpaquePointer?
        let code = functions.message_new_method_return(call.pointer, &made)
        try send(made, code, values)
    }

    func answer(_ call: BusMessage, _ error: BusError) throws(BusFailure) {
        guard call.wantsReply else { return }
        var made: OpaquePointer?
        let code = error.name.withCString { name in
            error.message.withCString { text in
                var details = sd_bus_error(name: name, message: text, _need_free: 0)
                return functions.message_new_method_error(call.pointer, &made, &details)
            }
        }
        try send(made, code, [])
    }

    private func send(_ pointer: OpaquePointer?, _ code: Int32, _ values: [BusValue]) throws(BusFailure) {
        try BusFailure.check(code, "new message")
        guard let pointer else { return }
        let message = BusMessage(owning: pointer, library)
        try message.append(values)
        try bus.send(message)
    }
}
