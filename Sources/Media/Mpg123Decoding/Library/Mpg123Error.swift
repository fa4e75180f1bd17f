// SPDX-License-Identifier: Apache-2.0

internal import CMpg123
internal import Playback

/// A failed call of libmpg123: its code, its name and the library's text.
struct Mpg123Error: Error, CustomStringConvertible {
    let code: Int32
    let call: String
    let text: String

    init(code: Int32, call: String) {
        self.code = code
        self.call = call
        self.text = String(cString: mpg123_plain_strerror(code))
    }

    var description: String { "\(call): \(text) (\(code))" }

    func mediaError(_ name: String) -> MediaError {
        MediaError(.unreadable, "\(name) cannot be decoded: \(self).")
    }
}

enum Mpg123Library {
    /// Once in a process; later versions of the library do not need it.
    static let initialised: Int32 = mpg123_init()
}
