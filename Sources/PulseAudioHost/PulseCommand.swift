// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import Session
import Threading

/// What the handle asks of the mainloop thread, in order.
enum PulseCommand: Sendable {
    case open(AudioFormat, Generation)
    case start(Generation)
    case pause(Generation)
    case flush(FrameCount, Generation)
    case drain(Generation)
    case shift(FrameCount, Generation)
    case close(Generation)
    case setGains(ChannelGains, seconds: Double)
    case duck(Float, seconds: Double)
    case unmute(Generation)
    case describe(role: String)
    case watchNeighbours(@Sendable (Neighbourhood?) -> Void)
    case changeNeighbours([NeighbourChange])
    case select(String?)
    /// Answered through the mailbox when nothing sounds any more.
    case shutdown(Mailbox<Bool>)

    /// The stream that it is for; nil when it is for the whole output.
    var generation: Generation? {
        switch self {
        case .open(_, let generation), .start(let generation), .pause(let generation), .flush(_, let generation),
            .drain(let generation), .close(let generation), .unmute(let generation), .shift(_, let generation):
            generation
        case .setGains, .duck, .select, .shutdown, .describe, .watchNeighbours, .changeNeighbours: nil
        }
    }
}
