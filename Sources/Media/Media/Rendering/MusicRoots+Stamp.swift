// SPDX-License-Identifier: Apache-2.0

internal import CLinux
public import Playback

extension MusicRoots {
    /// Distinguishes this state of a file from any other one. Needs no permission to read it.
    public func stamp(of uri: String) throws(MediaError) -> FileStamp {
        FileStamp(try open(try MusicPath(uri: uri), flags: clinux_o_path, uri: uri).status)
    }
}
