// SPDX-License-Identifier: Apache-2.0

internal import Glibc

public enum Descriptor {
    /// A second descriptor of the same open file, for another owner; nil, with errno, if there is none left.
    public static func duplicate(_ descriptor: Int32) -> Int32? {
        let second = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return second < 0 ? nil : second
    }
}
