// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Names the calling thread (15 bytes); prctl is variadic, which Swift cannot call.
static inline void clinux_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/// Sleeps while `*word` is `expected`; may return early. futex has no libc wrapper and syscall is variadic.
static inline void clinux_futex_wait(void *word, uint32_t expected) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, 0, 0, 0);
}

/// Wakes every sleeper on `word`. Never blocks.
static inline void clinux_futex_wake_all(void *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0); }

/// Declared here, as is accept4, because defining _GNU_SOURCE would make this module's types differ from the Glibc module's.
extern int pthread_clockjoin_np(pthread_t, void **, clockid_t, const struct timespec *);
extern int accept4(int, struct sockaddr *, socklen_t *, int);

/// The new socket is non-blocking and close-on-exec.
static inline int clinux_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// The names of resources are an enumeration in some versions of the Glibc module and an integer in others.
static inline int clinux_get_descriptor_limit(struct rlimit *limit) { return getrlimit(RLIMIT_NOFILE, limit); }
static inline int clinux_set_descriptor_limit(const struct rlimit *limit) { return setrlimit(RLIMIT_NOFILE, limit); }

/// Lets the calling thread's work wait for that of others: CPU (nice 10) and disk (the lowest best-effort class). Both are
/// hints; a kernel that refuses them changes nothing but the order. ioprio_set has no libc wrapper.
static inline void clinux_yield_to_others(void) {
    setpriority(PRIO_PROCESS, 0, 10);
    syscall(SYS_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */, 0, 2 << 13 | 7 /* IOPRIO_CLASS_BE */);
}
