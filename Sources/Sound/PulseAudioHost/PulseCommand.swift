// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import Service
import Kernel

/// Commands of the handle for the mainloop thread, in order.
enum PulseCommand: Sendable {
    case open(AudioFormat, Generation)
    /// `fade`, here and below: seconds.
    case start(Generation, fade: Double)
    case pause(Generation, fade: Double)
    case flush(FrameCount, Generation, fade: Double)
    case drain(Generation)
    case shift(FrameCount, Generation)
    case close(Generation)
    case setGains(ChannelGains, seconds: Double)
    case duck(Float, seconds: Double)
    case setEffects(EffectSettings)
    case setTap(SoundTap?)
    case unmute(Generation)
    case describe(role: String)
    case watchOtherStreams(@Sendable (OtherStreams?) -> Void)
    case changeOtherStreams([OtherStreamChange])
    case select(String?)
    /// Answered through the mailbox when nothing sounds any more.
    case shutdown(Mailbox<Bool>)

    /// The stream that it is for; nil when it is for the whole output.
    var generation: Generation? {
        switch self {
        case .open(_, let generation), .start(let generation, _), .pause(let generation, _),
            .flush(_, let generation, _),
            .drain(let generation), .close(let generation), .unmute(let generation), .shift(_, let generation):
            generation
        case .setGains, .duck, .setEffects, .setTap, .select, .shutdown, .describe, .watchOtherStreams,
            .changeOtherStreams:
            nil
        }
    }
}
