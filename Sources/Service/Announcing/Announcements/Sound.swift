// SPDX-License-Identifier: Apache-2.0

public import Kernel
internal import Playback

/// One or several media that are heard as one sound, and how loud it is.
public struct Sound: Hashable, Sendable {
    public static let maximumParts = 8

    /// As of an item of the queue.
    public var uri: String
    /// Amplitude 0...1; nil: the music's.
    public var volume: Double?
    /// Heard before `uri`.
    public var chime: String?
    /// Heard after `uri`, in order.
    public var following: [String] = []
    /// Of the requests to its servers.
    public var headers: [String: String] = [:]
    public var reach = NetworkReach.anywhere
    /// Seconds until it must be heard, and that it may be silent in between; nil: by where it comes from.
    public var timeout: Double?

    public init(uri: String, volume: Double? = nil) {
        self.uri = uri
        self.volume = volume
    }

    /// In the order in which they are heard.
    public var media: [String] { (chime.map { [$0] } ?? []) + [uri] + following }

    /// Comes over a network, in part at least.
    var isRemote: Bool { media.contains(where: MediaLocator.isNetwork) }

    /// What does not begin, or does not go on, within so many seconds has failed.
    public var patience: Double { timeout ?? (isRemote ? SoundProgress.remotePatience : SoundProgress.patience) }
}
