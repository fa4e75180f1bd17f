// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Opens what is heard once and consists of several media as one. All of them are open before the first is heard, so that a
/// slow server delays the beginning instead of making a gap.
public struct PartsOpener: MediaOpener {
    private let opener: any MediaOpener

    /// `opener` opens each of them.
    public init(_ opener: any MediaOpener) { self.opener = opener }

    public func open(
        _ locator: MediaLocator, cancellation: MediaCancellation, loading: @escaping @Sendable (MediaLoading) -> Void
    ) throws(MediaError) -> any AudioDecoder {
        guard let oneShot = locator.oneShot, !oneShot.parts.isEmpty else {
            return try opener.open(locator, cancellation: cancellation, loading: loading)
        }
        let uris = [locator.uri] + oneShot.parts
        let progress = PartsLoading(count: uris.count, report: loading)
        var decoders: [any AudioDecoder] = []
        for (index, uri) in uris.enumerated() {
            var part = locator
            part.uri = uri
            part.oneShot?.parts = []
            do throws(MediaError) {
                let decoder = try opener.open(part, cancellation: cancellation.part()) {
                    progress.receive($0, of: index)
                }
                progress.opened(decoder.media, index)
                decoders.append(decoder)
            } catch {
                var error = error
                error.part = index
                throw error
            }
        }
        return PartsDecoder(decoders, progress)
    }
}
