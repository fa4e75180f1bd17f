// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KernelTesting
import Testing

@testable import tonearm

@Suite struct ServerConfigurationTests {
    private static let home = ["HOME": "/somewhere"]

    private func read(
        _ arguments: [String] = [], _ environment: [String: String] = [:], file: String? = nil
    ) throws -> ServerConfiguration {
        var arguments = arguments
        let folder = try TemporaryFolder()
        if let file {
            try folder.file("config", file)
            arguments += ["--config", folder.path + "/config"]
        }
        let options = try ServeOptions.parse(arguments)
        return try ServerConfiguration(options, environment: Self.home.merging(environment) { $1 })
    }

    private func failure(
        _ arguments: [String] = [], _ environment: [String: String] = [:], file: String? = nil
    ) -> Failure? {
        #expect(throws: Failure.self) { try read(arguments, environment, file: file) }
    }

    @Test func defaults_whenNothingIsGiven() throws {
        let settings = try read()
        #expect(settings.host == "127.0.0.1")
        #expect(settings.port == 8080)
        #expect(settings.output == .pulse)
        #expect(settings.data == "/somewhere/.local/state/tonearm")
        #expect(settings.isLoopback)
    }

    @Test func relativeData_isAbsolute() throws {
        #expect(try read(["--data", "/a"]).data == "/a")
        #expect(try read(["--data", "b"]).data == FileManager.default.currentDirectoryPath + "/b")
    }

    @Test func flag_overridesEnvironment_overridesFile() throws {
        let file = "port: 1000\nhost: ::1\nsink: from-file\n"
        let environment = ["TONEARM_PORT": "2000", "TONEARM_HOST": "localhost"]
        let settings = try read(["--port", "3000"], environment, file: file)
        #expect(settings.port == 3000)
        #expect(settings.host == "localhost")
        #expect(settings.sink == "from-file")
    }

    @Test(arguments: [("0", false), ("no", false), ("off", false), ("1", true), ("yes", true), ("ON", true)])
    func network_isASwitchLikeOthers(text: String, isOn: Bool) throws {
        #expect(try read([], ["TONEARM_NETWORK": text]).usesNetwork == isOn)
    }

    @Test func emptyVariable_countsAsNotSet() throws {
        #expect(try read([], ["TONEARM_PORT": ""]).port == 8080)
    }

    @Test func json_isAFileToo() throws {
        #expect(try read(file: #"{"port": 1234, "music": ["/a", "/b"], "anonymous": true}"#).music == ["/a", "/b"])
    }

    @Test func lists_splitInTheEnvironment() throws {
        let settings = try read([], ["TONEARM_MUSIC": "/a:/b", "TONEARM_ALLOW_ORIGIN": "http://a:1,http://b:2"])
        #expect(settings.music == ["/a", "/b"])
        #expect(settings.allowedOrigins == ["http://a:1", "http://b:2"])
    }

    @Test(arguments: [
        ("--allow-origin", "foo"), ("--allow-origin", "https://a.example/x"), ("--allow-origin", "https://A.example"),
        ("--allow-origin", "https://a.example:443"), ("--allow-host", "a/b"), ("--allow-host", ""),
    ])
    func invalidOriginsAndHosts_areRefused(option: String, value: String) {
        #expect(failure([option, value])?.message.hasPrefix("\(option.dropFirst(2)): \(value) is not a") == true)
    }

    @Test func validOriginsAndHosts_areAccepted() throws {
        let origins = ["https://a.example", "http://a:1/", "app://local", "http://[::1]:8080", "null"]
        #expect(try read(origins.flatMap { ["--allow-origin", $0] }).allowedOrigins == origins)
        #expect(try read(["--allow-host", "Music.example", "--allow-host", "a:80"]).allowedHosts.count == 2)
    }

    @Test func bufferSizes_areLimited() throws {
        let settings = try read(["--decode-buffer-frames", "512"], ["TONEARM_BUFFER_COUNT": "64"])
        #expect(settings.buffering.frames == 512 && settings.buffering.count == 64)
        #expect(try read().buffering.frames == 4_608)
        #expect(failure(["--buffer-count", "1"])?.message == "--buffer-count: 1 is not between 2 and 64")
        #expect(failure(["--decode-buffer-frames", "65537"])?.message.hasSuffix("between 512 and 65536") == true)
    }

    @Test func wrongValue_namesItsSource() throws {
        #expect(failure(["--port", "70000"])?.message == "--port: 70000 is not between 0 and 65535")
        #expect(failure([], ["TONEARM_PORT": "x"])?.message == "TONEARM_PORT: x is not a whole number")
        let inFile = try #require(failure(file: "port: y"))
        #expect(inFile.message.hasPrefix("port in /") && inFile.message.hasSuffix(": y is not a whole number"))
        let flag = failure([], ["TONEARM_ANONYMOUS": "maybe"])
        #expect(flag?.message == "TONEARM_ANONYMOUS: maybe is neither on nor off")
        #expect(failure(["--output", "loud"])?.message.hasPrefix("--output: loud is not one of") == true)
        #expect(failure(["--log-level", "loud"])?.status == .configuration)
    }

    @Test func file_isRefused_whenInvalid() {
        #expect(failure(file: "prot: 1")?.message.contains("unknown name prot") == true)
        #expect(failure(file: "- 1")?.message.contains("no names and values") == true)
        #expect(failure(file: "a: [")?.message.contains("neither YAML nor JSON") == true)
        #expect(failure(["--config", "/nowhere/at/all"])?.message.contains("/nowhere/at/all: No such file") == true)
    }
}
