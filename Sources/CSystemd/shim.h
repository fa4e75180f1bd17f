// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <stddef.h>
#include <systemd/sd-bus.h>

/// The functions of sd-bus that are used. All there, or the table is not filled.
struct csystemd_bus {
    __typeof__(sd_bus_open_user) *open_user;
    __typeof__(sd_bus_open_system) *open_system;
    __typeof__(sd_bus_set_exit_on_disconnect) *set_exit_on_disconnect;
    __typeof__(sd_bus_close_unref) *close_unref;
    __typeof__(sd_bus_send) *send;
    __typeof__(sd_bus_call_async) *call_async;
    __typeof__(sd_bus_add_match_async) *add_match_async;
    __typeof__(sd_bus_get_fd) *get_fd;
    __typeof__(sd_bus_get_events) *get_events;
    __typeof__(sd_bus_get_timeout) *get_timeout;
    __typeof__(sd_bus_process) *process;
    __typeof__(sd_bus_add_object) *add_object;
    __typeof__(sd_bus_request_name_async) *request_name_async;
    __typeof__(sd_bus_message_new_signal) *message_new_signal;
    __typeof__(sd_bus_message_new_method_return) *message_new_method_return;
    __typeof__(sd_bus_message_new_method_error) *message_new_method_error;
    __typeof__(sd_bus_message_new_method_call) *message_new_method_call;
    __typeof__(sd_bus_message_set_auto_start) *message_set_auto_start;
    __typeof__(sd_bus_message_get_path) *message_get_path;
    __typeof__(sd_bus_message_get_cookie) *message_get_cookie;
    __typeof__(sd_bus_message_get_reply_cookie) *message_get_reply_cookie;
    __typeof__(sd_bus_message_skip) *message_skip;
    __typeof__(sd_bus_message_ref) *message_ref;
    __typeof__(sd_bus_message_unref) *message_unref;
    __typeof__(sd_bus_message_get_expect_reply) *message_get_expect_reply;
    __typeof__(sd_bus_message_get_signature) *message_get_signature;
    __typeof__(sd_bus_message_get_interface) *message_get_interface;
    __typeof__(sd_bus_message_get_member) *message_get_member;
    __typeof__(sd_bus_message_is_method_call) *message_is_method_call;
    __typeof__(sd_bus_message_is_method_error) *message_is_method_error;
    __typeof__(sd_bus_message_append_basic) *message_append_basic;
    __typeof__(sd_bus_message_open_container) *message_open_container;
    __typeof__(sd_bus_message_close_container) *message_close_container;
    __typeof__(sd_bus_message_read_basic) *message_read_basic;
    __typeof__(sd_bus_message_enter_container) *message_enter_container;
    __typeof__(sd_bus_message_exit_container) *message_exit_container;
    __typeof__(sd_bus_message_peek_type) *message_peek_type;
};

/// Opens libsystemd and fills the table; 0 when the library or a function of it is not there (`dlerror` says which).
static inline int csystemd_open_bus(struct csystemd_bus *bus) {
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return 0;
#define CSYSTEMD_FUNCTION(name)                                                  \
    do {                                                                         \
        *(void **)&bus->name = dlsym(library, "sd_bus_" #name);                  \
        if (bus->name == NULL) return 0;                                         \
    } while (0)
    CSYSTEMD_FUNCTION(open_user);
    CSYSTEMD_FUNCTION(open_system);
    CSYSTEMD_FUNCTION(set_exit_on_disconnect);
    CSYSTEMD_FUNCTION(close_unref);
    CSYSTEMD_FUNCTION(send);
    CSYSTEMD_FUNCTION(call_async);
    CSYSTEMD_FUNCTION(add_match_async);
    CSYSTEMD_FUNCTION(get_fd);
    CSYSTEMD_FUNCTION(get_events);
    CSYSTEMD_FUNCTION(get_timeout);
    CSYSTEMD_FUNCTION(process);
    CSYSTEMD_FUNCTION(add_object);
    CSYSTEMD_FUNCTION(request_name_async);
    CSYSTEMD_FUNCTION(message_new_signal);
    CSYSTEMD_FUNCTION(message_new_method_return);
    CSYSTEMD_FUNCTION(message_new_method_error);
    CSYSTEMD_FUNCTION(message_new_method_call);
    CSYSTEMD_FUNCTION(message_set_auto_start);
    CSYSTEMD_FUNCTION(message_get_path);
    CSYSTEMD_FUNCTION(message_get_cookie);
    CSYSTEMD_FUNCTION(message_get_reply_cookie);
    CSYSTEMD_FUNCTION(message_skip);
    CSYSTEMD_FUNCTION(message_ref);
    CSYSTEMD_FUNCTION(message_unref);
    CSYSTEMD_FUNCTION(message_get_expect_reply);
    CSYSTEMD_FUNCTION(message_get_signature);
    CSYSTEMD_FUNCTION(message_get_interface);
    CSYSTEMD_FUNCTION(message_get_member);
    CSYSTEMD_FUNCTION(message_is_method_call);
    CSYSTEMD_FUNCTION(message_is_method_error);
    CSYSTEMD_FUNCTION(message_append_basic);
    CSYSTEMD_FUNCTION(message_open_container);
    CSYSTEMD_FUNCTION(message_close_container);
    CSYSTEMD_FUNCTION(message_read_basic);
    CSYSTEMD_FUNCTION(message_enter_container);
    CSYSTEMD_FUNCTION(message_exit_container);
    CSYSTEMD_FUNCTION(message_peek_type);
#undef CSYSTEMD_FUNCTION
    return 1;
}

/// Why the last `csystemd_open_bus` failed.
static inline const char *csystemd_problem(void) {
    const char *text = dlerror();
    return text != NULL ? text : "no reason given";
}
