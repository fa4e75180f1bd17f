// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <errno.h>
#include <seccomp.h>

/// The result of a forbidden system call.
static const unsigned int cseccomp_refuse = SCMP_ACT_ERRNO(EPERM);
