// SPDX-License-Identifier: Apache-2.0

/// Bytes of a media as its time: linear between the audio's first and last byte, which is exact for a constant bit rate.
public struct LoadedMap {
    /// Of the audio; the end is nil while unknown.
    private let start: Int64
    private let bytesPerSecond: Double
    private let duration: Double?

    /// nil when nothing is known to reckon with.
    public init?(_ media: MediaDescription, _ loading: MediaLoading) {
        if let units = loading.unitsPerSecond {
            (start, bytesPerSecond) = (0, units)
            duration = media.duration.map { media.format.seconds($0) }
            return
        }
        let size = loading.size
        start = media.audioBytes?.lowerBound ?? 0
        let duration = media.duration.map { media.format.seconds($0) }
        let end = media.audioBytes?.upperBound ?? size
        if let duration, duration > 0, let end, end > start {
            bytesPerSecond = Double(end - start) / duration
        } else if let bitrate = media.encoding.bitrate, bitrate > 0 {
            bytesPerSecond = Double(bitrate) / 8
        } else {
            return nil
        }
        self.duration = duration
    }

    public func seconds(bytes: Int64) -> Double { Double(bytes) / bytesPerSecond }

    public func loaded(_ loading: MediaLoading) -> LoadedTime {
        func time(_ byte: Int64) -> Double { min(max(0, seconds(bytes: byte - start)), duration ?? .infinity) }
        var loaded = LoadedTime()
        loaded.ranges = loading.ranges.map { time($0.lowerBound)..<time($0.upperBound) }.filter { !$0.isEmpty }
        // All read ahead of what is loaded is at its end.
        loaded.end = time(loading.place + loading.bytesAhead)
        loaded.ahead = seconds(bytes: loading.bytesAhead)
        loaded.progress = loading.size.flatMap { size in
            let there = loading.ranges.reduce(0) { $0 + $1.count }
            return size > 0 ? min(1, Double(there) / Double(size)) : nil
        }
        loaded.bytesPerSecond = loading.bytesPerSecond
        loaded.isStalled = loading.isStalled
        return loaded
    }
}
