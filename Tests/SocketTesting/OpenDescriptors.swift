// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The number of open descriptors of this process, without the one used for counting.
public func openDescriptors() -> Int {
    guard let directory = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count - 3
}
