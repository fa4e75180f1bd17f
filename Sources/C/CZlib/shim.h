// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

/// Starts a gzip stream (window 15, gzip wrapper). Swift cannot call deflateInit2, which is a macro.
static inline int czlib_start_gzip(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
}
