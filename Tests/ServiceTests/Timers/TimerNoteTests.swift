// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Service

@Suite struct TimerNoteTests {
    @Test func theFormatOfSavedTimers_isStable() {
        let alarm = """
            {"recurrence":{"seconds":25200,"days":["mon"]},"items":[{"media":{"_0":{"uri":"a.mp3","beginTime":0,"loops":0,"headers":{},\
            "reach":"anywhere"}}},{"several":{"member":"folder","id":"b"}},{"several":{"member":"list","id":"c","headers":{"X":"1"}}}],\
            "level":0.4,"ramp":30,"snooze":540,"isEnabled":true,"state":"waiting"}
            """
        let kinds = [
            "alarm": alarm, "sleep": #"{"end":{"after":{"_0":60}},"fade":5}"#, "start": #"{"at":1000,"position":2.5}"#,
        ]
        for (name, kind) in kinds {
            let book = TimerNote.book(
                #"{"next":3,"timers":[{"id":{"number":1},"kind":{"\#(name)":{"_0":\#(kind)}},"next":1}]}"#)
            #expect(book.timers.count == 1 && book.nextNumber == 3, "\(name)")
            guard let alarm = book.timers.first?.alarm else { continue }
            let list = TimerItem.several(member: "list", id: "c", headers: ["X": "1"])
            #expect(alarm.items.dropFirst() == [.several(member: "folder", id: "b"), list])
            #expect(TimerNote.book(TimerNote.text(book)).timers == book.timers)
        }
    }

    @Test func aDamagedTimer_doesNotAffectOthers() {
        let late = """
            {"recurrence":{"seconds":86400,"days":[]},"items":[],"level":1,"ramp":0,"snooze":1,"isEnabled":true,"state":"waiting"}
            """
        let kinds = ["", #""alarm":{"_0":\#(late)}"#, #""sleep":{"_0":{"end":{"endOfItem":{}},"fade":0}}"#]
        let timers = kinds.enumerated().map { #"{"id":{"number":\#($0)},"kind":{\#($1)}}"# }
        let book = TimerNote.book(#"{"next":5,"timers":[\#(timers.joined(separator: ","))]}"#)
        #expect(book.nextNumber == 5 && book.timers.map(\.id.number) == [2])
    }

    /// Sums of such numbers would overflow, and end the process at each start.
    @Test(arguments: [Int64.min, -1, .max])
    func aTimerWithANumberOutOfRange_isDamaged(number: Int64) {
        func alarm(snooze: Double = 540, last: Int64 = 0) -> String {
            """
            "alarm":{"_0":{"recurrence":{"seconds":0,"days":[]},"items":[],"level":1,"ramp":0,"snooze":\(snooze),"isEnabled":true,\
            "state":"ringing","last":{"at":\(last)}}}
            """
        }
        let start = #""start":{"_0":{"at":1000}}"#
        for (kind, next) in [
            (start, number), (alarm(), number), (alarm(snooze: Double(number)), 1), (alarm(last: number), 1),
        ] {
            let timer = #"{"id":{"number":1},"kind":{\#(kind)},"next":\#(next)}"#
            #expect(TimerNote.book(#"{"next":2,"timers":[\#(timer)]}"#).timers.isEmpty, "\(timer)")
        }
        let good = #"{"id":{"number":1},"kind":{\#(alarm())},"next":1}"#
        let numbers = [UInt64.max, 3].map { #"{"id":{"number":\#($0)},"kind":{\#(start)},"next":1}"# }
        let book = TimerNote.book(#"{"next":\#(UInt64.max),"timers":[\#((numbers + [good]).joined(separator: ","))]}"#)
        #expect(book.timers.map(\.id.number) == [3, 1] && book.nextNumber == 4)
    }

    @Test(arguments: ["", "{", "{\"next\":1,\"timers\":[{\"id\":1},{\"id\":{\"number\":2},\"kind\":{}}]}"])
    func aDamagedNote_hasNoTimers(text: String) {
        #expect(TimerNote.book(text).timers.isEmpty)
    }
}
