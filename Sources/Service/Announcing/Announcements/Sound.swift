// SPDX-License-Identifier: Apache-2.0

public import Kernel
internal import Playback

/// Media that play as one sound, with its volume.
public struct Sound: Hashable, Sendable {
    public static let maximumParts = 8

    /// As the `uri` of a queue item.
    public var uri: String
    /// Amplitude 0...1; nil: the music's.
    public var volume: Double?
    /// Plays before `uri`.
    public var chime: String?
    /// Play after `uri`, in order.
    public var following: [String] = []
    /// Header fields of requests to its servers.
    public var headers: [String: String] = [:]
    public var reach = NetworkReach.anywhere
    /// Seconds until it must be heard; also the longest silence in between. nil: depends on its addresses.
    public var timeout: Double?

    /// In playing order.
    public var media: [String] { (chime.map { [$0] } ?? []) + [uri] + following }

    /// A part of it comes over a network.
    var isRemote: Bool { media.contains(where: MediaLocator.isNetwork) }

    /// Seconds without sound after which it has failed.
    public var patience: Double { timeout ?? (isRemote ? SoundProgress.remotePatience : SoundProgress.patience) }
}
