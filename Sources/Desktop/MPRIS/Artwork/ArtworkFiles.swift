// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Glibc
import Playback
import Service
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
    private let media: any MediaAccess
    private let found: @Sendable (ItemID, String?) -> Void
    private let worker = SupervisedWorker("mpris-artwork", seconds: nil)
    /// Of the newest request.
    private let underWay = Mutex<MediaCancellation?>(nil)
    /// Those in the directory; nil before the first request, when it may hold those of another run.
    private let files = Mutex<[String]?>(nil)

    /// `found` comes for each request, from the thread (or at once, where there can be none); nil for no picture, or one that cannot be shown or saved.
    init(directory: String, media: any MediaAccess, found: @escaping @Sendable (ItemID, String?) -> Void) {
        self.directory = directory
        self.media = media
        self.found = found
    }

    /// Takes the place of the one before, which is not waited for.
    func request(_ request: Request) {
        cancel()
        let cancellation = MediaCancellation()
        underWay.withLock { $0 = cancellation }
        if !worker.submit({ [self] in find(request, cancellation) }) { found(request.item, nil) }
    }

    /// What is on its way is of no interest any more.
    func cancel() { underWay.withLock { $0.take() }?.cancel() }

    /// Does not wait: a picture may be on a disk that hangs.
    func stop() {
        cancel()
        worker.beginStop()
    }

    private func find(_ request: Request, _ cancellation: MediaCancellation) {
        // Only the last one is still of interest.
        if cancellation.isCancelled { return }
        var files = files.withLock { $0 }
        if files == nil { removeAll(but: []) }
        let path = picture(request, cancellation).flatMap(save)
        if let path, !cancellation.isCancelled {
            files = ((files ?? []).filter { $0 != path } + [path]).suffix(Self.kept)
            removeAll(but: files ?? [])
        }
        self.files.withLock { [files] in $0 = files ?? [] }
        if !cancellation.isCancelled { found(request.item, path.map(FileURL.text)) }
    }

    private func picture(_ request: Request, _ cancellation: MediaCancellation) -> [UInt8]? {
        if let address = request.address {
            // What cannot be had is as if it had not been named.
            do throws(MediaError) { return try media.picture(at: address, cancellation: cancellation) } catch {}
        }
        if let picture = request.picture { return picture.bytes }
        do { return try media.folderPicture(request.locator) } catch { return nil }
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
