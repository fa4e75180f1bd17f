// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Audio
import Playback
import RemoteAPI

struct InfoCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        "info", "Shows the contents of a file or web address: format, duration, tags, damage.",
        discussion:
            "It is decoded as a whole (some 1,000 times faster than it plays) to find damage, but for a station.")

    @Argument(help: "File of this machine, file: URL, or web address.", completion: .file()) var uri: String
    @Flag(help: "Print JSON, the same as GET /api/v1/media/info.") var json = false
    @Flag(help: "Read the beginning only; damage further on is not found.") var quick = false

    func run() throws {
        let decoder = try MediaLocator.isNetwork(uri) ? LocalMedia.openNetwork(uri) : LocalMedia(uri).open()
        let isChecked = !quick && decoder.media.broadcast == nil
        if isChecked { try Self.decodeAll(decoder) }
        if json {
            Console.write(MediaDocument.json(of: decoder.media, uri: uri) + [UInt8(ascii: "\n")])
        } else {
            Console.output(MediaSummary(decoder.media, uri: uri, isChecked: isChecked).text)
        }
    }

    private static func decodeAll(_ decoder: any AudioDecoder) throws {
        let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 65_536)
        defer { samples.deallocate() }
        var progress = DecodeProgress(total: decoder.media.durationInSeconds)
        defer { progress.clear() }
        do throws(MediaError) {
            var isAtEnd = false
            while !isAtEnd {
                let format = decoder.media.format
                let decoded = try decoder.decode(into: samples)
                progress.advance(format.seconds(FrameCount(decoded.frames)))
                isAtEnd = decoded.endOfStream
            }
        } catch {
            throw Failure(error.message)
        }
    }
}
