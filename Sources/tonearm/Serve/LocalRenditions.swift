// SPDX-License-Identifier: Apache-2.0

import Kernel
import Media
import Playback
import Service
import Synchronization

/// Pictures and waveforms of files that can be played. Nothing is fetched from a network for them.
final class LocalRenditions: MediaRenditions {
    private let roots: MusicRoots
    private let opener: any MediaOpener
    private let workers: MediaWorkers
    /// Up to 1 MB of them: some hundred songs.
    private let waveforms = Mutex(RecentlyUsed<FileVersion, WaveformMeter>(capacity: 1 << 20))

    /// Up to 8 MB of them.
    private let thumbnails = Mutex(RecentlyUsed<Frame, VideoThumbnail>(capacity: 8 << 20))

    private struct Frame: Hashable {
        var file: FileVersion
        var seconds: Double
        var edge: Int
    }

    private struct FileVersion: Hashable {
        var uri: String
        var stamp: FileStamp
    }

    init(roots: MusicRoots, opener: any MediaOpener, workers: MediaWorkers) {
        self.roots = roots
        self.opener = opener
        self.workers = workers
    }

    func thumbnail(_ locator: MediaLocator, at seconds: Double, edge: Int) throws(MediaError) -> VideoThumbnail? {
        let version = FileVersion(uri: locator.uri, stamp: try roots.stamp(of: locator.uri))
        let frame = Frame(file: version, seconds: seconds, edge: edge)
        if let known = thumbnails.withLock({ $0[frame] }) { return known }
        let source = try roots.openFile(locator.uri)
        guard let made = try workers.thumbnail(of: source, at: seconds, edge: edge) else { return nil }
        let thumbnail = VideoThumbnail(time: made.time, jpeg: made.jpeg)
        thumbnails.withLock { $0.insert(thumbnail, for: frame, size: thumbnail.jpeg.count) }
        return thumbnail
    }

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
