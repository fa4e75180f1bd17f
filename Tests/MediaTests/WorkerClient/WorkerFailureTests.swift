// SPDX-License-Identifier: Apache-2.0

import Foundation
@testable import Media
import Playback
import Testing
import Kernel
import KernelTesting

/// Items whose worker dies, hangs, is missing or is hostile.
@Suite(.serialized) struct WorkerFailureTests {
    let files: MusicFiles
    /// A link to the worker that no other test uses.
    let found: Result<String, MissingWorker>

    init() throws {
        files = try MusicFiles()
        try files.make("a.flac")
        let own = files.path("worker")
        try FileManager.default.createSymbolicLink(
            atPath: own, withDestinationPath: try MediaWorkers.find(nil).get())
        found = MediaWorkers.find(own)
    }

    @Test func killedWorker_failsItsItem_andNoOther() throws {
        let factory = factory()
        let first = try factory.open(try files.source("a.flac"))
        let second = try factory.open(try files.source("a.flac"))
        let victim = try #require(workers().first)
        kill(victim, SIGKILL)
        var failures: [MediaError] = []
        for decoder in [first, second] {
            do throws(MediaError) { _ = try decodeAll(decoder) } catch { failures.append(error) }
        }
        #expect(failures.map(\.code) == [.decoderFailed])
        #expect(failures.first?.message.contains("signal 9") == true)
        #expect(throws: Never.self) { try decodeAll(try factory.open(try files.source("a.flac"))) }
    }

    @Test func stoppedWorker_isEndedAfterTheDeadline() throws {
        let decoder = try factory { $0.answer = 0.5 }.open(try files.source("a.flac"))
        for worker in workers() { kill(worker, SIGSTOP) }
        let error = #expect(throws: MediaError.self) { try decodeAll(decoder) }
        #expect(error?.code == .decoderFailed)
        #expect(error?.message.contains("no answer") == true)
        #expect(workers().isEmpty)
    }

    @Test func closedSource_endsTheWaitForAWorker() throws {
        let source = try files.source("a.flac")
        let decoder = try factory().open(source)
        for worker in workers() { kill(worker, SIGSTOP) }
        closeSoon(source)
        let began = ContinuousClock.now
        let error = #expect(throws: MediaError.self) { try decodeAll(decoder) }
        #expect(error?.code == .cancelled)
        // The deadline for an answer is 10 s.
        #expect(ContinuousClock.now - began < .seconds(8))
    }

    @Test func failingSource_failsAsTheSourceDoes() throws {
        let source = BytesSource(try files.bytes("a.flac"), failsAt: 200_000)
        let decoder = try factory().open(source)
        let error = #expect(throws: MediaError.self) { try decodeAll(decoder) }
        #expect(error?.code == .network)
    }

    @Test func missingWorker_isNamedWithTheFile() throws {
        let factory = factory(MediaWorkers.find("/nowhere/worker"))
        let error = #expect(throws: MediaError.self) { try factory.open(try files.source("a.flac")) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("a.flac") == true && error?.message.contains("/nowhere/worker") == true)
        #expect(throws: MediaError.self) { try factory.outline(try files.source("a.flac")) }
    }

    /// A hostile worker fails its item within the deadline, and nothing else.
    @Test(arguments: [
        ("noise", "head -c 100000 /dev/urandom >&3; sleep 60"),
        ("a huge message", "printf '\\377\\377\\377\\177\\003\\0\\0\\0' >&3; sleep 60"),
        ("half a message", "printf '\\100\\0\\0\\0\\003\\0\\0\\0abc' >&3; sleep 60"),
        ("an answer to nothing", "printf '\\010\\0\\0\\0\\005\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0' >&3; sleep 60"),
        (
            "a read of too much",
            "printf '\\014\\0\\0\\0\\002\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\377\\377\\377\\377' >&3; sleep 60"
        ),
        ("silence", "sleep 60"), ("an end without a word", "exit"),
        ("being ready for ever", "while :; do printf '\\0\\0\\0\\0\\001\\0\\0\\0'; done >&3"),
        (
            "reading for ever",
            "cat <&3 >/dev/null & while :; do printf '\\014\\0\\0\\0\\002\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\004\\0\\0\\0'; done >&3"
        ),
    ]) func hostileWorker_failsItsItem(deed: (name: String, script: String)) throws {
        let factory = factory(MediaWorkers.find(try program(deed.script))) { $0.answer = 1.5 }
        let error = #expect(throws: MediaError.self) { try factory.open(try files.source("a.flac")) }
        #expect(error?.code == .decoderFailed, "\(deed.name): \(String(describing: error))")
    }

    @Test func closedSource_endsAWorkerThatIsNeverSilent() throws {
        let source = try files.source("a.flac")
        let chatter = try program("while :; do printf '\\0\\0\\0\\0\\001\\0\\0\\0'; done >&3")
        let factory = factory(MediaWorkers.find(chatter))
        closeSoon(source)
        let error = #expect(throws: MediaError.self) { try factory.open(source) }
        #expect(error?.code == .cancelled)
    }

