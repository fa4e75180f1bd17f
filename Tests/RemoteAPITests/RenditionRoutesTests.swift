// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

@Suite struct RenditionRoutesTests {
    let api = APIHarness()

    @Test func thumbnail_hasItsTime_andATag() throws {
        let answer = try api.send("GET", "/api/v1/media/thumbnail?uri=v.mp4&t=13.5&size=100")
        #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/jpeg")
        #expect(answer.headers["X-Actual-Time"] == "13.0")
        let tag = try #require(answer.headers["ETag"])
        let again = try api.send(
            "GET", "/api/v1/media/thumbnail?uri=v.mp4&t=13.5&size=100", headers: ["If-None-Match": tag])
        #expect(again.status == 304 && again.headers["X-Actual-Time"] == "13.0")
    }

    @Test func keptThumbnails_areListed() throws {
        let kept = try #require(try api.send("GET", "/api/v1/media/thumbnails").json()["thumbnails"]?.list?.first)
        let expected: JSONValue = .object([
            "uri": .text("v.mp4"), "t": .number(13.5), "size": .integer(100), "time": .integer(13),
            "bytes": .integer(5),
        ])
        #expect(kept == expected)
    }

    @Test func impossibleThumbnail_isRefusedWithAReason() throws {
        #expect(try api.send("GET", "/api/v1/media/thumbnail?uri=a.mp3").status == 415)
        #expect(try api.send("GET", "/api/v1/media/thumbnail?uri=v.mp4&t=99").code == "behind-the-end")
        for query in [
            "", "?uri=", "?uri=v.mp4&t=-1", "?uri=v.mp4&t=inf", "?uri=v.mp4&t=0x1", "?uri=v.mp4&size=8",
            "?uri=v.mp4&x=1",
        ] {
            #expect(try api.send("GET", "/api/v1/media/thumbnail" + query).status == 422, "\(query)")
        }
    }

    @Test func scaledPicture_isNotScaledAgain_forItsTag() throws {
        let whole = try api.send("GET", "/api/v1/queue/items/i1/artwork")
        let small = try api.send("GET", "/api/v1/queue/items/i1/artwork?size=64")
        #expect(small.status == 200 && small.headers["ETag"] != whole.headers["ETag"])
        let calls = ScriptedRenditions.scalings.load(ordering: .relaxed)
        let tag = try #require(small.headers["ETag"])
        let again = try api.send("GET", "/api/v1/queue/items/i1/artwork?size=64", headers: ["If-None-Match": tag])
        #expect(again.status == 304)
        #expect(ScriptedRenditions.scalings.load(ordering: .relaxed) == calls, "nothing is decoded to say so")
        #expect(try api.send("GET", "/api/v1/queue/items/i1/artwork?size=huge").status == 422)
        #expect(try api.send("GET", "/api/v1/media/artwork?uri=b.mp3&size=64").code == "no-artwork")
    }

    @Test func waveform_hasTheRequestedNumberOfPeaks() throws {
        let waveform = try api.send("GET", "/api/v1/media/waveform?uri=a.mp3&count=3").json()
        #expect(waveform["peaks"]?.list?.count == 3)
        #expect(waveform["duration"] == .integer(10))
        #expect(try api.send("GET", "/api/v1/queue/items/i1/waveform").json()["peaks"]?.list?.count == 800)
        #expect(try api.send("GET", "/api/v1/queue/items/i999/waveform").status == 404)
        #expect(try api.send("GET", "/api/v1/media/waveform?uri=a.mp3&count=4001").status == 422)
        #expect(try api.send("GET", "/api/v1/media/waveform?uri=text.mp3").status == 422)
    }
}
