// SPDX-License-Identifier: Apache-2.0
/* Preloaded, reports to the thread sanitizer what it does not see on Linux: the slow path of Swift's Mutex, which lies in a
   library that is built without it and waits in a futex; and pthread_clockjoin_np, which it does not know. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

static void *find(void *where, const char *name) {
    void *found = dlsym(where, name);
    if (!found) {
        fprintf(stderr, "thread-sanitizer.c: there is no %s\n", name);
        abort();
    }
    return found;
}

static void notify(const char *name, void *address) {
    /* Not there in a program that is built without the sanitizer. */
    void (*function)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, name);
    if (function) function(address);
}

/* _MutexHandle._lockSlow(_: UInt32) */
SWIFT void lockSlow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void lockSlow(uint32_t thread, SELF void *handle) {
    static SWIFT void (*next)(uint32_t, SELF void *);
    if (!next) next = find(RTLD_NEXT, LOCK);
    next(thread, handle);
    notify("__tsan_acquire", handle);
}

/* _MutexHandle._unlockSlow() */
SWIFT void unlockSlow(SELF void *handle) __asm__(UNLOCK);
SWIFT void unlockSlow(SELF void *handle) {
    static SWIFT void (*next)(SELF void *);
    if (!next) next = find(RTLD_NEXT, UNLOCK);
    notify("__tsan_release", handle);
    next(handle);
}

int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *deadline) {
    static int (*join)(pthread_t, void **, const struct timespec *);
    if (!join) join = find(RTLD_DEFAULT, "pthread_timedjoin_np");
    struct timespec now, wall;
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &wall);
    int64_t left = (deadline->tv_sec - now.tv_sec) * INT64_C(1000000000) + (deadline->tv_nsec - now.tv_nsec);
    int64_t end = wall.tv_sec * INT64_C(1000000000) + wall.tv_nsec + left;
    struct timespec moment = {.tv_sec = end / 1000000000, .tv_nsec = end % 1000000000};
    return join(thread, result, &moment);
}