    @Test func withoutThread_thatItemFails_andTheNextIsPlayed() throws {
        let factory = factory()
        let error = NamedThread.$isRefused.withValue(true) {
            #expect(throws: MediaError.self) { try factory.open(try files.source("a.flac")) }
        }
        #expect(error?.code == .decoderFailed)
        #expect(throws: Never.self) { try factory.open(try files.source("a.flac")) }
    }

    /// `program`: nil for `found`.
    private func factory(
        _ program: Result<String, MissingWorker>? = nil, _ change: (inout WorkerLimits) -> Void = { _ in }
    ) -> MediaWorkerFactory {
        var limits = WorkerLimits()
        change(&limits)
        return MediaWorkerFactory(MediaWorkers(program ?? found, limits: limits))
    }

    private func closeSoon(_ source: BytesSource) {
        NamedThread("close") {
            usleep(50_000)
            source.close()
        }.detach()
    }

    private func program(_ script: String) throws -> String { try files.program("hostile.sh", script) }

    /// It closes its connection but lives on: only its own caller waits for it, for a moment.
    @Test func workerThatClosesItsConnection_isEndedAndNamed() throws {
        let factory = factory(MediaWorkers.find(try program("exec 3>&-; sleep 60")))
        let error = #expect(throws: MediaError.self) { try factory.open(try files.source("a.flac")) }
        #expect(error?.message.contains("closed its connection") == true)
        #expect(workers().isEmpty)
    }

    @Test func workers_endWithTheirItems_andListersWhenIdle() throws {
        let factory = factory { $0.idle = 0.2 }
        for _ in 0..<20 { _ = try factory.outline(try files.source("a.flac")) }
        #expect(workers().count == 1, "one after another takes one worker")
        #expect(eventually { workers().isEmpty })
        do {
            let decoder = try factory.open(try files.source("a.flac"))
            #expect(decoder.media.encoding.codec == "flac")
            #expect(workers().count == 1)
        }
        #expect(eventually { workers().isEmpty })
    }

    /// There is none before the first item. The next item gets it, and another one replaces it. In the end there is none.
    @Test func spareWorker_isReadyForTheNextItem() throws {
        let factory = factory { $0.spare = 3 }
        let spare: pid_t
        do {
            let first = try factory.open(try files.source("a.flac"))
            #expect(workers().count == 1, "what was asked for comes first")
            let own = workers()
            #expect(eventually { workers().count == 2 })
            spare = try #require(workers().first { !own.contains($0) })
            _ = first
        }
        #expect(eventually { workers() == [spare] })
        do {
            let second = try factory.open(try files.source("a.flac"))
            #expect(workers() == [spare])
            #expect(try decodeAll(second).isEmpty == false)
            #expect(eventually { workers().count == 2 })
        }
        #expect(eventually { workers().count == 1 && !workers().contains(spare) })
        #expect(eventually { workers().isEmpty })
    }

    @Test func spareWorkerThatDiedWhileItWaited_costsNoItem() throws {
        let factory = factory { $0.spare = 3 }
        do { _ = try factory.open(try files.source("a.flac")) }
        #expect(eventually { workers().isEmpty } && eventually { workers().count == 1 })
        // Wait until it has sent `ready`: unread data must not count as life.
        let spare = try #require(workers().first)
        var restful = 0
        #expect(
            eventually {
                restful = state(of: spare).first == "S" ? restful + 1 : 0
                return restful > 20
            })
        kill(spare, SIGKILL)
        // A process that dies closes its files after its memory, which has its command line.
        #expect(eventually { ["Z", nil].contains(state(of: spare).first) })
        #expect(try decodeAll(try factory.open(try files.source("a.flac"))).isEmpty == false)
        #expect(eventually { workers().isEmpty })
    }

    @Test func listerThatDiedWhileItWaited_costsNoFile() throws {
        let factory = factory()
        for _ in 0..<3 {
            #expect(try factory.outline(try files.source("a.flac")).media.encoding.codec == "flac")
            for worker in workers() { kill(worker, SIGKILL) }
        }
    }

    @Test func sandbox_holds() {
        guard case .success(let path) = MediaWorkers.find(nil) else {
            return #expect(Bool(false), "there is no worker")
        }
        #expect(MediaWorkers.trySandbox(path) == nil)
    }

    /// Children of this process whose program is in this test's folder.
    private func workers() -> [pid_t] {
        let own = getpid()
        var found: [pid_t] = []
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for process in names.compactMap({ pid_t($0) }) {
            let fields = state(of: process)
            guard fields.count > 1, pid_t(fields[1]) == own, fields[0] != "Z" else { continue }
            let command = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
            if String(decoding: command, as: UTF8.self).contains(files.directory) { found.append(process) }
        }
        return found
    }

    /// Fields of /proc/PID/stat after the name: state, parent and more. Empty if the process is gone.
    private func state(of process: pid_t) -> [Substring] {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
    }
}
