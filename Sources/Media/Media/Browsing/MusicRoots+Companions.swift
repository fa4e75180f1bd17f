// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
public import Playback

/// Files beside a media file: its folder's picture, its lyrics.
extension MusicRoots {
    /// Bytes; larger ones are passed over.
    private static let largestPicture: Int64 = 16 << 20
    private static let largestText: Int64 = 1 << 20
    /// The best first.
    private static let pictureNames = ["cover", "folder", "front", "albumart", "album"]
    private static let pictureTypes: Set<String> = ["jpg", "jpeg", "png", "webp", "gif"]

    /// The picture of the folder in which `uri` lies, by its name; nil without one. Blocks on the file system.
    public func folderPicture(beside uri: String) throws(MediaError) -> [UInt8]? {
        guard let best = try pictureName(beside: uri) else { return nil }
        return try content(best, atMost: Self.largestPicture)
    }

    /// The files beside the media, without reading it. Blocks on the file system.
    func companions(of uri: String, needsPicture: Bool) -> MediaDescription.Companions {
        var companions = MediaDescription.Companions()
        if let name = Self.name(beside: uri, extension: "lrc") {
            companions.hasLyrics = file(name, atMost: Self.largestText) != nil
        }
        do throws(MediaError) {
            if needsPicture, let best = try pictureName(beside: uri) {
                companions.hasPicture = file(best, atMost: Self.largestPicture) != nil
            }
        } catch {
            // The folder may be passed through and not be read: whoever asks for the picture gets none either.
            companions.hasPicture = false
        }
        return companions
    }

    private func pictureName(beside uri: String) throws(MediaError) -> String? {
        guard let folder = Self.folder(of: uri) else { return nil }
        var best: (rank: Int, name: [UInt8], path: MusicPath)?
        for directory in try FolderWalk.directories(folder, in: self) {
            let path = directory.path
            let reader = try DirectoryReader(directory.take())
            while let (name, kind) = try reader.next() {
                guard kind != .directory, let rank = Self.rank(name), rank < best?.rank ?? .max else { continue }
                best = (rank, name, path)
            }
            if best != nil { break }
        }
        return best.map { FolderWalk.uri($0.path.components + [$0.name]) }
    }

    /// The text of the file that has the name of `uri` with another extension; nil without one. UTF-8 or UTF-16; other
    /// encodings are taken for Latin-1.
    public func text(beside uri: String, extension suffix: String) throws(MediaError) -> String? {
        guard let name = Self.name(beside: uri, extension: suffix),
            let bytes = try content(name, atMost: Self.largestText)
        else { return nil }
        if let text = ListText.utf16(bytes) { return text.streamSafe }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        return String(validating: text, as: UTF8.self)?.streamSafe
            ?? String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) }))
    }

    /// nil when there is no such file, or a larger one.
    private func content(_ uri: String, atMost limit: Int64) throws(MediaError) -> [UInt8]? {
        guard let source = file(uri, atMost: limit), let size = source.size else { return nil }
        return try source.bytes(at: 0, count: Int(size.bytes))
    }

    private func file(_ uri: String, atMost limit: Int64) -> FileSource? {
        do throws(MediaError) {
            let source = try openFile(uri)
            return source.size.map { $0.bytes <= limit } == true ? source : nil
        } catch {
            // It is a companion: what cannot be opened is as good as not there.
            return nil
        }
    }

    /// nil for what is not a path in the roots, or has no extension.
    private static func name(beside uri: String, extension suffix: String) -> String? {
        guard folder(of: uri) != nil, let dot = uri.utf8.lastIndex(of: UInt8(ascii: ".")),
            uri[dot...].contains("/") == false
        else {
            return nil
        }
        return uri[..<dot] + "." + suffix
    }

    /// nil for what is not a path in the roots.
    private static func folder(of uri: String) -> String? {
        do throws(MediaError) {
            guard try !MusicPath(uri: uri).isAbsolute else { return nil }
        } catch {
            // Network addresses and the like have no folder.
            return nil
        }
        return uri.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(uri[..<$0]) } ?? ""
    }

    /// Whether a file of that name may be its folder's picture.
    static func isPictureName(_ name: [UInt8]) -> Bool { rank(name) != nil }

    private static func rank(_ name: [UInt8]) -> Int? {
        // Asked of every name in folders of thousands: the last bytes decide for most.
        guard let mark = name.suffix(5).lastIndex(of: UInt8(ascii: ".")),
            pictureTypes.contains(String(decoding: name[(mark + 1)...], as: UTF8.self).lowercased())
        else { return nil }
        let stem = MusicPath.display(Array(name[..<mark])).lowercased()
        return pictureNames.firstIndex { stem == $0 } ?? pictureNames.firstIndex { stem.contains($0) }.map { $0 + 10 }
    }
}
