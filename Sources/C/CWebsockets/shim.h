// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libwebsockets.h>

/// The context of all clients.
static inline struct lws_context *cwebsockets_create_context(
    const struct lws_protocols *protocols, const lws_retry_bo_t *validity, void *user) {
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
    info.protocols = protocols;
    info.user = user;
    info.gid = (gid_t)-1;
    info.uid = (uid_t)-1;
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    // One buffer for all clients. Request heads are short, as they are rewritten before they come here.
    info.pt_serv_buf_size = 4096;
    info.max_http_header_data = 1024;
    info.max_http_header_pool = 64;
    info.timeout_secs = 10;
    info.retry_and_idle_policy = validity;
    return lws_create_context(&info);
}

static inline struct lws_vhost *cwebsockets_create_vhost(
    struct lws_context *context, const struct lws_protocols *protocols, const lws_retry_bo_t *validity) {
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
    info.protocols = protocols;
    info.options = LWS_SERVER_OPTION_VALIDATE_UTF8;
    info.timeout_secs = 10;
    info.retry_and_idle_policy = validity;
    info.vhost_name = "tonearm";
    return lws_create_vhost(context, &info);
}

/// Sec-WebSocket-Accept for a client's key (RFC 6455 section 4.2.2).
static inline void cwebsockets_accept_key(const char *key, char *text, size_t size) {
    unsigned char digest[20];
    char joined[128];
    int length = snprintf(joined, sizeof joined, "%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    lws_SHA1((const unsigned char *)joined, (size_t)length, digest);
    lws_b64_encode_string((const char *)digest, sizeof digest, text, (int)size);
}

/// The space that lws_write needs before a payload: a macro with casts, which Swift does not import.
static const size_t cwebsockets_prefix = LWS_PRE;
static inline void cwebsockets_log_to(void (*emit)(int level, const char *line)) {
    lws_set_log_level(LLL_ERR | LLL_WARN | LLL_NOTICE, emit);
}
static inline int cwebsockets_is_error(int level) { return level == LLL_ERR || level == LLL_WARN; }
