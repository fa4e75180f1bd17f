// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "../CLoading/table.h"

// All functions of libebur128 in use. Declared here, as in version 1.2 and later, so that building does not need its headers.
void *ebur128_init(unsigned int channels, unsigned long rate, int mode);
void ebur128_destroy(void **state);
int ebur128_set_channel(void *state, unsigned int channel, int value);
int ebur128_add_frames_float(void *state, const float *samples, size_t frames);
int ebur128_loudness_global(void *state, double *loudness);
int ebur128_loudness_momentary(void *state, double *loudness);
int ebur128_sample_peak(void *state, unsigned int channel, double *peak);

#define CEBUR128_FUNCTIONS(each, ebur128)                                                                                     \
    each(ebur128, init) each(ebur128, destroy) each(ebur128, set_channel) each(ebur128, add_frames_float)                   \
        each(ebur128, loudness_global) each(ebur128, loudness_momentary) each(ebur128, sample_peak)

LOADED_LIBRARY(cebur128, "libebur128.so.1", ebur128_, CEBUR128_FUNCTIONS)
