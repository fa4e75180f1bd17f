// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization

/// An event of this server. The new state is readable before its event is published.
public enum ServerEvent: Sendable {
    /// Published one at a time and in order, from any thread.
    case player(PlayerEvent, of: String)
    case players(PlayerChange, HostedPlayer)
    case announcement(AnnouncementChange, of: String)
    /// Saving of the player's stream.
    case stream(StreamRecordingStatus, of: String)
    case recorder(Recorder.Event)
    case session(SessionStatus)
    case library(LibraryStatus)
    case cache(CacheStatus)
    /// The timers of this player have changed (`Timers`).
    case timers(of: String)
    /// The render jobs of this player have changed (`Renders`).
    case renders(of: String)
}

/// A player is added or removed.
public enum PlayerChange: Sendable {
    /// Its paths exist from now on.
    case admitted
    case added
    /// Its paths no longer exist; its last events follow.
    case dismissed
    case removed
}

/// Publishes every event of the server to any number of observers. Any thread.
public final class EventBus: Sendable {
    /// Called on the publisher's thread; it must not block.
    public typealias Observer = @Sendable (ServerEvent) -> Void

    /// In a struct, because access to a bare closure in an array wraps it each time.
    private struct Entry {
        var observe: Observer
    }

    private let observers = Mutex<[Entry]>([])

    public init() {}

    /// Adds an observer, which gets all later events.
    public func observe(_ observer: @escaping Observer) {
        observers.withLock { $0.append(Entry(observe: observer)) }
    }

    public func publish(_ event: ServerEvent) {
        for observer in observers.withLock({ $0 }) { observer.observe(event) }
    }
}
