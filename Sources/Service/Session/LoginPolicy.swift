// SPDX-License-Identifier: Apache-2.0

/// Somebody who is logged in at a screen of this machine.
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

/// Makes of what the login manager reports what the audio session has to know. Pure.
///
/// The screen counts as locked when each one is that this server's user sits at; where he sits at none, as with a service
/// that runs for nobody in particular, when all are. A machine without anybody at a screen is not locked. Beside a desktop
/// a text console does not count: nothing locks it, so that one forgotten login would keep the machine open for ever.
public struct LoginPolicy: Sendable {
    public enum Report: Hashable, Sendable {
        /// All that have a screen.
        case sessions([LoginSession])
        /// The desktop reports its screen locked, or not.
        case hint(id: String, isLocked: Bool)
        /// Somebody asks for the screen to be locked or unlocked. Not every desktop reports afterwards that it was done.
        case asked(id: String, isLocked: Bool)
        case asleep(Bool)
        /// The login manager, or the way to it, is gone.
        case lost
    }

    private struct Screen {
        var user: UInt32
        var isGraphical: Bool
        var hint: Bool
        /// Asked for since the last hint.
        var asked: Bool?
        var isLocked: Bool { asked ?? hint }
    }

    private let user: UInt32
    private var screens: [String: Screen] = [:]
    private var isLocked = false
    private var isAsleep = false

    /// - Parameter user: the number of the user that the server runs as.
    public init(user: UInt32) { self.user = user }

    /// Only changes are reported.
    public mutating func receive(_ report: Report) -> [MachineNotice] {
        switch report {
        case .sessions(let sessions): replaceScreens(sessions)
        case .hint(let id, let isLocked):
            screens[id]?.hint = isLocked
            screens[id]?.asked = nil
        case .asked(let id, let isLocked): screens[id]?.asked = isLocked
        case .asleep(let asleep): return sleepChanged(asleep)
        // The report that it woke will not come: rather music than silence for ever. Screens stay as they were seen.
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
