// SPDX-License-Identifier: Apache-2.0
// A minimal libwebsockets server: the same text to every client once a second, with "at" in milliseconds since
// the epoch. Usage: bare-ws BYTES; prints its port.
#include <libwebsockets.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

struct client { int pending; };

static unsigned char buffer[LWS_PRE + 4096];
static size_t length = 250;
static struct lws_context *context;
static lws_sorted_usec_list_t timer;
static const struct lws_protocols protocols[];

static void tick(lws_sorted_usec_list_t *list) {
    struct timeval now;
    gettimeofday(&now, NULL);
    char *text = (char *)buffer + LWS_PRE;
    int head = snprintf(text, 4096, "{\"type\":\"time\",\"at\":%lld,\"pad\":\"", now.tv_sec * 1000LL + now.tv_usec / 1000);
    memset(text + head, 'x', length - (size_t)head - 2);
    memcpy(text + length - 2, "\"}", 2);
    lws_callback_on_writable_all_protocol(context, &protocols[0]);
    lws_sul_schedule(context, 0, list, tick, LWS_US_PER_SEC);
}

static int callback(struct lws *socket, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
    if (reason == LWS_CALLBACK_SERVER_WRITEABLE && buffer[LWS_PRE] != 0)
        return lws_write(socket, buffer + LWS_PRE, length, LWS_WRITE_TEXT) < 0 ? -1 : 0;
    return 0;
}

static const struct lws_protocols protocols[] = {{"", callback, sizeof(struct client), 256}, {NULL, NULL, 0, 0}};

static void end(int signal) { _exit(0); }

int main(int count, char **arguments) {
    if (count > 1) length = (size_t)atoi(arguments[1]);
    signal(SIGTERM, end);
    lws_set_log_level(0, NULL);
    struct lws_context_creation_info info = {.port = 0, .iface = "lo", .protocols = protocols, .gid = -1, .uid = -1};
    context = lws_create_context(&info);
    if (context == NULL) return 1;
    struct lws_vhost *host = lws_get_vhost_by_name(context, "default");
    printf("%d\n", lws_get_vhost_listen_port(host));
    fflush(stdout);
    lws_sul_schedule(context, 0, &timer, tick, LWS_US_PER_SEC);
    while (lws_service(context, 0) >= 0) {}
    return 0;
}
