// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// Fetches over HTTP(S). The protocol decouples the source from the HTTP library, so that network failures can be tested without a
/// network.
///
/// Any thread may call these methods. They return at once and never call the receiver before they have returned.
public protocol HTTPTransport: AnyObject, Sendable {
    /// The time base of `call(at:)`.
    var now: MonotonicTime { get }

    /// Starts a GET. Redirects are reported, not followed: the caller decides which fields another host may get.
    func start(_ request: TransferRequest, id: TransferID, receiver: any TransferReceiver)

    /// Delivers the refused bytes again, after a receiver has returned `pause`.
    func resume(_ id: TransferID)

    /// Ends the transfer. A report on its way may still arrive.
    func cancel(_ id: TransferID)

    /// Calls `body` once on the receivers' thread, not before `time`.
    func call(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void)
}

/// Identifies a transfer within the process.
public struct TransferID: Hashable, Sendable {
    public var number: UInt64

    public init(_ number: UInt64) { self.number = number }
}

public struct TransferRequest: Hashable, Sendable {
    public var address: WebAddress
    /// Sent in addition to Host, User-Agent and Accept.
    public var headers: [TransferHeader] = []
    /// Timeout in seconds for name lookup, connection and TLS.
    public var connectLimit = 10.0
    /// Addresses outside it are not connected to, whatever the name resolves to.
    public var reach = NetworkReach.anywhere
}

public struct TransferHeader: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Status and header fields of one response.
public struct TransferHead: Hashable, Sendable {
    public var status: Int
    public var headers: [TransferHeader]
    /// Zone of the connected address.
    public var zone: NetworkZone

    public init(status: Int, headers: [TransferHeader] = [], zone: NetworkZone = .public) {
        self.status = status
        self.headers = headers
        self.zone = zone
    }

    /// The first field of that name, ignoring case.
    public subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// Called on the transport's thread, in order: `head` once, `body` any number of times, `ended` once. Must not block.
public protocol TransferReceiver: AnyObject, Sendable {
    func head(_ head: TransferHead, of id: TransferID)
    func body(_ bytes: UnsafeRawBufferPointer, of id: TransferID) -> TransferVerdict
    /// nil: the body is complete by the response's framing.
    func ended(_ failure: TransferFailure?, of id: TransferID)
}

public enum TransferVerdict: Sendable {
    case taken
    /// None of the bytes was taken. The transport stops reading from the network until `resume`.
    case pause
}

/// Cases by the possible reaction. The message names no more of the address than the host.
public enum TransferFailure: Error, Hashable, Sendable {
    /// A retry may succeed: unreachable, timed out, connection lost.
    case transient(String)
    /// A retry cannot succeed: untrusted certificate, not HTTP, too many header fields.
    case permanent(String)
    /// The address lies outside `TransferRequest.reach`.
    case privateAddress(String)
}
