// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>
#include <dlfcn.h>
#include <stddef.h>

// Every function of libcurl that is called, found when libcurl is loaded: at the first use of the network, not at the
// start of the program (docs/decisions/0020-libraries-when-needed.md).
#define CCURL_FUNCTIONS(each)                                                                                                 \
    each(global_init) each(version) each(easy_init) each(easy_cleanup) each(easy_setopt) each(easy_pause)                   \
        each(easy_strerror) each(slist_append) each(slist_free_all) each(multi_init) each(multi_cleanup)                    \
            each(multi_add_handle) each(multi_remove_handle) each(multi_perform) each(multi_poll) each(multi_info_read)

struct ccurl {
#define CCURL_MEMBER(name) __typeof__(&(curl_##name)) name;
    CCURL_FUNCTIONS(CCURL_MEMBER)
#undef CCURL_MEMBER
};

// NULL when all were found, else the dynamic linker's text, which belongs to it. Never unloaded.
static inline const char *ccurl_load(struct ccurl *curl) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return dlerror();
#define CCURL_FIND(name)                                                                                                      \
    curl->name = (__typeof__(curl->name))dlsym(library, "curl_" #name);                                                       \
    if (curl->name == NULL) return dlerror();
    CCURL_FUNCTIONS(CCURL_FIND)
#undef CCURL_FIND
    return NULL;
}

// Swift cannot call variadic functions; each wrapper is one type of argument.

static inline CURLcode ccurl_set_long(const struct ccurl *curl, CURL *easy, CURLoption option, long value) {
    return curl->easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_text(const struct ccurl *curl, CURL *easy, CURLoption option, const char *value) {
    return curl->easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(const struct ccurl *curl, CURL *easy, CURLoption option, void *value) {
    return curl->easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_list(const struct ccurl *curl, CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl->easy_setopt(easy, option, value);
}

typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_data_function(const struct ccurl *curl, CURL *easy, CURLoption option,
                                               ccurl_data_function function) {
    return curl->easy_setopt(easy, option, function);
}

// The handle and result of a finished transfer; NULL when no more have finished.
static inline CURL *ccurl_next_finished(const struct ccurl *curl, CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl->multi_info_read(multi, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

enum {
    ccurl_write_pause = CURL_WRITEFUNC_PAUSE,
    ccurl_wait_readable = CURL_WAIT_POLLIN,
};

static const long ccurl_global_all = CURL_GLOBAL_ALL;
