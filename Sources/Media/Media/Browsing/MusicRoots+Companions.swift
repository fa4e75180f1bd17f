// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
public import Playback

/// Files beside a media file: its folder's picture, its lyrics.
extension MusicRoots {
    /// Bytes; larger files are ignored.
    private static let largestPicture: Int64 = 16 << 20
    private static let largestText: Int64 = 1 << 20
    /// Best first.
    private static let pictureNames = ["cover", "folder", "front", "albumart", "album"]
    private static let pictureTypes: Set<String> = ["jpg", "jpeg", "png", "webp", "gif"]

    /// The picture of the folder that contains `uri`, found by file name; nil without one. Blocks on the file system.
    public func folderPicture(beside uri: String) throws(MediaError) -> [UInt8]? {
        guard let best = try pictureName(beside: uri) else { return nil }
        return try content(best, atMost: Self.largestPicture)
    }

    /// The companions of a media file, without reading them. Blocks on the file system.
    func companions(of uri: String, needsPicture: Bool) -> MediaDescription.Companions {
        var companions = MediaDescription.Companions()
        companions.hasLyrics = Self.lyricsNames(beside: uri).contains { file($0, atMost: Self.largestText) != nil }
        do throws(MediaError) {
            if needsPicture, let best = try pictureName(beside: uri) {
                companions.hasPicture = file(best, atMost: Self.largestPicture) != nil
            }
        } catch {
            // The folder is searchable but not readable: a request for the picture would fail as well.
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
                guard kind != .directory, let rank = Self.pictureRank(name), rank < best?.rank ?? .max else { continue }
                best = (rank, name, path)
            }
            if best != nil { break }
        }
        return best.map { FolderWalk.uri($0.path.components + [$0.name]) }
    }

    /// The text of the file with the name of `uri` and the extension of lyrics; nil without one. UTF-8, UTF-16 or an older encoding.
    public func lyrics(beside uri: String) throws(MediaError) -> String? {
        for name in Self.lyricsNames(beside: uri) {
            guard let bytes = try content(name, atMost: Self.largestText) else { continue }
            if let text = ListText.utf16(bytes) { return text.streamSafe }
            let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
            return String(foreign: text).streamSafe
        }
        return nil
    }

    /// nil if the file does not exist or is larger.
    private func content(_ uri: String, atMost limit: Int64) throws(MediaError) -> [UInt8]? {
        guard let source = file(uri, atMost: limit), let size = source.size else { return nil }
        return try source.bytes(at: 0, count: Int(size.bytes))
    }

    private func file(_ uri: String, atMost limit: Int64) -> FileSource? {
        do throws(MediaError) {
            let source = try openFile(uri)
            return source.size.map { $0.bytes <= limit } == true ? source : nil
        } catch {
            // A companion that cannot be opened counts as missing.
            return nil
        }
    }

    /// In the spellings that programs write; empty if `uri` is not a path in the roots or has no extension.
    private static func lyricsNames(beside uri: String) -> [String] {
        guard folder(of: uri) != nil, let dot = uri.utf8.lastIndex(of: UInt8(ascii: ".")),
            uri[dot...].contains("/") == false
        else { return [] }
        return [".lrc", ".LRC"].map { "\(uri[..<dot])\($0)" }
    }

    /// nil if `uri` is not a path in the roots.
    private static func folder(of uri: String) -> String? {
        do throws(MediaError) {
            guard try !MusicPath(uri: uri).isAbsolute else { return nil }
        } catch {
            // Web addresses and the like have no folder.
            return nil
        }
        return uri.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(uri[..<$0]) } ?? ""
    }

    /// The lowest is the folder's picture; nil for a file that cannot be one.
    static func pictureRank(_ name: [UInt8]) -> Int? {
        // Fast for large folders: the last bytes decide for most names.
        guard let mark = name.suffix(5).lastIndex(of: UInt8(ascii: ".")),
            pictureTypes.contains(String(decoding: name[(mark + 1)...], as: UTF8.self).lowercased())
        else { return nil }
        let stem = MusicPath.display(Array(name[..<mark])).lowercased()
        return pictureNames.firstIndex { stem == $0 } ?? pictureNames.firstIndex { stem.contains($0) }.map { $0 + 10 }
    }
}
