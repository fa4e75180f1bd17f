// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <stddef.h>

// A library that is loaded on demand, not with the program (docs/decisions/0020-memory.md).
//
// LOADED_LIBRARY(table, "file", prefix_, FUNCTIONS) declares `struct table`, with a pointer for every function that
// `FUNCTIONS(each, prefix_)` lists as `each(prefix_, name)`, and `table_load`, which opens the file and fills the struct.
// The library's header declares the functions, so that the compiler checks each call.

static inline const char *cloading_problem(void) {
    const char *text = dlerror();
    return text != NULL ? text : "no reason given";
}

#define CLOADING_MEMBER(prefix, name) __typeof__(&(prefix##name)) name;

#define CLOADING_FIND(prefix, name)                                                                                           \
    functions->name = (__typeof__(functions->name))dlsym(library, #prefix #name);                                             \
    if (functions->name == NULL) return cloading_problem();

// `table_load` returns NULL if all functions were found, otherwise the dynamic linker's text, which the linker owns. The library
// is never unloaded.
#define LOADED_LIBRARY(table, file, prefix, FUNCTIONS)                                                                        \
    struct table {                                                                                                            \
        FUNCTIONS(CLOADING_MEMBER, prefix)                                                                                    \
    };                                                                                                                        \
    static inline const char *table##_load(struct table *functions) {                                                         \
        void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);                                                                  \
        if (library == NULL) return cloading_problem();                                                                       \
        FUNCTIONS(CLOADING_FIND, prefix)                                                                                      \
        return NULL;                                                                                                          \
    }
