// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
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

    @Test func aMessageThatAnotherStandsFor_isLeftOut() {
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
}
