// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemd/sd-bus.h>

#include "../CLoading/table.h"

// All functions of sd-bus in use.
#define CSYSTEMD_FUNCTIONS(each, sd_bus)                                                                                      \
    each(sd_bus, open_user) each(sd_bus, open_system) each(sd_bus, set_exit_on_disconnect)                                    \
        each(sd_bus, close_unref) each(sd_bus, send) each(sd_bus, call_async) each(sd_bus, add_match_async)                   \
        each(sd_bus, get_fd) each(sd_bus, get_events) each(sd_bus, get_timeout) each(sd_bus, process)                         \
        each(sd_bus, add_object) each(sd_bus, request_name_async) each(sd_bus, message_new_signal)                            \
        each(sd_bus, message_new_method_return) each(sd_bus, message_new_method_error)                                        \
        each(sd_bus, message_new_method_call) each(sd_bus, message_set_auto_start)                                            \
        each(sd_bus, message_get_path) each(sd_bus, message_get_cookie)                                                       \
        each(sd_bus, message_get_reply_cookie) each(sd_bus, message_skip) each(sd_bus, message_ref)                           \
        each(sd_bus, message_unref) each(sd_bus, message_get_expect_reply)                                                    \
        each(sd_bus, message_get_signature) each(sd_bus, message_get_interface)                                               \
        each(sd_bus, message_get_member) each(sd_bus, message_is_method_call)                                                 \
        each(sd_bus, message_is_method_error) each(sd_bus, message_append_basic)                                              \
        each(sd_bus, message_open_container) each(sd_bus, message_close_container)                                            \
        each(sd_bus, message_read_basic) each(sd_bus, message_enter_container)                                                \
        each(sd_bus, message_exit_container) each(sd_bus, message_peek_type)

LOADED_LIBRARY(csystemd_bus, "libsystemd.so.0", sd_bus_, CSYSTEMD_FUNCTIONS)
