// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <malloc.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <linux/futex.h>
#include <pthread.h>
#include <linux/memfd.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/// dup3(2) with close-on-exec, which the Glibc module lacks.
static inline int clinux_replace(int descriptor, int number) { return dup3(descriptor, number, O_CLOEXEC); }

/// Names the calling thread (15 bytes). prctl is variadic: Swift cannot call it.
static inline void clinux_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/// The signals of a crash.
static const int clinux_crash_signals[] = {SIGSEGV, SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGABRT};
enum { clinux_crash_signal_count = sizeof clinux_crash_signals / sizeof clinux_crash_signals[0] };

static inline const char *clinux_crash_signal_name(int number) {
    switch (number) {
    case SIGSEGV: return "SIGSEGV";
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    default: return "SIGABRT";
    }
}

/// Async-signal-safe. The default action is restored already (SA_RESETHAND): when the handler returns, the signal ends the
/// process, and a core file shows its state.
static inline void clinux_tell_crash(int number) {
    char text[80];
    char thread[16] = "";
    size_t length = 0;
    prctl(PR_GET_NAME, thread, 0, 0, 0);
    const char *parts[] = {"tonearm: ended by ", clinux_crash_signal_name(number), " in the thread ", thread, "\n"};
    for (size_t part = 0; part < sizeof parts / sizeof parts[0]; part++)
        for (const char *next = parts[part]; *next && length < sizeof text; next++) text[length++] = *next;
    // One call, so that lines of other threads stay apart. A failure cannot be reported.
    ssize_t written = write(STDERR_FILENO, text, length);
    (void)written;
    // A signal from another process, or a trap after which execution continues, would not occur again.
    raise(number);
}

/// Leaves signals that have a handler, such as Swift's backtracer.
static inline void clinux_report_crashes(void) {
    for (int index = 0; index < clinux_crash_signal_count; index++) {
        struct sigaction action = {0};
        if (sigaction(clinux_crash_signals[index], NULL, &action) != 0) continue;
        if ((action.sa_flags & SA_SIGINFO) || action.sa_handler != SIG_DFL) continue;
        action.sa_handler = clinux_tell_crash;
        action.sa_flags = (int)SA_RESETHAND;
        sigemptyset(&action.sa_mask);
        sigaction(clinux_crash_signals[index], &action, NULL);
    }
}

/// Removes the crash signals from a set to be blocked: a blocked one would end the process without its handler.
static inline void clinux_leave_crash_signals(sigset_t *set) {
    for (int index = 0; index < clinux_crash_signal_count; index++) sigdelset(set, clinux_crash_signals[index]);
}

/// Sleeps while `*word` is `expected`; may return early. futex has no libc wrapper, and syscall is variadic.
static inline void clinux_futex_wait(void *word, uint32_t expected) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, 0, 0, 0);
}

/// Wakes all sleepers on `word`. Never blocks.
static inline void clinux_futex_wake_all(void *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0); }

/// Declared here, as is accept4, because defining _GNU_SOURCE would make this module's types differ from the Glibc module's.
extern int pthread_clockjoin_np(pthread_t, void **, clockid_t, const struct timespec *);
extern int accept4(int, struct sockaddr *, socklen_t *, int);

/// The new socket is non-blocking and close-on-exec.
static inline int clinux_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// The user of a Unix socket's peer when it connected; -1 if unknown.
static inline int64_t clinux_peer_user(int descriptor) {
    // `struct ucred`, which is incomplete in the Glibc module.
    struct { pid_t process; uid_t user; gid_t group; } peer;
    socklen_t length = sizeof peer;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? (int64_t)peer.user : -1;
}

/// The names of resources are an enumeration in some versions of the Glibc module and an integer in others.
static inline int clinux_get_descriptor_limit(struct rlimit *limit) { return getrlimit(RLIMIT_NOFILE, limit); }
static inline int clinux_set_descriptor_limit(const struct rlimit *limit) { return setrlimit(RLIMIT_NOFILE, limit); }

/// Lowers the calling thread's CPU priority (nice 10) and disk priority (lowest best-effort class). A kernel that refuses
/// these hints only changes the order of work. ioprio_set has no libc wrapper.
static inline void clinux_yield_to_others(void) {
    setpriority(PRIO_PROCESS, 0, 10);
    syscall(SYS_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */, 0, 2 << 13 | 7 /* IOPRIO_CLASS_BE */);
}

/// Anonymous memory for two processes to map. Neither can change its size, so that reading never faults. -1 with errno.
/// memfd_create and the seals' names need _GNU_SOURCE (linux/fcntl.h collides with the Glibc module), and fcntl is variadic.
static inline int clinux_shared_memory(const char *name, long size) {
    int descriptor = (int)syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -1;
    if (ftruncate(descriptor, size) != 0 ||
        syscall(SYS_fcntl, descriptor, 1033 /* F_ADD_SEALS */, 1 /* SEAL */ | 2 /* SHRINK */ | 4 /* GROW */) != 0) {
        int code = errno;
        close(descriptor);
        errno = code;
        return -1;
    }
    return descriptor;
}

