// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization

/// Something that happened in this server. The state that shows it is readable before.
public enum ServerEvent: Sendable {
    /// On the player's thread, in order.
    case player(PlayerEvent, of: String)
    case players(PlayerChange, HostedPlayer)
    case announcement(AnnouncementChange, of: String)
    /// Of saving the player's stream.
    case stream(StreamRecordingStatus, of: String)
    case recorder(Recorder.Event)
    case session(SessionStatus)
    case library(LibraryStatus)
    case cache(CacheStatus)
    /// What `Timers` lists of this player has changed.
    case timers(of: String)
    /// What `Renders` lists of this player has changed.
    case renders(of: String)
}

/// A player comes or goes.
public enum PlayerChange: Sendable {
    /// Its paths answer from here on.
    case admitted
    case added
    /// Its paths answer no more; its last events follow.
    case dismissed
    case removed
}

/// Brings every event of the server to any number of observers. Usable from any thread.
public final class EventBus: Sendable {
    /// Called on the publisher's thread; it must not block.
    public typealias Observer = @Sendable (ServerEvent) -> Void

    /// In a struct, because a closure that is an element by itself is wrapped once more by every access to it.
    private struct Entry {
        var observe: Observer
    }

    private let observers = Mutex<[Entry]>([])

    public init() {}

    /// From now on the observer gets all events.
    public func observe(_ observer: @escaping Observer) {
        observers.withLock { $0.append(Entry(observe: observer)) }
    }

    public func publish(_ event: ServerEvent) {
        for observer in observers.withLock({ $0 }) { observer.observe(event) }
    }
}
