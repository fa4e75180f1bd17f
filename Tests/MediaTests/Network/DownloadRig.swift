// SPDX-License-Identifier: Apache-2.0

import Kernel
import KernelTesting
import Playback

@testable import Media

/// A download with a scripted origin and a clock that moves by hand.
struct DownloadRig {
    static let address = WebAddress("http://origin.example/music/a.mp3")!

    var download: Download
    var now = MonotonicTime(nanoseconds: 0)
    /// Every request, in order.
    var requests: [TransferRequest] = []
    /// The transfer under way.
    var transfer: TransferID?
    var isPaused = false
    var wakes: [MonotonicTime] = []
    var reports: [MediaLoading] = []
    /// Number of deletions of the cache entry.
    var forgotten = 0
    /// Lifetimes of successful revalidations.
    var confirmed: [Double?] = []

    init(
        _ address: WebAddress = DownloadRig.address, fields: [TransferHeader] = [],
        reach: NetworkReach = .anywhere, piece: NetworkPiece? = nil,
        memory: Int? = nil, cached: (facts: CachedFacts, ranges: RangeSet<Int64>)? = nil, isFresh: Bool = true
    ) {
        var limits = NetworkLimits()
        limits.memory = memory ?? limits.memory
        download = Download(
            address, fields: fields, limits: limits, reach: reach, piece: piece, now: now, cached: cached,
            isFresh: isFresh)
        perform(download.begin())
    }

    /// For a file of `total` bytes, of which the first `sent` have arrived.
    init(of total: Int64, sent: Int64) {
        self.init()
        part(from: 0, of: total)
        send(0..<sent)
    }

    var range: String? { requests.last?.headers.first { $0.name == "Range" }?.value }

    func field(_ name: String) -> String? { requests.last?.headers.first { $0.name == name }?.value }

    mutating func head(_ status: Int, _ headers: [(String, String)] = [], zone: NetworkZone = .public) {
        guard let transfer else { return }
        perform(
            download.received(
                TransferHead(status: status, headers: headers.map { TransferHeader($0, $1) }, zone: zone), of: transfer,
                now: now))
    }

    /// 206 from `offset` of `total` bytes.
    mutating func part(from offset: Int64, of total: Int64, tag: String = "\"v1\"", zone: NetworkZone = .public) {
        head(206, [("Content-Range", "bytes \(offset)-\(total - 1)/\(total)"), ("ETag", tag)], zone: zone)
    }

    /// Sends this range of the media in pieces until one is refused; returns the end of the accepted bytes.
    @discardableResult
    mutating func send(_ range: Range<Int64>, piece: Int64 = 16_384) -> Int64 {
        var offset = range.lowerBound
        while offset < range.upperBound, let transfer {
            let end = min(range.upperBound, offset + piece)
            let bytes = MediaPattern.bytes(offset..<end)
            let (verdict, actions) = bytes.withUnsafeBytes { download.received($0, of: transfer, now: now) }
            perform(actions)
            if verdict == .pause {
                isPaused = true
                break
            }
            offset = end
        }
        return offset
    }

    /// Sends these bytes.
    mutating func sendRaw(_ bytes: [UInt8]) {
        guard let transfer else { return }
        perform(bytes.withUnsafeBytes { download.received($0, of: transfer, now: now).1 })
    }

    mutating func end(_ failure: TransferFailure? = nil) {
        guard let transfer else { return }
        self.transfer = nil
        perform(download.ended(failure, of: transfer, now: now))
    }

    mutating func drop() { end(.transient("origin.example broke the connection off.")) }

    /// Lets time pass, with all requested wake-ups.
    mutating func pass(_ seconds: Double) {
        let goal = now.advanced(bySeconds: seconds)
        while let next = wakes.min(), next <= goal {
            wakes.removeAll { $0 == next }
            now = max(now, next)
            perform(download.tick(now: now))
        }
        now = goal
    }

    /// The loaded bytes at `offset`; nil if a reader must wait.
    mutating func read(at offset: Int64, count: Int = 4_096) throws(MediaError) -> [UInt8]? {
        switch ask(at: offset) {
        case .wait, .cached: return nil
        case .end: return []
        case .failed(let error): throw error
        case .available:
            return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                filled = download.window.copy(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
    }

    mutating func ask(at offset: Int64) -> Download.ReadAnswer {
        let (answer, actions) = download.read(at: offset, now: now)
        perform(actions)
        return answer
    }

    mutating func cacheFailed() {
        perform(download.cacheFailed(now: now))
    }

    /// Whether the reader gets the correct bytes of this range without waiting.
    mutating func holds(_ range: Range<Int64>) throws(MediaError) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard let bytes = try read(at: offset, count: Int(min(65_536, range.upperBound - offset))), !bytes.isEmpty
            else { return false }
            if bytes[...] != MediaPattern.bytes(offset..<offset + Int64(bytes.count)) { return false }
            offset += Int64(bytes.count)
        }
        return true
    }

    private mutating func perform(_ actions: [Download.Action]) {
        for action in actions {
            switch action {
            case .start(let request, let id):
                requests.append(request)
                transfer = id
                isPaused = false
            case .cancel(let id): if transfer == id { transfer = nil }
            case .resume: isPaused = false
            case .wake(let time): wakes.append(time)
            case .report(let loading): reports.append(loading)
            case .forget: forgotten += 1
            case .confirm(let lifetime): confirmed.append(lifetime)
            }
        }
    }
}
