// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Kernel
internal import Glibc
import Playback
import Service
internal import Synchronization

/// Saves pictures for the desktop as files in a directory of our own. The names derive from the content, so that a new picture
/// has a new address. Uses its own thread, as a disk may hang.
final class ArtworkFiles: Sendable {
    /// The current picture, and the previous one, which a desktop may still be loading.
    private static let kept = 2

    struct Request: Sendable {
        var item: ItemID
        /// The web address of the client's picture.
        var address: MediaLocator?
        var locator: MediaLocator
        /// The picture in the tags.
        var picture: MediaDescription.Picture?
    }

    private let directory: String
    private let media: any MediaAccess
    private let found: @Sendable (ItemID, String?) -> Void
    private let worker = SupervisedWorker("mpris-artwork", seconds: nil)
    /// Cancels all requests since the last `cancel`.
    private let underWay = Mutex<MediaCancellation?>(nil)
    /// The cancellation of the requests whose address has failed: the next one of the item does not wait for it again.
    private let failed = Mutex<MediaCancellation?>(nil)
    /// The files in the directory; nil before the first request, when the directory may hold files of an earlier run.
    private let files = Mutex<[String]?>(nil)

    /// `found` is called for each request that is not cancelled, on the thread, or at once if no thread can be started. Its path
    /// is nil if there is no picture, or if it cannot be shown or saved.
    init(directory: String, media: any MediaAccess, found: @escaping @Sendable (ItemID, String?) -> Void) {
        self.directory = directory
        self.media = media
        self.found = found
    }

    /// Runs after the previous request.
    func request(_ request: Request) {
        let cancellation = underWay.withLock { underWay in
            let cancellation = underWay ?? MediaCancellation()
            underWay = cancellation
            return cancellation
        }
        if !worker.submit({ [self] in find(request, cancellation) }) { found(request.item, nil) }
    }

    func cancel() { underWay.withLock { $0.take() }?.cancel() }

    /// Does not wait for the thread: a disk may hang.
    func stop() {
        cancel()
        worker.beginStop()
    }

    private func find(_ request: Request, _ cancellation: MediaCancellation) {
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
        if let address = request.address, failed.withLock({ $0 !== cancellation }) {
            // A picture that cannot be loaded is ignored.
            do throws(MediaError) {
                return try media.picture(at: address, cancellation: cancellation)
            } catch {
                failed.withLock { $0 = cancellation }
            }
        }
        if let picture = request.picture { return picture.bytes }
        do { return try media.folderPicture(request.locator) } catch { return nil }
    }

    private func save(_ bytes: [UInt8]) -> String? {
        // The formats that desktops show.
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
        let names: [String]
        // There is no directory before the first picture.
        do { names = try FileManager.default.contentsOfDirectory(atPath: directory) } catch { return }
        for path in names.map({ "\(directory)/\($0)" }) where !kept.contains(path) { unlink(path) }
    }
}
