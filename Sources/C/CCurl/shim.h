// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include "../CLoading/table.h"

// All functions of libcurl in use.
#define CCURL_FUNCTIONS(each, curl)                                                                                           \
    each(curl, global_init) each(curl, version) each(curl, easy_init) each(curl, easy_cleanup) each(curl, easy_setopt)      \
        each(curl, easy_pause) each(curl, easy_strerror) each(curl, slist_append) each(curl, slist_free_all)                \
            each(curl, multi_init) each(curl, multi_cleanup) each(curl, multi_add_handle) each(curl, multi_remove_handle)   \
                each(curl, multi_perform) each(curl, multi_poll) each(curl, multi_info_read)

LOADED_LIBRARY(ccurl, "libcurl.so.4", curl_, CCURL_FUNCTIONS)

// Swift cannot call variadic functions. Each wrapper is for one type of argument.

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

static inline CURLcode ccurl_set_socket_function(const struct ccurl *curl, CURL *easy,
                                                 curl_opensocket_callback function) {
    return curl->easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}

static inline CURLcode ccurl_set_request_function(const struct ccurl *curl, CURL *easy, curl_prereq_callback function) {
    return curl->easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

// The address of a socket. It is longer than the member at which it begins.
static inline const struct sockaddr *ccurl_address(const struct curl_sockaddr *socket) { return &socket->addr; }

// The handle and result of the next finished transfer; NULL if there is none.
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
    ccurl_request_ok = CURL_PREREQFUNC_OK,
    ccurl_request_abort = CURL_PREREQFUNC_ABORT,
    ccurl_no_socket = CURL_SOCKET_BAD,
};

static const long ccurl_global_all = CURL_GLOBAL_ALL;
