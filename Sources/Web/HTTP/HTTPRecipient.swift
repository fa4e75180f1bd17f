// SPDX-License-Identifier: Apache-2.0

/// Who waits for an answer. Owned here so that work that takes long can end when nobody wants it any more, without
/// knowing sockets. Any thread; never blocks.
public protocol HTTPRecipient: AnyObject, Sendable {
    /// The connection is closed from the other end, or the answer has been given. A client that closes only its sending
    /// half counts as gone: the two look the same before something is sent.
    var isGone: Bool { get }
}
