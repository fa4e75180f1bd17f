// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

/// What a client wants to hear, how often the time, and how often and how finely what is measured.
struct Subscription: Hashable {
    static let shortestInterval = 1.0 / 60
    static let longestInterval = 60.0
    static let defaultInterval = 1.0
    static let shortestLevelsInterval = 1.0 / 30
    static let longestLevelsInterval = 1.0
    static let possibleBands = [32, 64]

    var selection = EventSelection.usual
    /// Seconds.
    var interval = Self.defaultInterval
    /// Seconds between `levels` events, and between `spectrum` events.
    var levelsInterval = 0.1
    /// Of `spectrum`.
    var bands = Self.possibleBands[0]

    mutating func apply(_ change: SubscriptionChange) throws(Problem) {
        if let events = change.events { selection = EventSelection(try Self.names(events)) }
        // 1/60 and 1/30 cannot be written exactly in decimals: a little less counts as them.
        if let seconds = change.interval {
            guard seconds >= 0.016, seconds <= Self.longestInterval else {
                throw .invalid("interval", "interval must be a number of seconds in 1/60...60.")
            }
            interval = max(seconds, Self.shortestInterval)
        }
        if let seconds = change.levelsInterval {
            guard seconds >= 0.033, seconds <= Self.longestLevelsInterval else {
                throw .invalid("levelsInterval", "levelsInterval must be a number of seconds in 1/30...1.")
            }
            levelsInterval = max(seconds, Self.shortestLevelsInterval)
        }
        if let number = change.bands {
            guard Self.possibleBands.contains(number) else { throw .invalid("bands", "bands must be 32 or 64.") }
            bands = number
        }
    }

    private static func names(_ texts: [String]) throws(Problem) -> [EventName] {
        var names: [EventName] = []
        for text in texts {
            guard let name = EventName(rawValue: text) else {
                let known = EventName.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalid("events", "\(text.prefix(40)) is not an event; there are: \(known).")
            }
            names.append(name)
        }
        return names
    }
}

/// What a client wants to change, not checked yet; what is nil stays.
struct SubscriptionChange {
    var events: [String]?
    var interval: Double?
    var levelsInterval: Double?
    var bands: Int?
}

extension SubscriptionChange {
    /// From `?events=time,status&interval=0.25`. What is no number is out of every range.
    init(_ query: Query) throws(Problem) {
        events = try query.text("events")?.split(separator: ",").map(String.init)
        interval = try query.text("interval").map { Double($0) ?? .nan }
        levelsInterval = try query.text("levelsInterval").map { Double($0) ?? .nan }
        bands = try query.text("bands").map { Int($0) ?? 0 }
    }
}

/// `EPOCH:SEQ`: where a returning client left off.
struct ResumePoint: Hashable {
    var epoch: String
    var sequence: UInt64

    /// One, or several of different players behind commas.
    static func list(_ text: String) throws(Problem) -> [ResumePoint] {
        var points: [ResumePoint] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            points.append(try ResumePoint(String(part)))
        }
        return points
    }

    private init(_ text: String) throws(Problem) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let sequence = UInt64(parts[1]) else {
            throw .invalid("since", "since must be EPOCH:SEQ, from hello and the last event.")
        }
        epoch = String(parts[0])
        self.sequence = sequence
    }
}

/// All that a request for the event channel asks.
struct EventRequest {
    static let parameters = ["events", "interval", "levelsInterval", "bands", "since", "players"]

    var subscription = Subscription()
    /// Where the client left off, of each player whose events it got; empty for a new client.
    var resumes: [ResumePoint] = []
    /// Not the events of one player, but those of every player.
    var isOfAll = false

    init(_ request: HTTPRequest) throws(Problem) {
        let query = Query(request)
        try query.check(Self.parameters)
        try subscription.apply(SubscriptionChange(query))
        // A browser's EventSource reconnects to the first URL, with the id of the last event it got.
        if let text = request.headers["Last-Event-ID"], !text.isEmpty {
            resumes = try ResumePoint.list(text)
        } else if let text = try query.text("since") {
            resumes = try ResumePoint.list(text)
        }
        if let text = try query.text("players") {
            guard text == "all" else { throw .invalid("players", "players must be all.") }
            isOfAll = true
        }
    }
}
