// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import CMpg123
internal import Glibc
internal import Playback

/// Owns a handle of libmpg123. For one thread at a time.
struct Mpg123Handle: ~Copyable {
    /// Result of `mpg123_decode_frame`.
    enum Step {
        /// Interleaved samples, valid until the next call.
        case decoded(UnsafeBufferPointer<Float>)
        case newFormat
        case done
        case failed(Mpg123Error)
    }

    /// Once per process; later versions of the library do not need it.
    private static let initialised: Int32 = mpg123_init()

    private let pointer: OpaquePointer

    init() throws(Mpg123Error) {
        guard Self.initialised == MPG123_OK.rawValue else {
            throw Mpg123Error(code: Self.initialised, call: "mpg123_init")
        }
        var code: Int32 = 0
        guard let pointer = mpg123_new(nil, &code) else { throw Mpg123Error(code: code, call: "mpg123_new") }
        self.pointer = pointer
    }

    deinit { mpg123_delete(pointer) }

    func set(_ parameter: mpg123_parms, _ value: Int) throws(Mpg123Error) {
        try check(mpg123_param2(pointer, Int32(bitPattern: parameter.rawValue), value, 0), "mpg123_param")
    }

    /// Reads from `reader`, which must outlive the handle.
    func open(_ reader: SourceReader) throws(Mpg123Error) {
        // Called only while the library reads, so the handle is valid.
        reader.lastFrame = { [pointer] in Int64(mpg123_framepos(pointer)) }
        try check(
            mpg123_replace_reader_handle(
                pointer,
                { Unmanaged<SourceReader>.fromOpaque($0!).takeUnretainedValue().read($1!, count: $2) },
                { Unmanaged<SourceReader>.fromOpaque($0!).takeUnretainedValue().seek($1, whence: $2) },
                nil),
            "mpg123_replace_reader_handle")
        try check(mpg123_open_handle(pointer, Unmanaged.passUnretained(reader).toOpaque()), "mpg123_open_handle")
    }

    /// Sets the stream's size, so that the library need not seek to its end.
    func setSize(_ bytes: Int64) throws(Mpg123Error) {
        try check(mpg123_set_filesize(pointer, off_t(bytes)), "mpg123_set_filesize")
    }

    /// Sets the offset of every `step`th frame, so that a seek need not read all bytes before its target.
    func setIndex(_ offsets: [Int64], step: Int64) throws(Mpg123Error) {
        var offsets = offsets.map { off_t($0) }
        try check(mpg123_set_index(pointer, &offsets, off_t(step), offsets.count), "mpg123_set_index")
    }

    /// The format of the next frame; reads up to the first frame. nil without one.
    func format() throws(Mpg123Error) -> AudioFormat? {
        var rate = 0
        var channels: Int32 = 0
        var encoding: Int32 = 0
        let code = mpg123_getformat2(pointer, &rate, &channels, &encoding, 1)
        if code == MPG123_DONE.rawValue { return nil }
        try check(code, "mpg123_getformat")
        return AudioFormat(sampleRate: rate, layout: channels == 1 ? .mono : .stereo)
    }

    func frameInfo() throws(Mpg123Error) -> mpg123_frameinfo2 {
        var info = mpg123_frameinfo2()
        try check(mpg123_info2(pointer, &info), "mpg123_info")
        return info
    }

    func decodeFrame() -> Step {
        var number: off_t = 0
        var audio: UnsafeMutablePointer<UInt8>?
        var bytes = 0
        switch mpg123_decode_frame(pointer, &number, &audio, &bytes) {
        case MPG123_OK.rawValue:
            let count = bytes / MemoryLayout<Float>.stride
            let samples = UnsafeRawPointer(audio)?.assumingMemoryBound(to: Float.self)
            return .decoded(UnsafeBufferPointer(start: samples, count: samples == nil ? 0 : count))
        case MPG123_NEW_FORMAT.rawValue: return .newFormat
        case MPG123_DONE.rawValue: return .done
        case let code: return .failed(error(code, "mpg123_decode_frame"))
        }
    }

    /// Byte offset of the header of the last parsed frame.
    var framePosition: Int64 { Int64(mpg123_framepos(pointer)) }

    /// Total audible frames by header, scan or estimate; nil if unknown.
    var length: Int64? {
        let length = mpg123_length(pointer)
        return length < 0 ? nil : Int64(length)
    }

    var samplesPerFrame: Int { Int(mpg123_spf(pointer)) }

    /// Reads all frame headers: makes `length` exact and fills the index. Keeps the position.
    func scan() throws(Mpg123Error) { try check(mpg123_scan(pointer), "mpg123_scan") }

    func seek(to frame: Int64) throws(Mpg123Error) -> Int64 {
        let reached = mpg123_seek(pointer, off_t(frame), SEEK_SET)
        guard reached >= 0 else { throw error(Int32(reached), "mpg123_seek") }
        return Int64(reached)
    }

    /// The gain from tags or the LAME header, in dB; 0 if there is none.
    func volumeAdjustment(album: Bool) throws(Mpg123Error) -> Double {
        var base = 0.0
        var really = 0.0
        var decibels = 0.0
        // Only a query: the mode is off again before anything is decoded.
        try set(MPG123_RVA, Int(album ? MPG123_RVA_ALBUM.rawValue : MPG123_RVA_MIX.rawValue))
        let code = mpg123_getvolume(pointer, &base, &really, &decibels)
        try set(MPG123_RVA, Int(MPG123_RVA_OFF.rawValue))
        try check(code, "mpg123_getvolume")
        return decibels
    }

    /// Passes the tags found so far to `body`, then frees them.
    func withTags<Result>(
        _ body: (_ v1: mpg123_id3v1?, _ v2: mpg123_id3v2?) -> Result
    ) throws(Mpg123Error) -> Result {
        var v1: UnsafeMutablePointer<mpg123_id3v1>?
        var v2: UnsafeMutablePointer<mpg123_id3v2>?
        try check(mpg123_id3(pointer, &v1, &v2), "mpg123_id3")
        defer { mpg123_meta_free(pointer) }
        return body(v1?.pointee, v2?.pointee)
    }

    private func check(_ code: Int32, _ call: String) throws(Mpg123Error) {
        guard code == MPG123_OK.rawValue else { throw error(code, call) }
    }

    private func error(_ code: Int32, _ call: String) -> Mpg123Error {
        // MPG123_ERR means that the handle has the specific code.
        Mpg123Error(code: code == MPG123_ERR.rawValue ? mpg123_errcode(pointer) : code, call: call)
    }
}

/// A failed call of libmpg123: code, function and the library's text.
struct Mpg123Error: Error, CustomStringConvertible {
    let code: Int32
    let call: String

    var description: String { "\(call): \(String(cString: mpg123_plain_strerror(code))) (\(code))" }

    func mediaError(_ name: String) -> MediaError {
        MediaError(.unreadable, "\(name) cannot be decoded: \(self).")
    }
}
