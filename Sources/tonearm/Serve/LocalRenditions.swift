// SPDX-License-Identifier: Apache-2.0

import Kernel
import Media
import Playback
import Service
import Store
import Synchronization

/// Thumbnails and waveforms of playable files. Never uses the network.
final class LocalRenditions: MediaRenditions {
    private let roots: MusicRoots
    private let opener: any MediaOpener
    private let workers: MediaWorkers
    /// At most 1 MB: some hundred songs.
    private let waveforms = Mutex(RecentlyUsed<FileVersion, WaveformMeter>(capacity: 1 << 20))
    private let folder: ThumbnailFolder

    private struct FileVersion: Hashable {
        var uri: String
        var stamp: FileStamp
    }

    init(roots: MusicRoots, opener: any MediaOpener, workers: MediaWorkers, folder: ThumbnailFolder) {
        self.roots = roots
        self.folder = folder
        self.opener = opener
        self.workers = workers
    }

    func thumbnail(_ locator: MediaLocator, at seconds: Double, edge: Int) throws(MediaError) -> VideoThumbnail? {
        let (uri, stamp) = (locator.uri, try roots.stamp(of: locator.uri))
        if let known = folder.frame(uri, stamp, at: seconds, edge: edge) { return known }
        let source = try roots.openFile(uri)
        guard let made = try workers.thumbnail(of: source, at: seconds, edge: edge) else { return nil }
        let thumbnail = VideoThumbnail(time: made.time, jpeg: made.jpeg)
        folder.keep(thumbnail, of: uri, stamp, at: seconds, edge: edge)
        return thumbnail
    }

    func thumbnails() -> [KeptThumbnail] { folder.list() }

    func scaled(_ picture: [UInt8], edge: Int) throws(MediaError) -> [UInt8] {
        try workers.scaled(picture, edge: edge)
    }

    func waveform(
        _ locator: MediaLocator, count: Int, cancellation: MediaCancellation
    ) throws(MediaError) -> MediaWaveform {
        let version = FileVersion(uri: locator.uri, stamp: try roots.stamp(of: locator.uri))
        let meter: WaveformMeter
        if let known = waveforms.withLock({ $0[version] }) {
            meter = known
        } else {
            meter = try WaveformMeter(
                try opener.open(locator, cancellation: cancellation), cancellation: cancellation)
            waveforms.withLock { $0.insert(meter, for: version, size: meter.size) }
        }
        return MediaWaveform(duration: meter.duration, peaks: meter.peaks(count))
    }
}
