// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
@testable import LoadedLibraries
@testable import Media
@testable import Mpg123Decoding
import Playback
@testable import RemoteAPI
import Service
@testable import Store
import Testing

/// Text from outside must cost time in proportion to its length. In a run of flags, each step by `Character` from the end walks
/// back to the run's beginning: 60 kB took over 2 s, 1 MB an hour. Each comparison sorts marks that are out of order.
@Suite struct HostileTextTests {
    private static let bytes = 64 << 10

    static let texts: [String] = [
        "\u{1F1E6}", "\u{301}", "\u{301}\u{323}", "\u{1F468}\u{200D}", "\r\n",
    ].map { "e" + String(repeating: $0, count: bytes / $0.utf8.count) }

    static let entrances: [(String, @Sendable (String) -> Void)] = [
        ("address", { _ = WebAddress("http://" + $0.streamSafe) }),
        ("credentials", { _ = WebAddress("http://\($0.streamSafe)@host:80/" + $0.streamSafe) }),
        ("path of an address", { _ = WebAddress("http://host/" + $0.streamSafe)?.name }),
        (
            "Location",
            { text in
                let address = WebAddress("http://host/a/b")
                for start in ["http://", "//", "/", "?", ""] { _ = address?.redirected(to: start + text) }
            }
        ),
        (
            "head",
            { text in
                // The size of the largest head.
                let line = Array(
                    "Location: http://\(String(text.unicodeScalars.prefix(15_000)))\r\n".utf8.prefix(65_000))
                for _ in 0..<4 {
                    var reader = HeadReader()
                    _ = line.withUnsafeBytes { reader.take($0) }
                }
            }
        ),
        ("M3U", { _ = TextLists.m3u(decode("#EXTM3U\n#EXTINF:1,\($0)\n#EXTALB:\($0)\nhttp://" + $0)) }),
        ("PLS", { _ = TextLists.pls(decode("[playlist]\nTitle1=\($0)\nFile1=http://" + $0)) }),
        ("form of a list", { _ = MediaListFormat(Array($0.utf8), isNamedList: true) }),
        (
            "entry of a list",
            { text in
                for base in [ListBase.folder(["a"]), .directory(["a"])] { _ = base.resolve("http://" + text) }
                _ = WebAddress("http://host/a").map { ListBase.web($0).resolve("http://" + text) }
            }
        ),
        (
            "HLS",
            { text in
                guard let base = WebAddress("http://host/a") else { return }
                for tag in [
                    "KEY:METHOD=AES-128,URI=", "MAP:URI=", "STREAM-INF:CODECS=", "MEDIA:TYPE=AUDIO,GROUP-ID=a,URI=",
                ] {
                    let playlist =
                        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-\(tag)\"\(text)\"\n#EXTINF:1,\(text)\nhttp://\(text)\n"
                    _ = Result { try HLSParser.parse(Array(playlist.utf8), at: base, reach: .anywhere) }
                }
                _ = HLSReference("http://" + text, from: HLSBase(base, reach: .anywhere)).address
            }
        ),
        ("title of a station", { _ = IcyMetadata.shown($0) }),
        ("tag", { _ = TagText([3] + Array($0.utf8))?.string() }),
        ("genre", { _ = CatalogueRecord.Tags.genres($0.streamSafe) }),
        ("name of a file", { _ = CatalogueRecord.Tags.stem($0.streamSafe) }),
        ("search", { _ = SearchText.folded($0.streamSafe) }),
        ("lyrics", { _ = Lyrics("[00:01.00]\($0)\n[offset:\($0)]\n<00:01.00>\($0)".streamSafe) }),
        ("shown address", { _ = PublicURI.text("http://\($0)/a?token=\($0)".streamSafe) }),
        ("id of a recording", { _ = RecordedFormat(id: $0.streamSafe) }),
        ("host", { _ = NetworkZone(host: $0.streamSafe) }),
    ]

    @Test(arguments: 0..<entrances.count, 0..<texts.count)
    func costsTimeInProportionToItsLength(_ entrance: Int, _ text: Int) {
        let (name, enter) = Self.entrances[entrance]
        let start = Self.processorTime
        enter(Self.texts[text])
        let seconds = Self.processorTime - start
        #expect(seconds < 1, "\(name)")
    }

    private static func decode(_ text: String) -> String { ListText.decode(Array(text.utf8)) }

    @Test func marksBeyondThirtyInARowAreLeftOut() {
        let marks = String(repeating: "\u{301}\u{323}", count: 20)
        #expect(("e" + marks + "f\u{301}").streamSafe.unicodeScalars.count == 33)
        #expect("e\u{301}é\u{323}".streamSafe.utf8.elementsEqual("e\u{301}é\u{323}".utf8))
    }

    /// References longer than any address are not parsed.
    @Test func longReferencesAreRefused() {
        let base = WebAddress("http://host/a")
        #expect(base?.redirected(to: String(repeating: "b", count: 4_096)) != nil)
        #expect(base?.redirected(to: String(repeating: "b", count: 4_097)) == nil)
        #expect(base.flatMap { ListBase.web($0).resolve("http://" + String(repeating: "b", count: 4_090)) } == nil)
        #expect(HLSReference.isFetched(String(repeating: "b", count: 4_096)))
        #expect(!HLSReference.isFetched(String(repeating: "b", count: 4_097)))
    }

    /// The processor time of this thread.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
