// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
public import Playback

/// What lies beside a media file: its folder's picture, its lyrics.
extension MusicRoots {
    /// Bytes; larger ones are passed over.
    private static let largestPicture: Int64 = 16 << 20
    private static let largestText: Int64 = 1 << 20
    /// The best first.
    private static let pictureNames = ["cover", "folder", "front", "albumart", "album"]
    private static let pictureTypes: Set<String> = ["jpg", "jpeg", "png", "webp", "gif"]

    /// The picture of the folder in which `uri` lies, by its name; nil without one. Blocks on the file system.
    public func folderPicture(beside uri: String) throws(MediaError) -> [UInt8]? {
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
        guard let best else { return nil }
        return try content(FolderWalk.uri(best.path.components + [best.name]), atMost: Self.largestPicture)
    }

    /// The text of the file that has the name of `uri` with another extension; nil without one. UTF-8 or UTF-16; other
    /// encodings are taken for Latin-1.
    public func text(beside uri: String, extension suffix: String) throws(MediaError) -> String? {
        guard Self.folder(of: uri) != nil, let dot = uri.lastIndex(of: "."), uri[dot...].contains("/") == false else {
            return nil
        }
        guard let bytes = try content(uri[...dot] + suffix, atMost: Self.largestText) else { return nil }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            let isLittle = bytes[0] == 0xFF
            let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
                isLittle
                    ? UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
                    : UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
            }
            return String(decoding: units, as: UTF16.self)
        }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        return String(validating: text, as: UTF8.self)
            ?? String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) }))
    }

    /// nil when there is no such file, or a larger one.
    private func content(_ uri: some StringProtocol, atMost limit: Int64) throws(MediaError) -> [UInt8]? {
        let source: FileSource
        do throws(MediaError) {
            source = try openFile(String(uri))
        } catch {
            // It is a companion: what cannot be opened is as good as not there.
            return nil
        }
        guard let size = source.size, size <= limit else { return nil }
        return try source.bytes(at: 0, count: Int(size))
    }

    /// nil for what is not a path in the roots.
    private static func folder(of uri: String) -> String? {
        do throws(MediaError) {
            guard try !MusicPath(uri: uri).isAbsolute else { return nil }
        } catch {
            // Network addresses and the like have no folder.
            return nil
        }
        return uri.lastIndex(of: "/").map { String(uri[..<$0]) } ?? ""
    }

    private static func rank(_ name: [UInt8]) -> Int? {
        let text = MusicPath.display(name).lowercased()
        guard let dot = text.lastIndex(of: "."), pictureTypes.contains(String(text[text.index(after: dot)...])) else {
            return nil
        }
        let stem = text[..<dot]
        return pictureNames.firstIndex { stem == $0 } ?? pictureNames.firstIndex { stem.contains($0) }.map { $0 + 10 }
    }
}
