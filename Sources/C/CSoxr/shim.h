// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <soxr.h>

#include "../CLoading/table.h"

// All functions of libsoxr in use.
#define CSOXR_FUNCTIONS(each, soxr)                                                                                           \
    each(soxr, io_spec) each(soxr, quality_spec) each(soxr, runtime_spec) each(soxr, create) each(soxr, delete)             \
        each(soxr, process) each(soxr, clear)

LOADED_LIBRARY(csoxr, "libsoxr.so.0", soxr_, CSOXR_FUNCTIONS)
