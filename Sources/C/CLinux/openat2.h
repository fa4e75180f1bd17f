// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Only names a place; needs no permission to read. The Glibc module hides it behind _GNU_SOURCE.
static const int clinux_o_path = __O_PATH;

/// openat2(2) (glibc has no wrapper and syscall is variadic), held beneath `directory` and clear of /proc's magic
/// links. Returns a descriptor, or -1 with errno: EXDEV outside, ENOSYS or EPERM where a kernel or a container lacks it.
static inline int clinux_open_beneath(int directory, const char *path, int flags) {
  struct open_how how;
  memset(&how, 0, sizeof how);
  how.flags = (unsigned long long)flags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}
