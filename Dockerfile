# SPDX-License-Identifier: Apache-2.0
# docs/container.md says how to run it. scripts/check-container reads this file, builds the second stage's root without an
# engine and plays music from inside it; it understands the forms of instruction that are used here.

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        libavcodec-dev \
        libavformat-dev \
        libavutil-dev \
        libcurl4-openssl-dev \
        libexpat1-dev \
        libmicrohttpd-dev \
        libmpg123-dev \
        libpulse-dev \
        libseccomp-dev \
        libsndfile1-dev \
        libsoxr-dev \
        libsqlite3-dev \
        libsystemd-dev \
        libswresample-dev \
        libswscale-dev \
        libwebsockets-dev \
        pkg-config \
        zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
# Swift's own libraries go into the program, so that the second stage needs no Swift.
RUN for product in tonearm tonearm-media-worker; do \
        swift build -c release --static-swift-stdlib --product "$product" \
        && install -D --strip "$(swift build -c release --static-swift-stdlib --show-bin-path)/$product" "/out/$product" \
        || exit 1; \
    done

FROM debian:bookworm-slim
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates \
        libavcodec59 \
        libavformat59 \
        libavutil57 \
        libcurl4 \
        libebur128-1 \
        libexpat1 \
        libmicrohttpd12 \
        libmpg123-0 \
        libpulse0 \
        libseccomp2 \
        libsndfile1 \
        libsoundtouch1 \
        libsoxr0 \
        libsqlite3-0 \
        libstdc++6 \
        libswresample4 \
        libswscale6 \
        libwebsockets17 \
        zlib1g \
    && rm -rf /var/lib/apt/lists/*

# /data can be written by any user, so that `--user` works with a new volume as well; nobody else is in there.
ARG UID=1000
RUN useradd --uid "$UID" --no-create-home --home-dir /data --shell /usr/sbin/nologin tonearm \
    && install -d -m 1777 /data \
    && install -d -m 0755 /music /run/pulse

COPY --from=build /out/tonearm /out/tonearm-media-worker /usr/local/bin/
COPY openapi.yaml asyncapi.yaml /usr/local/share/tonearm/
COPY public /usr/local/share/tonearm/public

# A token is needed, in the container as well; the first start makes it, and `tonearm link` prints it.
ENV TONEARM_HOST=0.0.0.0 TONEARM_PORT=8080 TONEARM_MUSIC=/music TONEARM_DATA=/data TONEARM_TOKEN_FILE=/data/tokens
# The sound server's socket and, if its user is another one, its cookie are mounted here.
ENV PULSE_SERVER=unix:/run/pulse/native PULSE_COOKIE=/run/pulse-cookie HOME=/data

USER tonearm
VOLUME ["/music", "/data"]
EXPOSE 8080
# 200 as long as the server is alive and, when it says that it plays, the sink's clock moves.
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${TONEARM_PORT} && printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ code _ <&3 && [ \"$code\" = 200 ]"]
ENTRYPOINT ["tonearm"]
CMD ["serve"]
