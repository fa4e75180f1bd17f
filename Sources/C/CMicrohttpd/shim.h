// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
// Not from _GNU_SOURCE, which would give fd_set other members here than in Swift's Glibc module: a clean build may then fail.
#ifndef RTLD_NEXT
#define RTLD_NEXT ((void *)-1l)
#endif
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#ifndef POLLRDHUP
#define POLLRDHUP 0x2000
#endif

/// The options of MHD_start_daemon, a variadic function that Swift cannot call.
struct cmicrohttpd_configuration {
    unsigned int threads;
    unsigned int connection_limit;
    unsigned int idle_seconds;
    size_t connection_memory;
    MHD_AccessHandlerCallback handler;
    void *(*uri)(void *server, const char *uri, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback notify;
    MHD_LogCallback log;
    void *context;
};

static inline struct MHD_Daemon *cmicrohttpd_start(const struct cmicrohttpd_configuration *c) {
    struct MHD_OptionItem pool[] = {
        {c->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, c->threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    return MHD_start_daemon(
        MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC | MHD_USE_EPOLL | MHD_USE_INTERNAL_POLLING_THREAD
            | MHD_ALLOW_SUSPEND_RESUME | MHD_ALLOW_UPGRADE | MHD_USE_ERROR_LOG,
        0, NULL, NULL, c->handler, c->context,
        // The log comes first, to get the warnings about other options.
        MHD_OPTION_EXTERNAL_LOGGER, c->log, c->context,
        MHD_OPTION_CONNECTION_LIMIT, c->connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, c->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, c->connection_memory,
        MHD_OPTION_URI_LOG_CALLBACK, c->uri, c->context,
        MHD_OPTION_NOTIFY_COMPLETED, c->completed, c->context,
        MHD_OPTION_NOTIFY_CONNECTION, c->notify, c->context,
        MHD_OPTION_ARRAY, pool, MHD_OPTION_END);
}

/// Joins all arguments in the query of `uri`, which lies in the connection's buffer, to one. libmicrohttpd 0.9.75 ends the
/// process if the arguments of a query exceed the connection's memory. The program parses its own copy of the target.
static inline void cmicrohttpd_join_arguments(const char *uri) {
    for (char *c = (char *)uri; *c; c++)
        if (*c == '&') *c = '_';
}

/// The pointer that `notify` stored for the connection.
static inline void *cmicrohttpd_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static inline int cmicrohttpd_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// The sides that the peer has closed: 0 none, 1 at least its sending side, 2 both. The connection must stay open during the
/// call.
static inline int cmicrohttpd_closed_sides(struct MHD_Connection *connection) {
    struct pollfd look = {cmicrohttpd_descriptor(connection), POLLRDHUP, 0};
    if (look.fd < 0) return 2;
    if (poll(&look, 1, 0) <= 0) return 0;
    return look.revents & (POLLHUP | POLLERR | POLLNVAL) ? 2 : look.revents ? 1 : 0;
}

/// Seconds without traffic after which this connection is closed. On the connection's thread.
static inline void cmicrohttpd_set_timeout(struct MHD_Connection *connection, unsigned int seconds) {
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

/// The bytes that were read from the connection's socket since it was accepted; 0 for a Unix socket.
static inline int64_t cmicrohttpd_received(struct MHD_Connection *connection) {
    // The kernel's struct tcp_info, whose header conflicts with that of the C library.
    struct {
        uint8_t flags[8];
        uint32_t counters[24];
        uint64_t pacing_rate, max_pacing_rate, bytes_acked, bytes_received;
    } info = {0};
    socklen_t size = sizeof info;
    int descriptor = cmicrohttpd_descriptor(connection), unread = 0;
    if (getsockopt(descriptor, IPPROTO_TCP, 11 /* TCP_INFO */, &info, &size) != 0) return 0;
    if (size < sizeof info || ioctl(descriptor, FIONREAD, &unread) != 0) return 0;
    return (int64_t)info.bytes_received - unread;
}

/// The library's MHD_queue_response, whose name this program redefines (LibraryRefusals.swift).
static inline enum MHD_Result cmicrohttpd_queue(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
    static enum MHD_Result (*queue)(struct MHD_Connection *, unsigned int, struct MHD_Response *);
    // Threads may race, but all find the same address.
    if (!queue) *(void **)&queue = dlsym(RTLD_NEXT, "MHD_queue_response");
    return queue ? queue(connection, status, response) : MHD_NO;
}

/// Enumerators and macros that Swift does not import.
static const ssize_t cmicrohttpd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const enum MHD_Result cmicrohttpd_yes = MHD_YES;
static const enum MHD_Result cmicrohttpd_no = MHD_NO;
static const enum MHD_ValueKind cmicrohttpd_headers = MHD_HEADER_KIND;
static inline struct MHD_Response *cmicrohttpd_copied_response(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}
static inline struct MHD_Response *cmicrohttpd_stream_response(
    size_t block, MHD_ContentReaderCallback reader, void *context, MHD_ContentReaderFreeCallback release) {
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, block, reader, context, release);
}
/// Ends the connection in libmicrohttpd and closes its descriptor, without a shutdown of the socket.
static inline void cmicrohttpd_release_upgraded(struct MHD_UpgradeResponseHandle *handle) {
    MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}
/// 1: the connection begins, -1: it ends, 0: something else.
static inline int cmicrohttpd_notification(enum MHD_ConnectionNotificationCode code) {
    return code == MHD_CONNECTION_NOTIFY_STARTED ? 1 : code == MHD_CONNECTION_NOTIFY_CLOSED ? -1 : 0;
}
