// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

@Suite struct QueueOrderTests {
    @Test func next_endsOrWraps_byRepeat() throws {
        var fixture = try QueueFixture("ab", current: "b")
        #expect(fixture.queue.next(.init(repeats: .off), using: &fixture.random) == nil)
        #expect(fixture.letter(fixture.queue.next(.init(repeats: .one), using: &fixture.random)) == "a")
        #expect(fixture.letter(fixture.queue.successor(.init(repeats: .one), using: &fixture.random)) == "b")
        #expect(fixture.letter(fixture.queue.successor(.init(repeats: .all), using: &fixture.random)) == "a")
    }

    @Test func previous_endsOrWraps_byRepeat() throws {
        var fixture = try QueueFixture("abc", current: "b")
        #expect(fixture.goBack() == "a")
        #expect(fixture.goBack() == nil)
        #expect(fixture.goBack(.init(repeats: .all)) == "c")
    }

    @Test func next_continuesAfterTheGap_andPreviousBeforeIt_whenTheCurrentItemWasRemoved() throws {
        var fixture = try QueueFixture("abcde", current: "c")
        try fixture.apply(.remove([fixture.id("a"), fixture.id("c")]))
        #expect(fixture.queue.current == nil)
        #expect(fixture.letter(fixture.queue.next(.init(), using: &fixture.random)) == "d")
        #expect(fixture.letter(fixture.queue.previous(.init())) == "b")
        try fixture.apply(.insert(drafts("x"), at: .index(0)))
        try fixture.apply(.move([fixture.id("e")], to: 0))
        #expect(fixture.letter(fixture.queue.previous(.init())) == "b")
        #expect(fixture.advance() == "d")
    }

    @Test func next_isNil_whenTheLastItemWasRemovedWhileCurrent() throws {
        var fixture = try QueueFixture("ab", current: "b")
        try fixture.apply(.remove([fixture.id("b")]))
        #expect(fixture.queue.next(.init(), using: &fixture.random) == nil)
        #expect(fixture.queue.successor(.init(repeats: .one), using: &fixture.random) == fixture.id("a"))
    }

    @Test func emptyQueue_hasNoNeighbours() throws {
        var fixture = try QueueFixture()
        for shuffle in [false, true] {
            let order = Queue.Order(repeats: .all, shuffle: shuffle)
            #expect(fixture.queue.next(order, using: &fixture.random) == nil)
            #expect(fixture.queue.previous(order) == nil)
        }
    }
}
