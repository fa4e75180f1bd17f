// SPDX-License-Identifier: Apache-2.0

@testable import Desktop
import Audio
import Playback
import Testing

struct TrackMetadataTests {
    private func metadata(
        _ draft: ItemDraft, prefersTags: Bool = false, duration: Double? = nil, artwork: String? = nil,
        broadcast: Broadcast? = nil, _ tag: (inout MediaDescription.Tags) -> Void = { _ in }
    ) -> [String: BusValue] {
        var media = MediaDescription(format: .init(sampleRate: 44_100, layout: .stereo), duration: nil)
        media.broadcast = broadcast
        tag(&media.tags)
        return TrackMetadata.of(
            QueueItem(id: ItemID(number: 5), draft: draft), media: media, duration: duration, artwork: artwork,
            prefersTags: prefersTags)
    }

    @Test func unknownValues_haveNoKey() {
        #expect(
            metadata(ItemDraft(uri: "a/b/Song.mp3")) == [
                "mpris:trackid": .path("/org/tonearm/track/i5"), "xesam:title": .text("Song"),
            ])
    }

    @Test func everyTag_hasItsNameAndType() {
        let all = metadata(ItemDraft(uri: "https://h/x.mp3"), duration: 1.5, artwork: "file:///a.jpg") {
            $0.title = "T"
            $0.artist = "A"
            $0.album = "L"
            $0.albumArtist = "LA"
            $0.genre = "G"
            $0.date = "1999-05-01T10:00"
            $0.trackNumber = 3
            $0.discNumber = 2
            $0.comment = "C"
        }
        #expect(
            all == [
                "mpris:trackid": .path("/org/tonearm/track/i5"), "mpris:length": .int64(1_500_000),
                "mpris:artUrl": .text("file:///a.jpg"), "xesam:title": .text("T"), "xesam:artist": .texts(["A"]),
                "xesam:album": .text("L"), "xesam:albumArtist": .texts(["LA"]), "xesam:genre": .texts(["G"]),
                "xesam:contentCreated": .text("1999-05-01"), "xesam:trackNumber": .int32(3),
                "xesam:discNumber": .int32(2), "xesam:comment": .texts(["C"]),
                "xesam:url": .text("https://h/x.mp3"),
            ])
    }

    @Test func givenTextsOrTags_takePrecedence() {
        let draft = ItemDraft(uri: "a.mp3", title: "Given", artist: "Given")
        for (prefersTags, title) in [(false, "Given"), (true, "Tagged")] {
            let all = metadata(draft, prefersTags: prefersTags) { $0.title = "Tagged" }
            #expect(all["xesam:title"] == .text(title))
            #expect(all["xesam:artist"] == .texts(["Given"]))
        }
    }

    @Test func aStationsSong_isTheTitle_andTheStationTheArtist() {
        var broadcast = Broadcast()
        func texts(_ draft: ItemDraft, prefersTags: Bool = false) -> [BusValue?] {
            let all = metadata(draft, prefersTags: prefersTags, broadcast: broadcast)
            return [all["xesam:title"], all["xesam:artist"]]
        }
        let draft = ItemDraft(uri: "http://h/stream")
        let named = ItemDraft(uri: "http://h/stream", title: "Mine")
        #expect(texts(draft) == [.text("stream"), nil])
        broadcast.station = "Test FM"
        #expect(texts(draft) == [.text("Test FM"), nil])
        broadcast.programme = Broadcast.Programme(title: "Song")
        #expect(texts(draft) == [.text("Song"), .texts(["Test FM"])])
        #expect(texts(named) == [.text("Song"), .texts(["Mine"])])
        #expect(texts(named, prefersTags: true) == [.text("Song"), .texts(["Test FM"])])
    }

    @Test(arguments: ["https://u:p@h/x.mp3", "https://h/x?token=1", "a.mp3", "file:///music/a.mp3"])
    func addressesWithSecretsAndLocalOnes_areNotShown(_ uri: String) {
        #expect(metadata(ItemDraft(uri: uri))["xesam:url"] == nil)
    }

    @Test(arguments: ["99", "May 1999", "1999-5", ""])
    func datesOfOtherForms_areNotShown(_ date: String) {
        #expect(metadata(ItemDraft(uri: "a.mp3")) { $0.date = date }["xesam:contentCreated"] == nil)
    }
}
