// SPDX-License-Identifier: Apache-2.0

import Foundation
@testable import Media
import Playback
import Testing
import Kernel
import KernelTesting

/// What becomes of an item whose worker dies, hangs, or is not there, and of one that is damaged.
@Suite(.serialized) struct WorkerFailureTests {
    let files: MusicFiles
    /// A name of the worker that no other test starts.
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
        let factory = MediaWorkerFactory(MediaWorkers(found))
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
        var limits = WorkerLimits()
        limits.answer = 0.5
        let decoder = try MediaWorkerFactory(MediaWorkers(found, limits: limits)).open(
            try files.source("a.flac"))
        for worker in workers() { kill(worker, SIGSTOP) }
        let error = #expect(throws: MediaError.self) { try decodeAll(decoder) }
        #expect(error?.code == .decoderFailed)
        #expect(error?.message.contains("no answer") == true)
        #expect(workers().isEmpty)
    }

    @Test func closedSource_endsTheWaitForAWorker() throws {
        let source = try files.source("a.flac")
        let decoder = try MediaWorkerFactory(MediaWorkers(found)).open(source)
        for worker in workers() { kill(worker, SIGSTOP) }
        let thread = Thread {
            usleep(50_000)
            source.close()
        }
        thread.start()
        let began = ContinuousClock.now
        let error = #expect(throws: MediaError.self) { try decodeAll(decoder) }
        #expect(error?.code == .cancelled)
        // The deadline for an answer is 10 s.
        #expect(ContinuousClock.now - began < .seconds(8))
    }

    @Test func failingSource_failsAsTheSourceDoes() throws {
        let source = BytesSource(try files.bytes("a.flac"), failsAt: 200_000)
        let decoder = try MediaWorkerFactory(MediaWorkers(found)).open(source)
        let error = #expect(throws: MediaError.self) { try decodeAll(decoder) }
        #expect(error?.code == .network)
    }

    @Test func missingWorker_isNamedWithTheFile() throws {
        let factory = MediaWorkerFactory(MediaWorkers(MediaWorkers.find("/nowhere/worker")))
        let error = #expect(throws: MediaError.self) { try factory.open(try files.source("a.flac")) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("a.flac") == true && error?.message.contains("/nowhere/worker") == true)
        #expect(throws: MediaError.self) { try factory.outline(try files.source("a.flac")) }
    }

    @Test func programThatIsNoWorker_failsTheItem() throws {
        let factory = MediaWorkerFactory(MediaWorkers(MediaWorkers.find("/bin/true")))
        let error = #expect(throws: MediaError.self) { try factory.open(try files.source("a.flac")) }
        #expect(error?.code == .decoderFailed)
    }

    /// What a decoder that was taken over might do: each costs its item, within the deadline, and nothing else.
    @Test(arguments: [
        ("noise", "head -c 100000 /dev/urandom >&3; sleep 60"),
        ("a huge message", "printf '\\377\\377\\377\\177\\003\\0\\0\\0' >&3; sleep 60"),
        ("half a message", "printf '\\100\\0\\0\\0\\003\\0\\0\\0abc' >&3; sleep 60"),
        ("an answer to nothing", "printf '\\010\\0\\0\\0\\005\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0' >&3; sleep 60"),
        (
            "a read of too much",
            "printf '\\014\\0\\0\\0\\002\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\377\\377\\377\\377' >&3; sleep 60"
        ),
        ("silence", "sleep 60"),
        ("being ready for ever", "while :; do printf '\\0\\0\\0\\0\\001\\0\\0\\0'; done >&3"),
        (
            "reading for ever",
            "cat <&3 >/dev/null & while :; do printf '\\014\\0\\0\\0\\002\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\004\\0\\0\\0'; done >&3"
        ),
    ]) func hostileWorker_failsItsItem(deed: (name: String, script: String)) throws {
        var limits = WorkerLimits()
        limits.answer = 1.5
        let factory = MediaWorkerFactory(MediaWorkers(MediaWorkers.find(try program(deed.script)), limits: limits))
        let error = #expect(throws: MediaError.self) { try factory.open(try files.source("a.flac")) }
        #expect(error?.code == .decoderFailed, "\(deed.name): \(String(describing: error))")
    }

    @Test func closedSource_endsAWorkerThatIsNeverSilent() throws {
        let source = try files.source("a.flac")
        let chatter = try program("while :; do printf '\\0\\0\\0\\0\\001\\0\\0\\0'; done >&3")
        let factory = MediaWorkerFactory(MediaWorkers(MediaWorkers.find(chatter)))
        let thread = Thread {
            usleep(50_000)
            source.close()
        }
        thread.start()
        let error = #expect(throws: MediaError.self) { try factory.open(source) }
        #expect(error?.code == .cancelled)
    }

    @Test func withoutThread_thatItemFails_andTheNextIsPlayed() throws {
        let factory = MediaWorkerFactory(MediaWorkers(found))
        let error = NamedThread.$isRefused.withValue(true) {
            #expect(throws: MediaError.self) { try factory.open(try files.source("a.flac")) }
        }
        #expect(error?.code == .decoderFailed)
        #expect(throws: Never.self) { try factory.open(try files.source("a.flac")) }
    }

    private func program(_ script: String) throws -> String {
        let program = files.path("hostile.sh")
        try Data("#!/bin/bash\nPATH=/usr/bin:/bin\n\(script)\n".utf8).write(to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        return program
    }

    /// Its connection is closed, but it lives on: waited for a moment only, and not by those who start others.
    @Test func workerThatClosesItsConnection_isEndedAndNamed() throws {
        let factory = MediaWorkerFactory(MediaWorkers(MediaWorkers.find(try program("exec 3>&-; sleep 60"))))
        let error = #expect(throws: MediaError.self) { try factory.open(try files.source("a.flac")) }
        #expect(error?.message.contains("closed its connection") == true)
        #expect(workers().isEmpty)
    }

    @Test func workers_endWithTheirItems_andListersWhenIdle() throws {
        var limits = WorkerLimits()
        limits.idle = 0.2
        let factory = MediaWorkerFactory(MediaWorkers(found, limits: limits))
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

    /// None before the first item; then one, which the next item gets and which another one replaces; none in the end.
    @Test func spareWorker_isReadyForTheNextItem() throws {
        var limits = WorkerLimits()
        limits.spare = 3
        let factory = MediaWorkerFactory(MediaWorkers(found, limits: limits))
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
        var limits = WorkerLimits()
        limits.spare = 3
        let factory = MediaWorkerFactory(MediaWorkers(found, limits: limits))
        do { _ = try factory.open(try files.source("a.flac")) }
        #expect(eventually { workers().isEmpty } && eventually { workers().count == 1 })
        // What it has said once it is ready must not look like life.
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
        let factory = MediaWorkerFactory(MediaWorkers(found))
        for _ in 0..<3 {
            #expect(try factory.outline(try files.source("a.flac")).media.encoding.codec == "flac")
            for worker in workers() { kill(worker, SIGKILL) }
        }
    }

    @Test func sandbox_holds() {
        guard case .success(let path) = MediaWorkers.find(nil) else {
            Issue.record("there is no worker")
            return
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

    /// What the kernel says of a process behind its name: its state, its parent and more. Empty when it is gone.
    private func state(of process: pid_t) -> [Substring] {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
    }
}
