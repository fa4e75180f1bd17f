// SPDX-License-Identifier: Apache-2.0

import Audio
import FoundationEssentials
import Glibc
import Kernel
import LoadedLibraries
import Media
import Mpg123Decoding
import Playback

/// A file argument of a local command: any readable path, or a `file:` URL.
///
/// Uses the same opener as the server's media, with the file's directory as music root.
struct LocalMedia {
    /// Absolute, symbolic links resolved.
    let path: String

    init(_ argument: String) throws {
        if MediaLocator.isNetwork(argument) {
            throw Failure("\(argument): this command does not accept network addresses; give a file.")
        }
        guard let path = argument.hasPrefix("file:") ? FileURL.path(argument) : argument else {
            throw Failure("\(argument): a file: URL must name a file of this machine, as in file:///music/a.mp3.")
        }
        guard let real = realpath(path, nil) else {
            let code = errno
            let hint = code == ENOENT ? ". This command reads files of this machine, not of a server." : ""
            throw Failure("cannot read \(argument): \(String(cString: strerror(code)))\(hint)")
        }
        defer { free(real) }
        self.path = String(cString: real)
    }

    /// `measuresLoudness`: measures the loudness if the tags lack it, which decodes the whole file first.
    func open(measuresLoudness: Bool = false) throws -> any AudioDecoder {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        var opener = Self.files(in: [directory])
        if measuresLoudness { opener.catalogue = MeasuredLoudness(opener: opener) }
        return try Self.open(FileURL.text(path), with: opener)
    }

    /// Opens a web address as the server does.
    static func openNetwork(_ address: String) throws -> any AudioDecoder {
        let transport = CurlTransport(CurlTransport.Configuration(userAgent: "Tonearm/\(ServerVersion.text)"))
        let opener = NetworkMediaOpener(
            transport: transport, limits: NetworkLimits(), cipher: OpenSSLCipher(), factories: factories,
            local: files(in: []))
        return try open(address, with: opener)
    }

    private static func open(_ uri: String, with opener: any MediaOpener) throws -> any AudioDecoder {
        do throws(MediaError) {
            return try opener.open(MediaLocator(uri: uri), cancellation: MediaCancellation())
        } catch {
            throw Failure(error.message)
        }
    }

    private static func files(in directories: [String]) -> LocalMediaOpener {
        LocalMediaOpener(roots: MusicRoots(directories), factories: factories)
    }

    private static var factories: [any DecoderFactory] {
        let worker = ProcessInfo.processInfo.environment["TONEARM_MEDIA_WORKER"].flatMap { $0.isEmpty ? nil : $0 }
        return [Mpg123DecoderFactory(), MediaWorkerFactory(MediaWorkers(MediaWorkers.find(worker)))]
    }
}

/// Measures the loudness of files that are in no catalogue.
private struct MeasuredLoudness: TrackCatalogue {
    let opener: LocalMediaOpener

    func facts(of uri: String, needsLoudness: Bool) -> (loudness: TrackLoudness?, albumFiles: Set<PathKey>) {
        guard needsLoudness else { return (nil, []) }
        do {
            let decoder = try opener.open(MediaLocator(uri: uri), cancellation: MediaCancellation())
            let measured = try EBUR128Measuring().loudness(of: decoder) { Signals.pendingEnd() != nil }
            return (measured.map { TrackLoudness($0) }, [])
        } catch {
            let reason = (error as? MissingLibrary)?.reason ?? (error as? MediaError)?.message ?? "\(error)"
            Console.complain("The loudness is not measured: \(reason)")
        }
        return (nil, [])
    }
}
