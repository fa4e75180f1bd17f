// SPDX-License-Identifier: Apache-2.0

public import Audio
internal import CSoundTouch
internal import Kernel
public import Playback

/// Speed and pitch by SoundTouch, through its C interface.
public struct SoundTouchStretching: TimeStretching {
    /// Loaded when something is first to be stretched.
    private static let library = Result { () throws(MissingLibrary) in
        try LoadedLibrary(csoundtouch(), csoundtouch_load)
    }

    public init() {}

    public func load() throws(MediaError) { _ = try Self.functions() }

    public func stretcher(
        for format: AudioFormat, rate: Double, cents: Double
    ) throws(MediaError) -> any FrameConverter {
        try SoundTouchStretcher(Self.functions(), format, rate: rate, cents: cents)
    }

    private static func functions() throws(MediaError) -> UnsafePointer<csoundtouch> {
        do throws(MissingLibrary) { return try library.get().functions } catch {
            throw MediaError(
                .unsupported,
                "Changing speed or pitch needs SoundTouch (Debian's package libsoundtouch1): install it and restart the server. \(error.reason)"
            )
        }
    }
}
