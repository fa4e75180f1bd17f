// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Every target is held to the same settings; a warning is an error.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
    // Each function by itself, so that the linker can put those together that are in use.
    .unsafeFlags(["-Xfrontend", "-function-sections"]),
]

/// A C library from the distribution, found through pkg-config.
func system(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// How the program is linked. lld packs the addresses that the loader has to adjust (2 MB less to read and keep), merges
/// equal code, does not publish every symbol, and puts the functions together that are in use (scripts/order-functions):
/// less memory, and a start without the time that it took to read and look through all that. libmicrohttpd must find the
/// one function that takes the place of its own (LibraryRefusals.swift). packaging/link names the C++
/// library as an archive: nothing else that is loaded needs it, and Swift's runtime needs little of it.
let linking: [LinkerSetting] = [
    .unsafeFlags([
        "-L\(Context.packageDirectory)/packaging/link", "-use-ld=lld", "-Xlinker", "-z", "-Xlinker",
        "pack-relative-relocs", "-Xlinker", "--icf=safe", "-Xlinker", "--no-export-dynamic", "-Xlinker",
        "--export-dynamic-symbol=MHD_queue_response", "-Xlinker",
        "--symbol-ordering-file=\(Context.packageDirectory)/packaging/function-order.txt", "-Xlinker",
        "--no-warn-symbol-ordering", "-Xlinker", "-T", "-Xlinker",
        "\(Context.packageDirectory)/packaging/link/unnamed.ld",
    ])
]

func target(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    // Numbers from outside turn up everywhere.
    let numbers: [Target.Dependency] = name == "Numbers" ? [] : ["Numbers"]
    return .target(name: name, dependencies: numbers + dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: ["Numbers"] + dependencies, swiftSettings: settings)
}

let log = Target.Dependency.product(name: "Logging", package: "swift-log")

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")

let package = Package(
    name: "tonearm",
    products: [
        .executable(name: "tonearm", targets: ["tonearm"]),
        .executable(name: "tonearm-media-worker", targets: ["tonearm-media-worker"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        // C libraries: a module map and shims, nothing else.
        system("CMicrohttpd", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
        system("CWebsockets", pkgConfig: "libwebsockets", apt: "libwebsockets-dev"),
        system("CMpg123", pkgConfig: "libmpg123", apt: "libmpg123-dev"),
        system("CPulse", pkgConfig: "libpulse", apt: "libpulse-dev"),
        system("CSndfile", pkgConfig: "sndfile", apt: "libsndfile1-dev"),
        // Without pkg-config, which would link them: these are loaded when they are needed.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CSoxr", providers: [.apt(["libsoxr-dev"])]),
        .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
        // Likewise, and without its headers.
        .systemLibrary(name: "CCrypto"),
        system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CLoading"),
        system("CFFmpeg", pkgConfig: "libavformat", apt: "libavformat-dev"),
        system("CSeccomp", pkgConfig: "libseccomp", apt: "libseccomp-dev"),

        // The core: no C library, no socket, no file format.
        target("Numbers"),
        target("Threading", ["CLinux"]),
        target("Audio", ["CLinux"]),
        target("Playback", ["Addresses", "Audio", "Threading"]),
        target("PlaybackTesting", ["Playback", "Audio", "Threading"]),
        target("Session", ["Playback", "Threading"]),
        target("Addresses"),
        target("HTTP", ["Addresses"]),
        target("Catalogue", ["Addresses"]),
        target("Recording", ["Threading"]),
        target("Announcing", ["Playback", "Threading"]),

        target("Loading"),

        // Adapters: each implements a contract of the core on one library.
        target("Media", ["CLinux", "Addresses", "Playback", "Audio", "Threading"]),
        target("CurlTransport", ["CCurl", "Addresses", "Loading", "Media", "Threading"]),
        target("Deciphering", ["CCrypto", "Loading", "Media", "Playback"]),
        target("XMLScanning", ["CExpat", "Loading", "Media"]),
        target("Mpg123Decoding", ["CMpg123", "Playback", "Audio", "Media"]),
        target("MediaWorkerProtocol", ["Audio"]),
        target("MediaWorkerClient", ["MediaWorkerProtocol", "CLinux", "Media", "Playback", "Audio", "Threading"]),
        target("Resampling", ["CSoxr", "Loading", "Playback", "Audio"]),
        target(
            "PulseAudioHost", ["CPulse", "Playback", "Session", "Recording", "Audio", "Threading", log]),
        target("RecordingFiles", ["CSndfile", "Addresses", "Audio", "Media", "Playback", "Recording"]),
        target("SoftwareOutput", ["CSndfile", "Playback", "Audio", "Threading"]),
        target(
            "Library",
            [
                grdb, .product(name: "GRDBSQLite", package: "GRDB.swift"), "Addresses", "Catalogue", "Media",
                "Playback", "Threading", "CLinux", log,
            ]),
        target("DBus", ["CSystemd", "Loading", "Threading"]),
        target("MPRIS", ["CSystemd", "Addresses", "DBus", "Loading", "Playback", "Threading", log]),
        target("Logind", ["DBus", "Loading", "Session", "Threading", log]),
        target("RangeCache", [grdb, "Catalogue", "Media", "Threading", log]),
        target("MicrohttpdServer", ["CMicrohttpd", "HTTP", "Threading", log]),
        target("WebsocketServer", ["CWebsockets", "CLinux", "HTTP", "Threading", log]),
        target("StaticSite", ["CZlib", "Addresses", "HTTP"]),
        target("FrontDoor", ["CLinux", "HTTP", "Threading", log]),

        // The process that decodes what strangers made: FFmpeg in a sandbox.
        target("MediaWorker", ["CFFmpeg", "CSeccomp", "CLinux", "MediaWorkerProtocol", "Audio"]),
        .executableTarget(name: "tonearm-media-worker", dependencies: ["MediaWorker"], swiftSettings: settings),

        // The one API, in terms of HTTP values and player commands.
        target(
            "RemoteAPI",
            ["Addresses", "HTTP", "Playback", "Session", "Catalogue", "Recording", "Announcing", "Threading", log]),

        .executableTarget(
            name: "tonearm",
            dependencies: [
                "Audio", "Playback", "Session", "Media", "CurlTransport", "Deciphering", "Mpg123Decoding",
                "MediaWorkerClient",
                "Resampling",
                "PulseAudioHost",
                "SoftwareOutput",
                "Library", "Catalogue", "Addresses", "HTTP", "MicrohttpdServer", "WebsocketServer", "FrontDoor",
                "StaticSite",
                "RangeCache", "RemoteAPI", "XMLScanning", "MPRIS", "Logind", "Recording", "RecordingFiles",
                "Announcing",
                "Threading", "Numbers",
                log,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings, linkerSettings: linking),

        tests("NumbersTests", []),
        tests("ThreadingTests", ["Threading"]),
        tests("AudioTests", ["Audio", "Threading"]),
        tests("PlaybackTests", ["Playback", "PlaybackTesting", "Audio", "Threading"]),
        tests("SessionTests", ["Session", "Playback", "PlaybackTesting", "Threading"]),
        tests("AddressesTests", ["Addresses"]),
        tests("HTTPTests", ["HTTP"]),
        tests("StaticSiteTests", ["StaticSite", "HTTP"]),
        tests("MediaTests", ["Addresses", "Media", "Playback", "PlaybackTesting", "Audio", "Threading"]),
        tests("CurlTransportTests", ["CurlTransport", "Addresses", "Media", "Threading", "SocketTesting"]),
        tests("DecipheringTests", ["Deciphering", "Media", "Playback"]),
        tests("RangeCacheTests", ["RangeCache", "Catalogue", "Media", "Threading", log]),
        tests("XMLScanningTests", ["XMLScanning", "Media"]),
        tests("Mpg123DecodingTests", ["Mpg123Decoding", "Media", "Playback", "Audio"]),
        tests("MediaWorkerProtocolTests", ["MediaWorkerProtocol", "Audio"]),
        tests("MediaWorkerTests", ["MediaWorker", "MediaWorkerProtocol", "Audio"]),
        tests(
            "MediaWorkerClientTests",
            [
                "MediaWorkerClient", "MediaWorkerProtocol", "Deciphering", "Mpg123Decoding", "Media", "Playback",
                "Audio", "Threading", "tonearm-media-worker",
            ]),
        tests("ResamplingTests", ["Resampling", "Playback", "Audio"]),
        tests(
            "PulseAudioHostTests",
            ["PulseAudioHost", "OutputTesting", "Playback", "PlaybackTesting", "Recording", "Audio", "Threading"]),
        .target(
            name: "OutputTesting", dependencies: ["Playback", "Audio", "Threading"], path: "Tests/OutputTesting",
            swiftSettings: settings),
        tests("SoftwareOutputTests", ["SoftwareOutput", "OutputTesting", "Playback", "Audio", "Threading"]),
        tests("LibraryTests", ["Library", "Catalogue", "Media", "Playback", "Audio", grdb, log]),
        .target(name: "SocketTesting", path: "Tests/SocketTesting", swiftSettings: settings),
        tests("FrontDoorTests", ["FrontDoor", "HTTP", "SocketTesting", log]),
        tests("MicrohttpdServerTests", ["MicrohttpdServer", "FrontDoor", "HTTP", "SocketTesting", log]),
        tests(
            "WebsocketServerTests", ["WebsocketServer", "MicrohttpdServer", "FrontDoor", "HTTP", "SocketTesting", log]),
        tests(
            "RemoteAPITests",
            ["RemoteAPI", "HTTP", "Playback", "PlaybackTesting", "Session", "Catalogue", "Recording"]),
        tests("LoadingTests", ["Loading"]),
        tests("MPRISTests", ["MPRIS", "DBus", "Playback", "Audio", "Threading", log]),
        tests("RecordingTests", ["Recording", "Threading"]),
        tests("AnnouncingTests", ["Announcing", "Playback", "PlaybackTesting", "Threading"]),
        tests("RecordingFilesTests", ["RecordingFiles", "Recording", "Media", "MediaWorkerClient", "Mpg123Decoding"]),
        tests("TonearmTests", ["tonearm", "Media", "Playback", "Threading"]),
    ]
)
