// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

@Suite struct NegotiationTests {
    @Test func acceptsMediaTypes_RFC9110_12_5_1() {
        func accepts(_ accept: String?) -> Bool { Negotiation.accepts("text/event-stream", accept: accept) }
        #expect(accepts(nil) && accepts(" ") && accepts("*/*") && accepts("TEXT/Event-Stream;v=1"))
        #expect(accepts("text/*;q=0.5, application/json") && accepts("*/*;q=0, text/*") && !accepts("image/png"))
        #expect(!accepts("*/*, text/event-stream;q=0") && !accepts("text/*;q=0, */*"))
    }

    @Test func acceptsCodings_RFC9110_12_5_3() {
        #expect(Negotiation.accepts(coding: "gzip", acceptEncoding: "deflate, GZIP;q=0.5"))
        #expect(Negotiation.accepts(coding: "gzip", acceptEncoding: "*"))
        #expect(!Negotiation.accepts(coding: "gzip", acceptEncoding: "gzip;q=0, *"))
        #expect(!Negotiation.accepts(coding: "gzip", acceptEncoding: "br"))
        #expect(!Negotiation.accepts(coding: "gzip", acceptEncoding: nil))
        #expect(!Negotiation.accepts(coding: "gzip", acceptEncoding: "gzip;q=nan"))
    }
}
