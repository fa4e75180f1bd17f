// SPDX-License-Identifier: Apache-2.0
// The C library's heap functions for the program that this is linked into: each counts itself for its thread.

#include "HeapCounting.h"
#include <errno.h>
#include <stddef.h>

static __thread unsigned long calls __attribute__((tls_model("initial-exec")));

unsigned long heap_calls(void) { return calls; }

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)

int heap_is_counted(void) { return 0; }

#else

int heap_is_counted(void) { return 1; }

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) {
    calls++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    calls++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    calls++;
    return __libc_realloc(memory, size);
}

void free(void *memory) {
    calls++;
    __libc_free(memory);
}

void *memalign(size_t alignment, size_t size) {
    calls++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *memory = memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *result = memory;
    return 0;
}

#endif
