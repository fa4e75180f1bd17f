// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Opens a path without permission to read it. The Glibc module hides the flag behind _GNU_SOURCE.
static const int clinux_o_path = __O_PATH;

/// openat2(2), confined to `directory`, without /proc's magic links (glibc has no wrapper, and syscall is variadic). Returns a
/// descriptor, or -1 with errno: EXDEV outside of `directory`, ENOSYS or EPERM if the kernel or a container lacks openat2.
static inline int clinux_open_beneath(int directory, const char *path, int flags) {
  struct open_how how;
  memset(&how, 0, sizeof how);
  how.flags = (unsigned long long)flags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

/// Whether `path` below the directory `root` is a regular file, from the kernel's caches alone: waits for no disk and no server.
/// 0: no, or unknown.
static inline int clinux_is_cached_file(const char *root, const char *path) {
  struct open_how how;
  memset(&how, 0, sizeof how);
  how.flags = (unsigned long long)(__O_PATH | O_DIRECTORY | O_CLOEXEC);
  how.resolve = RESOLVE_NO_MAGICLINKS | RESOLVE_CACHED;
  int directory = (int)syscall(SYS_openat2, AT_FDCWD, root, &how, sizeof how);
  if (directory < 0) return 0;
  how.flags = (unsigned long long)(__O_PATH | O_CLOEXEC);
  how.resolve |= RESOLVE_BENEATH;
  int file = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
  close(directory);
  if (file < 0) return 0;
  struct statx status;
  memset(&status, 0, sizeof status);
  // AT_EMPTY_PATH | AT_STATX_DONT_SYNC (hidden behind _GNU_SOURCE): a network file system does not ask its server.
  long code = syscall(SYS_statx, file, "", 0x1000 | 0x4000, STATX_TYPE, &status);
  close(file);
  return code == 0 && (status.stx_mode & S_IFMT) == S_IFREG;
}
