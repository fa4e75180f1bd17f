// SPDX-License-Identifier: Apache-2.0
// Opens N WebSockets and measures the delay of their messages: arrival minus the message's own "at" (wall clock,
// milliseconds), and the deviation of the time between two messages from a second ("gap"), which does not depend on the
// server's clock. Usage: ws-load PORT PATH CLIENTS SECONDS. Prints "open" once all are connected, waits for a line on
// standard input, listens for SECONDS, then prints one line of JSON.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

struct client {
    int socket;
    int shook;           // the handshake has ended
    size_t held;         // bytes in `data`
    unsigned messages;   // time events while listening
    double last;         // arrival of the latest one
    unsigned char *data;
};

enum { ROOM = 1 << 16 };
static double *lateness, *gaps;
static size_t measured, compared, most;
static int listening;
static unsigned long closed;

static double now(void) {
    struct timeval time;
    gettimeofday(&time, NULL);
    return time.tv_sec * 1e3 + time.tv_usec / 1e3;
}

static void message(struct client *client, const char *text, size_t length, double arrival) {
    if (!listening) return;
    const char *type = memmem(text, length, "\"type\":\"time\"", 13);
    const char *at = memmem(text, length, "\"at\":", 5);
    if (type == NULL || at == NULL) return;
    if (client->messages++ > 0 && compared < most) {
        double gap = arrival - client->last - 1000;
        gaps[compared++] = gap < 0 ? -gap : gap;
    }
    client->last = arrival;
    if (measured < most) lateness[measured++] = arrival - strtod(at + 5, NULL);
}

// Removes complete frames from the client's buffer; server frames are not masked.
static void frames(struct client *client, double arrival) {
    size_t place = 0;
    if (!client->shook) {
        unsigned char *end = memmem(client->data, client->held, "\r\n\r\n", 4);
        if (end == NULL) return;
        if (memcmp(client->data, "HTTP/1.1 101", 12) != 0) {
            fprintf(stderr, "%.*s\n", 200, client->data);
            exit(2);
        }
        client->shook = 1;
        place = (size_t)(end - client->data) + 4;
    }
    while (client->held - place >= 2) {
        size_t head = 2, size = client->data[place + 1] & 127;
        if (size == 126) {
            if (client->held - place < 4) break;
            size = (size_t)client->data[place + 2] << 8 | client->data[place + 3];
            head = 4;
        } else if (size == 127) {
            fprintf(stderr, "a frame too large for this program\n");
            exit(2);
        }
        if (client->held - place < head + size) break;
        if ((client->data[place] & 15) == 1) message(client, (char *)client->data + place + head, size, arrival);
        place += head + size;
    }
    memmove(client->data, client->data + place, client->held - place);
    client->held -= place;
}

static int by_size(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

int main(int count, char **arguments) {
    if (count < 5) return 2;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1])),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int clients = atoi(arguments[3]);
    double seconds = atof(arguments[4]);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    most = (size_t)clients * (size_t)(seconds + 5) * 4;
    lateness = malloc(most * sizeof *lateness);
    gaps = malloc(most * sizeof *gaps);
    struct client *all = calloc((size_t)clients, sizeof *all);
    int poll = epoll_create1(0), open = 0, next = 0;
    char request[1024];
    int size = snprintf(request, sizeof request,
                        "GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", arguments[2]);
    struct epoll_event ready[512];
    double end = 0;
    int waiting = 0;
    for (;;) {
        // A few hundred at a time, so that no listen queue overflows.
        while (next < clients && next - open < 200) {
            struct client *client = &all[next++];
            client->socket = socket(AF_INET, SOCK_STREAM, 0);
            client->data = malloc(ROOM);
            if (client->socket < 0 || connect(client->socket, (struct sockaddr *)&address, sizeof address) != 0) {
                perror("connect");
                return 2;
            }
            fcntl(client->socket, F_SETFL, O_NONBLOCK);
            if (write(client->socket, request, (size_t)size) != size) return 2;
            struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
            epoll_ctl(poll, EPOLL_CTL_ADD, client->socket, &event);
        }
        if (open == clients && !waiting) {
            waiting = 1;
            puts("open");
            fflush(stdout);
            struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
            epoll_ctl(poll, EPOLL_CTL_ADD, 0, &event);
        }
        int found = epoll_wait(poll, ready, 512, listening ? 20 : 1000);
        for (int index = 0; index < found; index++) {
            struct client *client = ready[index].data.ptr;
            if (client == NULL) {
                epoll_ctl(poll, EPOLL_CTL_DEL, 0, NULL);
                listening = 1;
                end = now() + seconds * 1e3;
                continue;
            }
            ssize_t got = read(client->socket, client->data + client->held, ROOM - client->held);
            if (got <= 0) {
                if (got < 0 && errno == EAGAIN) continue;
                epoll_ctl(poll, EPOLL_CTL_DEL, client->socket, NULL);
                closed++;
                continue;
            }
            client->held += (size_t)got;
            int before = client->shook;
            frames(client, now());
            if (!before && client->shook) open++;
        }
        if (listening && now() >= end) break;
    }
    unsigned least = ~0u, greatest = 0;
    unsigned long total = 0;
    for (int index = 0; index < clients; index++) {
        if (all[index].messages < least) least = all[index].messages;
        if (all[index].messages > greatest) greatest = all[index].messages;
        total += all[index].messages;
    }
    qsort(lateness, measured, sizeof *lateness, by_size);
    qsort(gaps, compared, sizeof *gaps, by_size);
    printf("{\"gap\":%.2f,\"events\":%lu,\"least\":%u,\"greatest\":%u,\"closed\":%lu,\"p50\":%.2f,\"p99\":%.2f,\"max\":%.2f}\n", compared ? gaps[compared * 99 / 100] : -1, total, least,
           greatest, closed, measured ? lateness[measured / 2] : -1, measured ? lateness[measured * 99 / 100] : -1,
           measured ? lateness[measured - 1] : -1);
    return 0;
}
