// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where the server keeps what it knows.
public enum DataDirectory {
    /// Makes it with those above it, for this user only; one that is there is left as it is.
    public static func make(_ path: String) throws(StateStoreError) {
        var made = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: true) {
            made += (made.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
            guard mkdir(made, 0o700) == 0 || errno == EEXIST || (errno == EROFS && access(made, F_OK) == 0) else {
                throw .unusable(path: made, reason: String(cString: strerror(errno)))
            }
        }
    }
}
