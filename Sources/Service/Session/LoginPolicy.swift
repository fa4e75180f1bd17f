// SPDX-License-Identifier: Apache-2.0

/// A user who is logged in at a screen of this machine.
public struct LoginSession: Hashable, Sendable {
    public var id: String
    public var user: UInt32
    /// The desktop's report of its screen (`LockedHint`).
    public var isLocked: Bool
    /// A desktop; not a login at a text console.
    public var isGraphical: Bool

    public init(id: String, user: UInt32, isLocked: Bool, isGraphical: Bool = true) {
        self.id = id
        self.user = user
        self.isLocked = isLocked
        self.isGraphical = isGraphical
    }
}

/// Events of the machine that concern its players.
public enum MachineNotice: Hashable, Sendable {
    case locked(Bool)
    /// It is about to sleep, or awake again.
    case asleep(Bool)
}

/// Derives events for the audio session from the login manager's reports. Pure.
///
/// The screen counts as locked when all sessions of the server's user are locked; if that user has none (a system
/// service), when all sessions are. A machine without sessions is not locked. If there is a desktop, text consoles do
/// not count: nothing locks them, and a forgotten login would keep the machine unlocked.
public struct LoginPolicy: Sendable {
    public enum Report: Hashable, Sendable {
        /// All sessions with a screen.
        case sessions([LoginSession])
        /// The desktop's report of its lock.
        case hint(id: String, isLocked: Bool)
        /// A request to lock or unlock the screen. Not every desktop reports the result.
        case asked(id: String, isLocked: Bool)
        case asleep(Bool)
        /// The login manager, or the connection to it, is lost.
        case lost
    }

    private struct Screen {
        var user: UInt32
        var isGraphical: Bool
        var hint: Bool
        /// The request since the last report of the desktop.
        var asked: Bool?
        var isLocked: Bool { asked ?? hint }
    }

    private let user: UInt32
    private var screens: [String: Screen] = [:]
    private var isLocked = false
    private var isAsleep = false

    /// - Parameter user: the user id of the server.
    public init(user: UInt32) { self.user = user }

    /// Returns only changes.
    public mutating func receive(_ report: Report) -> [MachineNotice] {
        switch report {
        case .sessions(let sessions): replaceScreens(sessions)
        case .hint(let id, let isLocked):
            screens[id]?.hint = isLocked
            screens[id]?.asked = nil
        case .asked(let id, let isLocked): screens[id]?.asked = isLocked
        case .asleep(let asleep): return sleepChanged(asleep)
        // The report of waking up will not come: music is better than endless silence. The locks stay as last reported.
        case .lost: return sleepChanged(false)
        }
        return lockChanged()
    }

    private mutating func replaceScreens(_ sessions: [LoginSession]) {
        var new: [String: Screen] = [:]
        for session in sessions {
            let old = screens[session.id]
            let asked = old?.hint == session.isLocked ? old?.asked : nil
            new[session.id] = Screen(
                user: session.user, isGraphical: session.isGraphical, hint: session.isLocked, asked: asked)
        }
        screens = new
    }

    private mutating func lockChanged() -> [MachineNotice] {
        let own = screens.values.filter { $0.user == user }
        let all = own.isEmpty ? Array(screens.values) : own
        let desktops = all.filter(\.isGraphical)
        let counting = desktops.isEmpty ? all : desktops
        let locked = !counting.isEmpty && counting.allSatisfy(\.isLocked)
        guard locked != isLocked else { return [] }
        isLocked = locked
        return [.locked(locked)]
    }

    private mutating func sleepChanged(_ asleep: Bool) -> [MachineNotice] {
        guard asleep != isAsleep else { return [] }
        isAsleep = asleep
        return [.asleep(asleep)]
    }
}
