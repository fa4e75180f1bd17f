// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Every target is held to the same settings; a warning is an error.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// A C library from the distribution, found through pkg-config; without that for one that is loaded when it is needed.
func library(_ name: String, pkgConfig: String? = nil, apt: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: apt.map { [.apt([$0])] })
}

/// lld packs the addresses that the loader adjusts (docs/decisions/0020-memory.md). Of the program's own functions it
/// exports only those that libmicrohttpd calls in place of others (LibraryRefusals.swift, LibraryEvents.swift).
let linking: [LinkerSetting] = [
    .unsafeFlags([
        "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic",
        "-Xlinker",
        "--export-dynamic-symbol=MHD_queue_response", "-Xlinker", "--export-dynamic-symbol=epoll_wait",
    ])
]

/// A target in its wing, a folder of Sources. A wing of one target is that target's folder.
func target(_ name: String, in wing: String? = nil, _ dependencies: [Target.Dependency] = []) -> Target {
    let path = "Sources/" + (wing.map { "\($0)/" } ?? "") + name
    return .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["KernelTesting"], swiftSettings: settings)
}

/// What several test targets share.
func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
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
        library("CMicrohttpd", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
        library("CWebsockets", pkgConfig: "libwebsockets", apt: "libwebsockets-dev"),
        library("CMpg123", pkgConfig: "libmpg123", apt: "libmpg123-dev"),
        library("CPulse", pkgConfig: "libpulse", apt: "libpulse-dev"),
        library("CSndfile", pkgConfig: "sndfile", apt: "libsndfile1-dev"),
        library("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        library("CFFmpeg", pkgConfig: "libavformat", apt: "libavformat-dev"),
        library("CSeccomp", pkgConfig: "libseccomp", apt: "libseccomp-dev"),
        // Loaded when they are needed: pkg-config would link them.
        library("CCurl", apt: "libcurl4-openssl-dev"),
        library("CExpat", apt: "libexpat1-dev"),
        library("CSoxr", apt: "libsoxr-dev"),
        library("CSystemd", apt: "libsystemd-dev"),
        // Likewise, and without their headers.
        library("CCrypto"),
        library("CEbur128"),
        library("CSoundTouch"),
        library("CLinux"),
        library("CLoading"),

        // Kernel: threads, time, numbers and addresses; samples.
        target("Kernel", in: "Kernel", ["CLinux"]),
        target("Audio", in: "Kernel", ["CLinux", "Kernel"]),

        // Playback: queue, player and engine. No C library, no socket, no file format.
        target("Playback", ["Audio", "Kernel"]),

        // Media: each target brings bytes or samples to the player.
        target("Media", in: "Media", ["CLinux", "Audio", "Kernel", "MediaWorkerProtocol", "Playback", "Service"]),
        target(
            "LoadedLibraries", in: "Media",
            [
                "CCrypto", "CCurl", "CEbur128", "CExpat", "CSoundTouch", "CSoxr", "Audio", "Kernel", "Media",
                "Playback", "Service",
            ]),
        target("Mpg123Decoding", in: "Media", ["CMpg123", "Audio", "Kernel", "Media", "Playback"]),
        target("MediaWorkerProtocol", in: "Media", ["Audio", "Kernel"]),

        // Service: the product's functions on typed values, without HTTP.
        target("Service", ["Kernel", "Playback"]),

        // Sound: outputs and recording.
        target("PulseAudioHost", in: "Sound", ["CPulse", "Audio", "Kernel", "Playback", "Service", log]),
        target("SoundFiles", in: "Sound", ["CSndfile", "Audio", "Kernel", "Media", "Playback", "Service"]),

        // Store: what SQLite keeps.
        target(
            "Store",
            [
                grdb, .product(name: "GRDBSQLite", package: "GRDB.swift"), "Audio", "Kernel", "Media", "Playback",
                "Service", log,
            ]),

        // Desktop: sd-bus.
        target("Desktop", ["CSystemd", "Kernel", "Playback", "Service", log]),

        // Web: one port for requests, events and the page.
        target("HTTP", in: "Web", ["Kernel"]),
        target("FrontDoor", in: "Web", ["CLinux", "HTTP", "Kernel", log]),
        target("MicrohttpdServer", in: "Web", ["CMicrohttpd", "HTTP", "Kernel", log]),
        target("WebsocketServer", in: "Web", ["CLinux", "CWebsockets", "HTTP", "Kernel", log]),
        target("StaticSite", in: "Web", ["CZlib", "HTTP", "Kernel"]),
        target("RemoteAPI", in: "Web", ["Audio", "HTTP", "Kernel", "Playback", "Service", log]),

        // The process that decodes what strangers made: FFmpeg in a sandbox.
        .executableTarget(
            name: "tonearm-media-worker",
            dependencies: ["CFFmpeg", "CLinux", "CSeccomp", "Audio", "Kernel", "MediaWorkerProtocol"],
            swiftSettings: settings),

        // The server and its command line.
        .executableTarget(
            name: "tonearm",
            dependencies: [
                "Audio", "Desktop", "FrontDoor", "HTTP", "Kernel", "LoadedLibraries", "Media", "MicrohttpdServer",
                "Mpg123Decoding", "Playback", "PulseAudioHost", "RemoteAPI", "Service", "SoundFiles", "StaticSite",
                "Store", "WebsocketServer", log,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings, linkerSettings: linking),

        support("KernelTesting", ["Kernel"]),
        support("PlaybackTesting", ["Audio", "Kernel", "Playback"]),
        support("OutputTesting", ["Audio", "Kernel", "Playback"]),
        support("SocketTesting"),
        // It takes the place of the C library's heap functions.
        .target(name: "HeapCounting", path: "Tests/HeapCounting"),
        support("ServiceTesting", ["Kernel", "Playback", "Service"]),
        tests("KernelTests", ["Kernel"]),
        tests("AudioTests", ["Audio", "Kernel", "PlaybackTesting"]),
        tests("PlaybackTests", ["Audio", "HeapCounting", "Kernel", "Playback", "PlaybackTesting"]),
        tests(
            "MediaTests",
            [
                "Audio", "Kernel", "LoadedLibraries", "Media", "MediaWorkerProtocol", "Mpg123Decoding", "Playback",
                "PlaybackTesting", "Service", "tonearm-media-worker",
            ]),
        tests(
            "LoadedLibrariesTests",
            ["Audio", "Kernel", "LoadedLibraries", "Media", "Playback", "Service", "SocketTesting"]),
        tests("Mpg123DecodingTests", ["Audio", "Kernel", "Media", "Mpg123Decoding", "Playback"]),
        tests("MediaWorkerProtocolTests", ["Audio", "Kernel", "MediaWorkerProtocol"]),
        tests("MediaWorkerTests", ["Audio", "Kernel", "MediaWorkerProtocol", "tonearm-media-worker"]),
        tests("ServiceTests", ["Kernel", "Playback", "PlaybackTesting", "Service", "ServiceTesting"]),
        tests(
            "PulseAudioHostTests",
            ["Audio", "Kernel", "OutputTesting", "Playback", "PlaybackTesting", "PulseAudioHost", "Service"]),
        tests(
            "SoundFilesTests",
            ["Audio", "Kernel", "Media", "Mpg123Decoding", "OutputTesting", "Playback", "Service", "SoundFiles"]),
        tests("StoreTests", ["Audio", "Kernel", "Media", "Playback", "Service", "Store", grdb, log]),
        tests("DesktopTests", ["Audio", "Desktop", "Kernel", "Playback", "Service", "ServiceTesting", log]),
        tests("HTTPTests", ["HTTP", "Kernel"]),
        tests("FrontDoorTests", ["FrontDoor", "HTTP", "Kernel", "SocketTesting", log]),
        tests("MicrohttpdServerTests", ["FrontDoor", "HTTP", "Kernel", "MicrohttpdServer", "SocketTesting", log]),
        tests(
            "WebsocketServerTests",
            ["FrontDoor", "HTTP", "Kernel", "MicrohttpdServer", "SocketTesting", "WebsocketServer", log]),
        tests("StaticSiteTests", ["HTTP", "Kernel", "StaticSite"]),
        tests(
            "RemoteAPITests",
            ["Audio", "HTTP", "Kernel", "Playback", "PlaybackTesting", "RemoteAPI", "Service", "ServiceTesting"]),
        tests(
            "TonearmTests",
            [
                "Kernel", "LoadedLibraries", "Media", "Mpg123Decoding", "Playback", "RemoteAPI", "Service", "Store",
                "tonearm", log,
                .product(name: "Yams", package: "Yams"),
            ]),
    ]
)
