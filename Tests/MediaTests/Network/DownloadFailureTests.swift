// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import Media

@Suite struct DownloadFailureTests {
    private func failure(_ rig: inout DownloadRig) -> MediaError? {
        do throws(MediaError) { _ = try rig.read(at: rig.download.place) } catch { return error }
        return nil
    }

    @Test(arguments: [
        (401, MediaError.Code.forbidden), (403, .forbidden), (404, .notFound), (410, .notFound), (400, .network),
        (204, .network), (304, .network),
    ])
    func anErrorStatusFails(status: Int, code: MediaError.Code) {
        var rig = DownloadRig()
        rig.head(status)
        #expect(failure(&rig)?.code == code)
        #expect(failure(&rig)?.message.contains("a.mp3") == true)
        #expect(rig.transfer == nil)
    }

    @Test(arguments: ["text/html; charset=utf-8", "application/json", "image/png", "multipart/byteranges; boundary=x"])
    func contentTypesThatAreNotAudioAreRefused(type: String) {
        var rig = DownloadRig()
        rig.head(206, [("Content-Type", type), ("Content-Range", "bytes 0-9/10")])
        #expect(failure(&rig)?.code == .unsupported)
    }

    @Test func aContentCodingIsRefused() {
        var rig = DownloadRig()
        rig.head(200, [("Content-Encoding", "gzip"), ("Content-Length", "100")])
        #expect(failure(&rig)?.code == .unsupported)
    }

    @Test(arguments: [
        "bytes 5-99/100", "bytes 0-100/100", "bytes x-9/10", "items 0-9/10", "bytes 0-9",
        "bytes 0-99999999999999999999/*",
    ])
    func anotherRangeThanRequestedIsRefused(range: String) {
        var rig = DownloadRig()
        rig.head(206, [("Content-Range", range)])
        #expect(failure(&rig)?.code == .network)
    }

    @Test func byteRangeBeyondTheFile_isNamed() {
        var rig = DownloadRig(piece: NetworkPiece(range: 5_000..<6_000))
        rig.head(416, [("Content-Range", "bytes */1000")])
        let error = failure(&rig)
        #expect(error?.code == .notFound)
        #expect(
            error?.message
                == "origin.example/a.mp3: the server has only 1000 bytes; the requested range begins at byte 5000.")
    }

    @Test func aBodyWithoutBytesIsEmpty() {
        for head in [(200, [("Content-Length", "0")]), (416, [("Content-Range", "bytes */0")]), (416, [])] {
            var rig = DownloadRig()
            rig.head(head.0, head.1)
            #expect(failure(&rig)?.code == .empty)
        }
        var rig = DownloadRig()
        rig.head(200)
        rig.end()
        #expect(failure(&rig)?.code == .empty)
    }

    @Test func retryAfterIsHonoured_withinTheLimit() {
        var rig = DownloadRig()
        rig.head(503, [("Retry-After", "7")])
        rig.pass(6.9)
        #expect(rig.transfer == nil)
        rig.pass(0.2)
        #expect(rig.transfer != nil)
        rig.head(503, [("Retry-After", "3600")])
        #expect(failure(&rig)?.code == .network)
        #expect(failure(&rig)?.message.contains("503") == true)
    }

    @Test func aSilentServerIsRetried_untilTheStartTimeout() {
        var rig = DownloadRig()
        rig.pass(14.9)
        #expect(rig.requests.count == 1)
        rig.pass(2)
        #expect(rig.requests.count == 2)
        rig.pass(12)
        #expect(failure(&rig) == nil)
        rig.pass(0.2)
        #expect(failure(&rig)?.message.contains("29 s") == true)
        #expect(rig.transfer == nil)
    }

    @Test func aStalledBodyIsRequestedAgain() {
        var rig = DownloadRig(of: 100_000, sent: 5_000)
        rig.pass(16.1)
        #expect(rig.range == "bytes=5000-")
    }

    @Test func aPermanentFailureIsNotRetried() {
        var rig = DownloadRig()
        rig.end(.permanent("The certificate of origin.example cannot be trusted: expired."))
        rig.pass(10)
        #expect(rig.requests.count == 1)
        #expect(failure(&rig)?.code == .network)
    }

    // MARK: Redirects

    @Test func fieldsGoToTheirOwnHostOnly() {
        let fields = [TransferHeader("Authorization", "Bearer s3cret"), TransferHeader("Range", "bytes=1-2")]
        var rig = DownloadRig(fields: fields)
        #expect(rig.field("Authorization") == "Bearer s3cret")
        #expect(rig.requests[0].headers.filter { $0.name == "Range" }.map(\.value) == ["bytes=0-"])
        rig.head(302, [("Location", "https://origin.example/b.mp3")])
        #expect(rig.field("Authorization") == "Bearer s3cret", "its own TLS port")
        rig.head(302, [("Location", "//elsewhere.example/c.mp3")])
        #expect(rig.requests[2].address.url == "https://elsewhere.example/c.mp3")
        #expect(rig.field("Authorization") == nil)
        #expect(rig.range == "bytes=0-")
        rig.head(302, [("Location", "https://origin.example:8443/d.mp3")])
        #expect(rig.field("Authorization") == nil, "another port is another server")
    }

    @Test func httpsNeverLeadsToHttp() {
        var rig = DownloadRig(WebAddress("https://origin.example/a.mp3")!)
        rig.head(301, [("Location", "http://origin.example/a.mp3")])
        #expect(failure(&rig)?.message == "origin.example/a.mp3 redirects from https to http; refused.")
        #expect(rig.requests.count == 1)
    }

    @Test func anotherServer_isNamedAfterARedirect() {
        var rig = DownloadRig()
        rig.head(302, [("Location", "https://cdn.example/b.mp3")])
        rig.head(302, [("Location", "ftp://cdn.example/b.mp3")])
        #expect(failure(&rig)?.message == "origin.example/a.mp3: cdn.example redirects to an invalid address.")
    }

    @Test func aLoopOfRedirectsEnds() {
        var rig = DownloadRig()
        for _ in 0..<20 { rig.head(302, [("Location", "/music/a.mp3")]) }
        #expect(rig.requests.count == 6)
        #expect(failure(&rig)?.code == .network)
    }

    @Test(arguments: ["ftp://origin.example/a", "file:///etc/passwd", "http://", ""])
    func redirectsToOtherSchemesAreRefused(location: String) {
        var rig = DownloadRig()
        rig.head(302, [("Location", location)])
        #expect(failure(&rig)?.code == .network)
        #expect(rig.requests.count == 1)
    }

    @Test func partsUseTheRedirectedAddress_butARetryUsesTheOriginalOne() throws {
        var rig = DownloadRig()
        rig.head(302, [("Location", "https://cdn.example/x?signature=1")])
        rig.part(from: 0, of: 4_000_000)
        rig.send(0..<10_000)
        #expect(try rig.read(at: 3_000_000) == nil)
        #expect(rig.requests.last?.address.host == "cdn.example")
        rig.drop()
        rig.pass(1.01)
        #expect(rig.requests.last?.address.host == "origin.example")
    }
}
