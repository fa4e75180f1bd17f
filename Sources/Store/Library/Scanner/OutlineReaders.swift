// SPDX-License-Identifier: Apache-2.0

import Media
import Playback
import Kernel

/// Reads the tags of many files on a few threads of low priority, which end with it. Belongs to the scanner's thread.
final class OutlineReaders {
    struct Job: Sendable {
        var folder: ScannedFolder
        var file: ScannedFile

        /// nil if the file no longer exists.
        func read(with examiner: MediaExaminer, _ keys: CatalogueKeys) -> CatalogueRecord? {
            let content: CatalogueRecord.Content
            do throws(MediaError) {
                let source = try folder.open(file)
                content = .track(.init(try examiner.outline(of: source), file: file, folder: folder.uri))
            } catch {
                if error.code == .notFound { return nil }
                content = .failure(error.message)
            }
            return CatalogueRecord(
                key: keys.of(file.uri), folder: keys.of(folder.uri), uri: file.uri,
                stamp: file.stamp, content: content)
        }
    }

    /// The limit of submitted files without a result, which bounds memory and open directories.
    static let maximumOutstanding = 512
    private static let chunk = 16

    private let workers: [(mailbox: Mailbox<[Job]?>, thread: NamedThread)]
    private let results = Mailbox<[CatalogueRecord?]>()
    private var collected: [Job] = []
    private var next = 0
    private(set) var outstanding = 0

    /// nil if no thread can be started.
    init?(examiner: MediaExaminer, keys: CatalogueKeys, count: Int, mustEnd: @escaping @Sendable () -> Bool) {
        let results = results
        workers = (0..<count).compactMap { _ in
            let mailbox = Mailbox<[Job]?>()
            let thread = NamedThread(ifPossible: "library-read") {
                NamedThread.yieldToOthers()
                while true {
                    for jobs in mailbox.take(until: nil) {
                        guard let jobs else { return }
                        results.post(jobs.map { mustEnd() ? nil : $0.read(with: examiner, keys) })
                    }
                }
            }
            return thread.map { (mailbox, $0) }
        }
        if workers.isEmpty { return nil }
    }

    deinit {
        for worker in workers { worker.mailbox.post(nil) }
        for worker in workers { worker.thread.join() }
    }

    func submit(_ job: Job) {
        collected.append(job)
        if collected.count == Self.chunk { flush() }
    }

    func flush() {
        guard !collected.isEmpty else { return }
        outstanding += collected.count
        workers[next].mailbox.post(collected)
        next = (next + 1) % workers.count
        collected = []
    }

    /// Takes the available results. `waits`: blocks until there are some, unless none are outstanding.
    func take(waits: Bool) -> (count: Int, records: [CatalogueRecord]) {
        guard outstanding > 0 else { return (0, []) }
        let chunks = results.take(until: waits ? nil : .now)
        let count = chunks.reduce(0) { $0 + $1.count }
        outstanding -= count
        return (count, chunks.flatMap { $0 }.compactMap { $0 })
    }
}
