// SPDX-License-Identifier: Apache-2.0

/// Genres by number: ID3v1's 80 (ID3v2.3, appendix A) and those that Winamp added.
enum GenreList {
    static func name(_ number: Int) -> String? { names.indices.contains(number) ? names[number] : nil }

    /// Expands genre frames: "17", "(17)", "(17)Rock", "(4)(RX)", "((Foo)"; several values separated by "; ".
    static func expand(_ text: String) -> String {
        var parts: [String] = []
        for value in text.split(separator: ";").map({ $0.drop { $0 == " " } }) {
            var rest = value
            while rest.first == "(", !rest.hasPrefix("(("), let end = rest.firstIndex(of: ")") {
                let reference = rest[rest.index(after: rest.startIndex)..<end]
                guard let name = resolve(reference) else { break }
                parts.append(name)
                rest = rest[rest.index(after: end)...]
            }
            if rest.hasPrefix("((") { rest = rest.dropFirst() }
            if !rest.isEmpty { parts.append(resolve(rest) ?? String(rest)) }
        }
        var seen: Set<String> = []
        return parts.filter { seen.insert($0).inserted }.joined(separator: "; ")
    }

    private static func resolve(_ reference: Substring) -> String? {
        switch reference {
        case "RX": "Remix"
        case "CR": "Cover"
        default: reference.allSatisfy(\.isNumber) ? Int(reference).flatMap(name) : nil
        }
    }

    private static let names = [
        "Blues", "Classic Rock", "Country", "Dance", "Disco", "Funk", "Grunge", "Hip-Hop", "Jazz", "Metal",
        "New Age", "Oldies", "Other", "Pop", "R&B", "Rap", "Reggae", "Rock", "Techno", "Industrial", "Alternative",
        "Ska", "Death Metal", "Pranks", "Soundtrack", "Euro-Techno", "Ambient", "Trip-Hop", "Vocal", "Jazz+Funk",
        "Fusion", "Trance", "Classical", "Instrumental", "Acid", "House", "Game", "Sound Clip", "Gospel", "Noise",
        "Alternative Rock", "Bass", "Soul", "Punk", "Space", "Meditative", "Instrumental Pop", "Instrumental Rock",
        "Ethnic", "Gothic", "Darkwave", "Techno-Industrial", "Electronic", "Pop-Folk", "Eurodance", "Dream",
        "Southern Rock", "Comedy", "Cult", "Gangsta", "Top 40", "Christian Rap", "Pop/Funk", "Jungle",
        "Native American", "Cabaret", "New Wave", "Psychedelic", "Rave", "Showtunes", "Trailer", "Lo-Fi", "Tribal",
        "Acid Punk", "Acid Jazz", "Polka", "Retro", "Musical", "Rock & Roll", "Hard Rock", "Folk", "Folk-Rock",
        "National Folk", "Swing", "Fast Fusion", "Bebop", "Latin", "Revival", "Celtic", "Bluegrass", "Avantgarde",
        "Gothic Rock", "Progressive Rock", "Psychedelic Rock", "Symphonic Rock", "Slow Rock", "Big Band", "Chorus",
        "Easy Listening", "Acoustic", "Humour", "Speech", "Chanson", "Opera", "Chamber Music", "Sonata", "Symphony",
        "Booty Bass", "Primus", "Porn Groove", "Satire", "Slow Jam", "Club", "Tango", "Samba", "Folklore", "Ballad",
        "Power Ballad", "Rhythmic Soul", "Freestyle", "Duet", "Punk Rock", "Drum Solo", "A Cappella", "Euro-House",
        "Dance Hall", "Goa", "Drum & Bass", "Club-House", "Hardcore", "Terror", "Indie", "BritPop", "Afro-Punk",
        "Polsk Punk", "Beat", "Christian Gangsta Rap", "Heavy Metal", "Black Metal", "Crossover",
        "Contemporary Christian", "Christian Rock", "Merengue", "Salsa", "Thrash Metal", "Anime", "JPop", "Synthpop",
    ]
}
