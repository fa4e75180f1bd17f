// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// Fetches over HTTP(S). It decouples the source from the library that speaks the protocol, so that everything that can
/// go wrong on a network can be tested without one.
///
/// Every method may be called from any thread, returns at once, and never calls the receiver before it has returned.
public protocol HTTPTransport: AnyObject, Sendable {
    /// The time base of `call(at:)`.
    var now: MonotonicTime { get }

    /// Starts a GET. Redirects are reported, not followed: who asks decides what may go to another host.
    func start(_ request: TransferRequest, id: TransferID, receiver: any TransferReceiver)

    /// After a receiver has answered `pause`, delivers the same bytes again.
    func resume(_ id: TransferID)

    /// Ends the transfer; a report that is on its way may still come.
    func cancel(_ id: TransferID)

    /// Calls `body` once, on the thread of the receivers, not before `time`.
    func call(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void)
}

/// Names one transfer of one process.
public struct TransferID: Hashable, Sendable {
    public var number: UInt64

    public init(_ number: UInt64) { self.number = number }
}

public struct TransferRequest: Hashable, Sendable {
    public var address: WebAddress
    /// Exactly these, besides what every request needs (Host, User-Agent, Accept).
    public var headers: [TransferHeader] = []
    /// Seconds for name, connection and TLS.
    public var connectLimit = 10.0
    /// Nothing else is connected to, whatever the address resolves to.
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
    /// Of the address that was connected to.
    public var zone: NetworkZone

    public init(status: Int, headers: [TransferHeader] = [], zone: NetworkZone = .public) {
        self.status = status
        self.headers = headers
        self.zone = zone
    }

    /// The first field of that name, whatever its case.
    public subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// Called on the transport's one thread, in order: `head` once, `body` any number of times, `ended` once. Must not block.
public protocol TransferReceiver: AnyObject, Sendable {
    func head(_ head: TransferHead, of id: TransferID)
    func body(_ bytes: UnsafeRawBufferPointer, of id: TransferID) -> TransferVerdict
    /// nil: the whole body has come, by the response's framing.
    func ended(_ failure: TransferFailure?, of id: TransferID)
}

public enum TransferVerdict: Sendable {
    case taken
    /// No room: none of the bytes was taken. The transport stops reading from the network until `resume`.
    case pause
}

/// Cases by reaction; each with a sentence that holds no address beyond the host's name.
public enum TransferFailure: Error, Hashable, Sendable {
    /// Another try may succeed: not reachable, timed out, broken off.
    case transient(String)
    /// Another try will not: TLS that cannot be trusted, an answer that is no HTTP, too many headers.
    case permanent(String)
    /// The address lies outside `TransferRequest.reach`.
    case privateAddress(String)
}