/// Sets a soft and hard limit of the calling process, but does not raise the hard limit.
static inline int clinux_limit(int resource, unsigned long value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return -1;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < value) value = limit.rlim_max;
    limit.rlim_cur = limit.rlim_max = value;
    return setrlimit(resource, &limit);
}
static const int clinux_limit_address_space = RLIMIT_AS, clinux_limit_descriptors = RLIMIT_NOFILE;
static const int clinux_limit_processes = RLIMIT_NPROC, clinux_limit_core = RLIMIT_CORE;
static const int clinux_limit_file_size = RLIMIT_FSIZE;

/// The process dies with the thread that created it; neither it nor a program that it executes gains privileges.
static inline int clinux_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }
static inline int clinux_forgo_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }
/// Other processes of the same user can neither trace this process nor read its memory.
static inline int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
/// For a check that it fails. Swift does not import fork.
static inline int clinux_fork(void) { return (int)fork(); }

/// Permanently forbids all access to files, TCP ports and processes outside of the sandbox (Landlock), as far as the kernel
/// supports it. Returns the Landlock version, 0 without Landlock, -1 with errno. Landlock has no libc wrapper.
static inline int clinux_forbid_files(void) {
    struct { uint64_t files, network, scopes; } rules = {0, 0, 0};
    long version = syscall(444 /* landlock_create_ruleset */, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
    if (version < 1) return 0;
    rules.files = version >= 5 ? 0xFFFF : version >= 3 ? 0x7FFF : version >= 2 ? 0x3FFF : 0x1FFF;
    if (version >= 4) rules.network = 3 /* bind, connect */;
    if (version >= 6) rules.scopes = 3 /* abstract sockets, signals */;
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int set = (int)syscall(444, &rules, size, 0);
    if (set < 0) return -1;
    long code = syscall(446 /* landlock_restrict_self */, set, 0);
    int reason = errno;
    close(set);
    errno = reason;
    return code == 0 ? (int)version : -1;
}

/// Grants a child `seconds` of further processor time; then the kernel ends it (SIGXCPU). -1 with errno. prlimit and
/// clock_getcpuclockid are hidden behind _GNU_SOURCE or variadic in parts of the Glibc module.
static inline int clinux_allow_processor_time(pid_t process, unsigned seconds) {
    clockid_t clock = (clockid_t)((~(unsigned)process << 3) | 2 /* CPUCLOCK_SCHED */);
    struct timespec used;
    if (syscall(SYS_clock_gettime, clock, &used) != 0) return -1;
    struct { uint64_t soft, hard; } old, limit;
    if (syscall(SYS_prlimit64, process, RLIMIT_CPU, NULL, &old) != 0) return -1;
    limit.hard = old.hard;
    limit.soft = (uint64_t)used.tv_sec + 1 + seconds;
    if (limit.soft > old.hard) limit.soft = old.hard;
    return (int)syscall(SYS_prlimit64, process, RLIMIT_CPU, &limit, NULL);
}

/// Declared here because the Glibc module hides it behind _GNU_SOURCE (glibc 2.34).
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);

/// The new process inherits no descriptor from `first` on.
static inline int clinux_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

/// Waits until a child has ended, without reaping it: 1, 0 after `milliseconds`, -1 with errno. Some C libraries have no
/// wrapper for pidfd_open (Linux 5.3).
static inline int clinux_wait_for_end(pid_t process, int milliseconds) {
    int descriptor = (int)syscall(434 /* pidfd_open */, process, 0);
    if (descriptor < 0) return -1;
    struct pollfd entry = {descriptor, POLLIN, 0};
    int code;
    do code = poll(&entry, 1, milliseconds);
    while (code < 0 && errno == EINTR);
    close(descriptor);
    return code;
}

/// A timer on the wall clock; -1 with errno. `struct itimerspec` is incomplete in the Glibc module.
static inline int clinux_wall_timer(void) { return timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC); }
/// The timer becomes readable at `milliseconds` since the epoch, or if the clock is set; 0: only if the clock is set.
static inline void clinux_arm_wall_timer(int timer, int64_t milliseconds) {
    struct itimerspec time = {{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000000}};
    if (milliseconds == 0) time.it_value.tv_sec = (time_t)1 << 33;
    timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL);
}
/// Fails if the timer is not due, or if the clock was set (ECANCELED), which the caller notices by the clock itself.
static inline void clinux_read_wall_timer(int timer) {
    uint64_t count;
    ssize_t length = read(timer, &count, sizeof count);
    (void)length;
}

/// Only glibc supports this.
static inline void clinux_trim_heap(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/// Unmaps the program's code and constants, which the linker puts between these two symbols. Pages are read from its file again.
static inline void clinux_drop_program_pages(void) {
    extern const char __executable_start[], etext[];
    madvise((void *)__executable_start, etext - __executable_start, MADV_DONTNEED);
}

/// Makes the calling thread treat denormal operands and results as 0, if the processor has such a mode: arithmetic with
/// denormals takes up to a hundred times as long. Returns the mode to restore.
static inline uint64_t clinux_flush_denormals(void) {
#if defined(__SSE2__)
    unsigned mode = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(mode | 0x8040);
    return mode;
#elif defined(__aarch64__)
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    __asm__ volatile("msr fpcr, %0" : : "r"(mode | UINT64_C(1) << 24));
    return mode;
#else
    return 0;
#endif
}

static inline void clinux_restore_denormals(uint64_t mode) {
#if defined(__SSE2__)
    __builtin_ia32_ldmxcsr((unsigned)mode);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#else
    (void)mode;
#endif
}
