// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Glibc
public import Playback
internal import Synchronization

/// Puts pictures where the desktop can load them: as files in a directory of our own, named by their content so that a
/// new picture has a new address. A thread of its own, as folders may be on a disk that hangs.
final class ArtworkFiles: Sendable {
    /// The one that is shown, and the one before, which a desktop may be loading at this moment.
    private static let kept = 2

    struct Request: Sendable {
        var item: ItemID
        /// The one that the client named, at a web address.
        var address: MediaLocator?
        var locator: MediaLocator
        /// The one in the tags.
        var picture: MediaDescription.Picture?
    }

    private let directory: String
    private let pictures: MPRISPictures
    private let found: @Sendable (ItemID, String?) -> Void
    private let requests = Mailbox<(Request, MediaCancellation)?>()
    /// Of the newest request.
    private let underWay = Mutex<MediaCancellation?>(nil)
    private let thread = Mutex<NamedThread?>(nil)

    /// `found` comes for each request, from the thread (or at once, where there can be none); nil for no picture, or one that cannot be shown or saved.
    init(
        directory: String, pictures: MPRISPictures, found: @escaping @Sendable (ItemID, String?) -> Void
    ) {
        self.directory = directory
        self.pictures = pictures
        self.found = found
    }

    /// Takes the place of the one before, which is not waited for.
    func request(_ request: Request) {
        cancel()
        let cancellation = MediaCancellation()
        underWay.withLock { $0 = cancellation }
        let isRunning = thread.withLock { thread in
            if thread == nil { thread = NamedThread(ifPossible: "mpris-artwork") { [self] in run() } }
            return thread != nil
        }
        guard isRunning else { return found(request.item, nil) }
        requests.post((request, cancellation))
    }

    /// What is on its way is of no interest any more.
    func cancel() {
        underWay.withLock { underWay in
            defer { underWay = nil }
            return underWay
        }?.cancel()
    }

    /// Does not wait: a picture may be on a disk that hangs.
    func stop() {
        cancel()
        _ = requests.close()
        thread.withLock { thread in
            thread?.detach()
            thread = nil
        }
    }

    private func run() {
        removeAll(but: [])
        var files: [String] = []
        while true {
            let waiting = requests.take(until: nil)
            // Only the last one is still of interest.
            guard let newest = waiting.last, let (request, cancellation) = newest else { return }
            let path = picture(request, cancellation).flatMap(save)
            if cancellation.isCancelled { continue }
            if let path {
                files.removeAll { $0 == path }
                files.append(path)
                if files.count > Self.kept {
                    files.removeFirst(files.count - Self.kept)
                    removeAll(but: files)
                }
            }
            found(request.item, path.map(FileURL.text))
        }
    }

    private func picture(_ request: Request, _ cancellation: MediaCancellation) -> [UInt8]? {
        if let address = request.address {
            // What cannot be had is as if it had not been named.
            do throws(MediaError) { return try pictures.web(address, cancellation) } catch {}
        }
        if let picture = request.picture { return picture.bytes }
        do { return try pictures.folder(request.locator) } catch { return nil }
    }

    /// Whole or not at all, readable by this user only.
    private func save(_ bytes: [UInt8]) -> String? {
        // Only what desktops show.
        guard let format = PictureFormat(bytes), [.jpeg, .png, .gif, .webp].contains(format),
            mkdir(directory, 0o700) == 0 || errno == EEXIST
        else { return nil }
        let path = "\(directory)/\(String(StableHash(of: bytes).value, radix: 36)).\(format.fileExtension)"
        if access(path, R_OK) == 0 { return path }
        do throws(WholeFile.Failure) {
            try WholeFile.write(bytes, to: path, survives: false)
            return path
        } catch {
            return nil
        }
    }

    private func removeAll(but kept: [String]) {
        guard let listing = opendir(directory) else { return }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let path = "\(directory)/\(name)"
            if name != ".", name != "..", !kept.contains(path) { unlink(path) }
        }
    }
}

/// Where pictures come from that are not in the tags. Both may block.
public struct MPRISPictures: Sendable {
    /// The one at a web address.
    public var web: @Sendable (MediaLocator, MediaCancellation) throws(MediaError) -> [UInt8]
    /// The one in a media's folder; nil without one.
    public var folder: @Sendable (MediaLocator) throws(MediaError) -> [UInt8]?

    public init(
        web: @escaping @Sendable (MediaLocator, MediaCancellation) throws(MediaError) -> [UInt8],
        folder: @escaping @Sendable (MediaLocator) throws(MediaError) -> [UInt8]?
    ) {
        self.web = web
        self.folder = folder
    }
}
