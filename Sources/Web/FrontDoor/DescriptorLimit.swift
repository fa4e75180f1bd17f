// SPDX-License-Identifier: Apache-2.0

internal import CLinux
import Glibc

/// The process' limit of open descriptors.
public enum DescriptorLimit {
    /// Raises the soft limit to `count`, or as far as the hard limit lets it; never lowers it. Not simply to the hard
    /// limit, which is a billion in some containers: libwebsockets sizes its tables by it. Call it before any server
    /// starts. Returns the limit that now holds.
    @discardableResult
    public static func raise(toAtLeast count: Int) -> Int {
        var limit = rlimit()
        guard clinux_get_descriptor_limit(&limit) == 0 else { return 0 }
        if limit.rlim_cur < rlim_t(count) {
            var wanted = limit
            wanted.rlim_cur = min(rlim_t(count), limit.rlim_max)
            if clinux_set_descriptor_limit(&wanted) == 0 { limit = wanted }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
