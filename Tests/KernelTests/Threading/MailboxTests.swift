// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
import KernelTesting
import Testing

@Suite struct MailboxTests {
    private func isReadable(_ mailbox: Mailbox<Int>) -> Bool {
        var descriptors = [pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)]
        return poll(&descriptors, 1, 0) == 1
    }

    @Test func descriptor_isReadableWhileMessagesWait() {
        let mailbox = Mailbox<Int>(descriptorFor: "test")
        #expect(!isReadable(mailbox))
        mailbox.post(1)
        mailbox.post(2)
        #expect(isReadable(mailbox))
        #expect(mailbox.take() == [1, 2])
        #expect(!isReadable(mailbox))
        mailbox.post(3)
        #expect(isReadable(mailbox))
        #expect(mailbox.take() == [3])
        mailbox.ring()
        #expect(isReadable(mailbox))
        #expect(mailbox.take().isEmpty)
        #expect(!isReadable(mailbox))
    }

    @Test func aMessageEqualToAWaitingOne_isLeftOut() {
        let mailbox = Mailbox<Int>()
        mailbox.post(1)
        mailbox.post(2) { $0 > 5 }
        mailbox.post(7) { $0 > 5 }
        mailbox.post(8) { $0 > 5 }
        #expect(mailbox.take() == [1, 2, 7])
    }

    @Test func aClosedMailbox_refuses() {
        let mailbox = Mailbox<Int>(descriptorFor: "test")
        mailbox.post(1)
        #expect(mailbox.close() == [1])
        #expect(!mailbox.post(2))
    }

    @Test func aSender_servesInsteadOfTheOwner_whichSleepsOn() {
        let mailbox = Mailbox<Int>()
        mailbox.beginFirstTurn()
        let turns = Mailbox<[Int]>()
        let owner = NamedThread("owner") {
            while true {
                let messages = mailbox.nextTurn(until: nil)
                turns.post(messages)
                if messages.contains(0) { return }
            }
        }
        var served: [[Int]] = []
        func serve(_ messages: [Int]) -> Bool {
            served.append(messages)
            return false
        }
        // Messages wait until the owner has ended its first turn.
        #expect(
            eventually {
                mailbox.post(7, orServe: serve)
                return !served.isEmpty
            })
        mailbox.post(
            1,
            orServe: {
                guard !serve($0), $0 == [1] else { return false }
                // Messages that are posted this way meanwhile are served too, in order.
                let other = NamedThread("other") {
                    mailbox.post(2, orServe: { _ in false })
                    mailbox.post(3, orServe: { _ in false })
                }
                other.join()
                return false
            })
        #expect(Array(served.suffix(2)) == [[1], [2, 3]])
        let before = turns.take().flatMap { $0 }
        #expect(Set(before).isSubset(of: [7]), "the owner was woken")
        mailbox.post(
            5,
            orServe: {
                #expect($0 == [5])
                mailbox.post(0)
                mailbox.post(6, orServe: { _ in false })
                return false
            })
        #expect(turns.take(1) == [[0, 6]], "once the owner is due, it gets all messages")
        owner.join()
    }

    @Test func theOwner_wakesUp_whenItsDeadlineHasChanged() {
        let mailbox = Mailbox<Int>()
        mailbox.beginFirstTurn()
        let woken = Mailbox<Void>()
        let owner = NamedThread("owner") {
            while !mailbox.nextTurn(until: nil).isEmpty {}
            woken.post(())
        }
        var isServed = false
        #expect(
            eventually {
                mailbox.post(
                    1,
                    orServe: { _ in
                        isServed = true
                        return true
                    })
                return isServed
            })
        #expect(woken.take(1).count == 1)
        owner.join()
    }

    @Test func theOwner_getsATurnAtTheDeadline_andAfterASender() {
        let mailbox = Mailbox<Int>()
        mailbox.beginFirstTurn()
        #expect(mailbox.nextTurn(until: .now) == [])
        mailbox.post(1, orServe: { _ in false })
        #expect(mailbox.nextTurn(until: nil) == [1])
        #expect(mailbox.close().isEmpty)
        #expect(!mailbox.post(2, orServe: { _ in false }))
    }
}
