// SPDX-License-Identifier: Apache-2.0

public import Playback

/// The answer of `GET /media/info`, for programs that describe media without a server.
public enum MediaDocument {
    public static func json(of media: MediaDescription, uri: String) -> [UInt8] {
        JSONWriter.object { $0.members(of: media, uri: uri) }
    }
}
