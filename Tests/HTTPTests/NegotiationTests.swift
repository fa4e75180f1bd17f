// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

@Suite struct NegotiationTests {
    let json = MediaType("application", "json")
    let events = MediaType("text", "event-stream")

    @Test func prefersByWeightThenOrder_RFC9110_12_5_1() {
        let offers = [json, events]
        #expect(MediaType.preferred(among: offers, accept: nil) == json)
        #expect(MediaType.preferred(among: offers, accept: "*/*") == json)
        #expect(MediaType.preferred(among: offers, accept: "text/event-stream") == events)
        #expect(MediaType.preferred(among: offers, accept: "text/*;q=0.5, application/json;q=0.4") == events)
        #expect(MediaType.preferred(among: offers, accept: "*/*, application/json;q=0") == events)
        #expect(MediaType.preferred(among: offers, accept: "image/png") == nil)
    }

    @Test func acceptsCodings_RFC9110_12_5_3() {
        #expect(ContentCoding.accepts("gzip", acceptEncoding: "deflate, GZIP;q=0.5"))
        #expect(ContentCoding.accepts("gzip", acceptEncoding: "*"))
        #expect(!ContentCoding.accepts("gzip", acceptEncoding: "gzip;q=0, *"))
        #expect(!ContentCoding.accepts("gzip", acceptEncoding: "br"))
        #expect(!ContentCoding.accepts("gzip", acceptEncoding: nil))
        #expect(!ContentCoding.accepts("gzip", acceptEncoding: "gzip;q=nan"))
    }
}
