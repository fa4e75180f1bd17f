// SPDX-License-Identifier: Apache-2.0
#ifndef HEAP_COUNTING_H
#define HEAP_COUNTING_H

/// False where a sanitizer has the heap.
int heap_is_counted(void);
/// Calls of malloc, calloc, realloc, free and their like by this thread.
unsigned long heap_calls(void);

#endif
