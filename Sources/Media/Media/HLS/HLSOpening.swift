// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// Opens an HLS stream: from the playlist to the first frame. Lives on the decode thread.
struct HLSOpening {
    private static let mostTries = 3

    let context: HLSContext
    let selection: MediaExaminer
    let cancellation: MediaCancellation
    /// Refuse streams without an end.
    var refusesLive = false

    /// `source` is the playlist.
    func open(_ source: HTTPSource, from address: WebAddress) throws(MediaError) -> any AudioDecoder {
        switch try context.playlist(in: source, from: address) {
        case .media(let playlist):
            let reference = HLSReference(address, reach: source.reach)
            source.close()
            return try open(playlist, at: reference)
        case .master(let master):
            let served = source.servedReach
            source.close()
            return try open(HLSChoice.candidates(master), reach: served)
        }
    }

    private func open(
        _ playlist: HLSMediaPlaylist, at reference: HLSReference
    ) throws(MediaError) -> any AudioDecoder {
        guard !playlist.slots.isEmpty || !playlist.isEnded else {
            throw MediaError(.empty, "\(context.name) is empty: its playlist has no segments.")
        }
        let stream = HLSStream(playlist, at: reference, context)
        guard !refusesLive || !stream.isLive else {
            stream.close()
            throw MediaError(.unsupported, "\(context.name) is a live stream, which does not end.")
        }
        cancellation.onCancel { stream.close() }
        cancellation.onInterrupt { stream.interrupt($0) }
        do throws(MediaError) {
            return try HLSDecoder(stream, selection, context)
        } catch {
            stream.close()
            throw error
        }
    }

    private func open(_ candidates: [WebAddress], reach: NetworkReach) throws(MediaError) -> any AudioDecoder {
        var first: MediaError?
        for address in candidates.prefix(Self.mostTries) {
            do throws(MediaError) {
                let reference = HLSReference(address, reach: reach)
                return try open(try playlist(reference), at: reference)
            } catch {
                if error.code == .cancelled { throw error }
                first = first ?? error
            }
        }
        throw first ?? MediaError(.empty, "\(context.name) is empty: its playlist names no stream.")
    }

    private func playlist(_ reference: HLSReference) throws(MediaError) -> HLSMediaPlaylist {
        let source = context.source(HLSPart(reference: reference), limits: HLSLimits.playlist(context.limits))
        cancellation.onInterrupt { source.interrupt($0) }
        let deadline = context.transport.now.advanced(bySeconds: context.hls.playlist)
        return try source.read(until: deadline, within: context.hls.playlist, cancellation) { () throws(MediaError) in
            try context.mediaPlaylist(in: source, from: reference.address)
        }
    }
}
