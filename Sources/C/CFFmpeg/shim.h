// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

// Function-like macros and casts, which Swift does not import.
static const int cffmpeg_end_of_file = AVERROR_EOF;
static const int64_t cffmpeg_no_timestamp = AV_NOPTS_VALUE;

/// With this flag, a seek callback returns the size instead of seeking.
static const int cffmpeg_seek_size = AVSEEK_SIZE;

/// Writes the text of an error code to a buffer of 64 bytes.
static inline void cffmpeg_describe(int code, char *buffer) { av_strerror(code, buffer, 64); }

typedef int (*cffmpeg_io_open)(AVFormatContext *, AVIOContext **, const char *, int, AVDictionary **);

/// Refuses to open other files and addresses (playlists, data references of QuickTime).
static inline int cffmpeg_refuse_io(AVFormatContext *context, AVIOContext **io, const char *url, int flags,
                                    AVDictionary **options) {
    (void)context, (void)io, (void)url, (void)flags, (void)options;
    return AVERROR(EPERM);
}
static inline void cffmpeg_forbid_other_files(AVFormatContext *context) { context->io_open = cffmpeg_refuse_io; }
