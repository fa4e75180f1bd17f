// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <errno.h>
#include <seccomp.h>

/// The answer to every system call that is not allowed.
static const unsigned int cseccomp_refuse = SCMP_ACT_ERRNO(EPERM);
