// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import CSeccomp
internal import Glibc
internal import MediaWorkerProtocol

/// Drops all rights that decoding does not need, for good, before the first untrusted byte.
///
/// Still allowed: bounded memory, reading and writing the initial descriptors, reading clocks, exiting. The server limits the CPU time
/// from outside, so this process cannot lift that limit.
enum Sandbox {
    /// Bytes of address space, in addition to the libraries'.
    static let memory = 512 << 20

    struct Failure: Error {
        var call: String
        var code: Int32
    }

    static func enter() throws(Failure) {
        guard clinux_die_with_parent() == 0 else { throw Failure(call: "PR_SET_PDEATHSIG", code: errno) }
        guard clinux_forbid_dumps() == 0 else { throw Failure(call: "PR_SET_DUMPABLE", code: errno) }
        guard clinux_forgo_privileges() == 0 else { throw Failure(call: "PR_SET_NO_NEW_PRIVS", code: errno) }
        let memory = try occupied() + Self.memory
        // Landlock needs a descriptor for a moment, so this comes before the limit on descriptors.
        _ = try forbidFiles()
        try limit(clinux_limit_address_space, memory, "RLIMIT_AS")
        try limit(clinux_limit_descriptors, Int(SharedMemory.memoryDescriptor) + 1, "RLIMIT_NOFILE")
        try limit(clinux_limit_processes, 0, "RLIMIT_NPROC")
        try limit(clinux_limit_file_size, 0, "RLIMIT_FSIZE")
        try limit(clinux_limit_core, 0, "RLIMIT_CORE")
        try filter()
    }

    /// A second layer below the filter (Landlock): no files, no TCP ports, no signals to other processes. False if the kernel does not
    /// support it.
    static func forbidFiles() throws(Failure) -> Bool {
        switch clinux_forbid_files() {
        case 0: return false
        case 1...: return true
        default: throw Failure(call: "Landlock", code: errno)
        }
    }

    private static let allowed = [
        "read", "write", "close", "exit", "exit_group", "brk", "munmap", "mremap", "madvise", "futex", "getrandom",
        "clock_gettime", "gettimeofday", "sched_yield", "restart_syscall",
    ]

    private static func filter() throws(Failure) {
        guard let filter = seccomp_init(cseccomp_refuse) else { throw Failure(call: "seccomp_init", code: ENOMEM) }
        defer { seccomp_release(filter) }
        for name in allowed { try allow(name, filter, []) }
        // No executable memory.
        let harmless = scmp_arg_cmp(
            arg: 2, op: SCMP_CMP_MASKED_EQ, datum_a: scmp_datum_t(PROT_EXEC), datum_b: 0)
        try allow("mmap", filter, [harmless])
        try allow("mprotect", filter, [harmless])
        let code = seccomp_load(filter)
        guard code == 0 else { throw Failure(call: "seccomp_load", code: -code) }
    }

    private static func allow(
        _ name: String, _ filter: scmp_filter_ctx, _ conditions: [scmp_arg_cmp]
    ) throws(Failure) {
        let number = seccomp_syscall_resolve_name(name)
        let code = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, UInt32(conditions.count), conditions)
        guard code == 0 else { throw Failure(call: "seccomp rule for \(name)", code: -code) }
    }

    private static func limit(_ resource: Int32, _ value: Int, _ name: String) throws(Failure) {
        guard clinux_limit(resource, UInt(value)) == 0 else { throw Failure(call: name, code: errno) }
    }

    /// Bytes of address space in use (/proc/self/statm).
    private static func occupied() throws(Failure) -> Int {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(call: "/proc/self/statm", code: errno) }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &text, text.count)
        guard let pages = Int(String(decoding: text.prefix(max(0, count)).prefix { $0 != 0x20 }, as: UTF8.self)) else {
            throw Failure(call: "/proc/self/statm", code: EINVAL)
        }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
