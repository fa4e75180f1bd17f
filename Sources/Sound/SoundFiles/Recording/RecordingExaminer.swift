// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel
internal import Media
internal import Playback
internal import Service

/// Describes recordings that are not named `.mp3` (see `FrameCounting`). Saved streams contain foreign bytes: they are
/// examined by content, like other media, and libsndfile never reads them.
struct RecordingExaminer: Sendable {
    let examiner: MediaExaminer

    /// nil if it is not sound. Takes over the descriptor.
    func describe(_ descriptor: Int32, _ id: String, size: Int64) -> RecordingEntry.Sound? {
        do throws(MediaError) {
            let media = try examiner.outline(of: try source(descriptor, id, size)).media
            return RecordingEntry.Sound(
                duration: media.durationInSeconds, sampleRate: media.format.sampleRate,
                channelCount: media.format.channelCount, bits: media.encoding.bitsPerSample,
                isFloat: media.encoding.codec.hasPrefix("pcm_f"))
        } catch {
            return nil
        }
    }

    /// Frames per channel, by decoding all of them; nil if unknown at `deadline`. Takes over the descriptor.
    func count(_ descriptor: Int32, _ id: String, size: Int64, until deadline: MonotonicTime) -> Int64? {
        let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 65_536)
        defer { samples.deallocate() }
        do throws(MediaError) {
            let decoder = try examiner.open(try source(descriptor, id, size))
            var frames: Int64 = 0
            while .now < deadline {
                let decoded = try decoder.decode(into: samples)
                frames += Int64(decoded.frames)
                if decoded.endOfStream { return frames }
            }
            return nil
        } catch {
            return nil
        }
    }

    private func source(_ descriptor: Int32, _ id: String, _ size: Int64) throws(MediaError) -> FileSource {
        try FileSource(OwnedDescriptor(descriptor), name: id, statSize: size)
    }
}
