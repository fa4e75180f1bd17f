// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

/// The events that a client subscribes to, the interval of `time`, and interval and resolution of measured events.
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
    /// For `spectrum`.
    var bands = Self.possibleBands[0]

    mutating func apply(_ change: SubscriptionChange) throws(Problem) {
        if let events = change.events { selection = EventSelection(try Self.names(events)) }
        // 1/60 and 1/30 have no exact decimals: slightly smaller values count as them.
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
        try texts.map { text throws(Problem) in
            if let name = EventName(rawValue: text) { return name }
            let known = EventName.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("events", "\(text.prefix(40)) is not an event; there are: \(known).")
        }
    }
}

/// A requested change, unchecked; nil leaves a member unchanged.
struct SubscriptionChange {
    var events: [String]?
    var interval: Double?
    var levelsInterval: Double?
    var bands: Int?
}

extension SubscriptionChange {
    /// From `?events=time,status&interval=0.25`. A value that is not a number counts as out of range.
    init(_ query: Query) throws(Problem) {
        events = try query.text("events")?.split(separator: ",").map(String.init)
        interval = try query.number("interval")
        levelsInterval = try query.number("levelsInterval")
        bands = try query.number("bands").map { Int(exactly: $0) ?? 0 }
    }
}

/// `EPOCH:SEQ`: the last event of a returning client.
struct ResumePoint: Hashable {
    var epoch: String
    var sequence: UInt64

    /// A single point, or several of different players, separated by commas.
    static func list(_ text: String) throws(Problem) -> [ResumePoint] {
        try text.split(separator: ",", omittingEmptySubsequences: false)
            .map { part throws(Problem) in try ResumePoint(part) }
    }

    private init(_ text: Substring) throws(Problem) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[1].first?.isWholeNumber == true,
            let sequence = UInt64(parts[1])
        else {
            throw .invalid("since", "since must be EPOCH:SEQ, from hello and the last event.")
        }
        epoch = String(parts[0])
        self.sequence = sequence
    }
}

struct EventRequest {
    static let parameters = ["events", "interval", "levelsInterval", "bands", "since", "players"]

    var subscription = Subscription()
    /// Resume points of the players whose events the client got; empty for a new client.
    var resumes: [ResumePoint] = []
    /// The client wants the events of every player.
    var isOfAll = false

    init(_ request: HTTPRequest) throws(Problem) {
        let query = Query(request)
        try query.check(Self.parameters)
        try subscription.apply(SubscriptionChange(query))
        // A browser's EventSource reconnects to its first URL, with the id of the last event.
        let lastID = request.headers["Last-Event-ID"].flatMap { $0.isEmpty ? nil : $0 }
        let since = try query.text("since")
        if let text = lastID ?? since { resumes = try ResumePoint.list(text) }
        if let text = try query.text("players") {
            guard text == "all" else { throw .invalid("players", "players must be all.") }
            isOfAll = true
        }
    }
}
