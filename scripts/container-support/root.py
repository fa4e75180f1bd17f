# SPDX-License-Identifier: Apache-2.0
"""A container without an engine: the image's root, built by debootstrap, and a process in it with its own namespaces."""

import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

from dockerfile import Copy, Image

DEVICES = ("null", "zero", "full", "random", "urandom")


def build(image: Image, cache: pathlib.Path, sources: pathlib.Path, stages: dict[str, dict[str, pathlib.Path]]) -> pathlib.Path:
    """Builds the root as the Dockerfile describes it. Packages are kept between runs; the rest is built anew."""
    key = hashlib.sha256(" ".join([image.suite, *sorted(image.packages)]).encode()).hexdigest()[:16]
    base, root = cache / f"base-{key}", place(cache)
    for left in cache.glob("root-*"):
        # Left by a run that was killed.
        if not pathlib.Path(f"/proc/{left.name.removeprefix('root-')}").exists():
            shutil.rmtree(left)
    if not base.exists():
        print(f"==> debootstrap {image.suite} with {len(image.packages)} packages (once, 1-3 minutes)", flush=True)
        cache.mkdir(exist_ok=True)
        partial = cache / f"partial-{os.getpid()}"
        try:
            result = subprocess.run(
                ["debootstrap", "--variant=minbase", f"--include={','.join(image.packages)}", image.suite, str(partial)],
                capture_output=True, text=True)
            if result.returncode:
                raise SystemExit("error: debootstrap failed:\n" + result.stdout[-3000:] + result.stderr[-1000:])
            for entry in (partial / "var/cache/apt/archives").glob("*.deb"):
                entry.unlink()
            shutil.rmtree(partial / "var/lib/apt/lists", ignore_errors=True)
            # Docker images have no machine id; libpulse must do without.
            (partial / "etc/machine-id").unlink(missing_ok=True)
            partial.rename(base)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(root)], check=True)
    for step in image.steps:
        if isinstance(step, Copy):
            copy(step, root, sources, stages)
        else:
            subprocess.run(
                ["unshare", "--mount", "--pid", "--fork", "--net", "chroot", str(root), "/bin/sh", "-c", step],
                env=image.arguments | {"PATH": PATH}, check=True)
    return root


def place(cache: pathlib.Path) -> pathlib.Path:
    """The directory of this run's root."""
    return cache / f"root-{os.getpid()}"


PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def copy(step: Copy, root: pathlib.Path, sources: pathlib.Path, stages: dict[str, dict[str, pathlib.Path]]) -> None:
    target = root / step.target.lstrip("/")
    for name in step.sources:
        source = stages[step.stage][name] if step.stage else sources / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
            continue
        place = target / source.name if step.target.endswith("/") or target.is_dir() else target
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, place)


class Container:
    """One run: a read-only root, no capabilities, no new privileges, its own network and processes. The mounts belong to the
    process's namespace and end with it."""

    def __init__(self, root: pathlib.Path, image: Image, user: tuple[int, int], mounts: dict[str, tuple[pathlib.Path, bool]],
                 environment: dict[str, str], log: pathlib.Path):
        self.user = user
        self.environment = image.environment | {"PATH": PATH} | environment
        lines = ["set -e", f"root={root}", "ip link set lo up", "mount --bind $root $root", "mount -t proc proc $root/proc",
                 "mount -t tmpfs -o mode=755 dev $root/dev", "mkdir -m 1777 $root/dev/shm",
                 "mount -t tmpfs -o mode=1777 shm $root/dev/shm", "mount -t tmpfs -o mode=1777 tmp $root/tmp"]
        for device in DEVICES:
            lines.append(f"touch $root/dev/{device}; mount --bind /dev/{device} $root/dev/{device}")
        for target, (source, writable) in mounts.items():
            lines.append(f"[ -e $root{target} ] || " + (f"mkdir -p $root{target}" if source.is_dir() else f"touch $root{target}"))
            lines.append(f"mount --bind {source} $root{target}")
            if not writable:
                lines.append(f"mount -o remount,bind,ro $root{target}")
        lines.append("mount -o remount,bind,ro $root")
        words = [*self.as_user(), *image.entrypoint, *image.command]
        lines.append("exec chroot $root " + " ".join(words))
        self.log = log
        # If this script is killed, unshare ends with it; --kill-child then ends process 1 (see `as_user`).
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig=KILL", "unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child", "sh", "-c", "\n".join(lines)],
            stdin=subprocess.DEVNULL, stdout=log.open("wb"), stderr=subprocess.STDOUT, env=self.environment)

    def as_user(self) -> list[str]:
        """Sets the parent-death signal of --kill-child again, which a change of the user clears."""
        uid, gid = self.user
        return ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all",
                "--no-new-privs", "--pdeathsig=KILL"]

    @property
    def pid(self) -> int:
        """The pid of the container's process 1, outside of the container."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0])

    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def execute(self, words: list[str], **environment: str) -> subprocess.CompletedProcess:
        """Like `docker exec`: in the root and all namespaces, as the container's user."""
        return subprocess.run(
            ["nsenter", "-t", str(self.pid), "--mount", "--pid", "--net", "--ipc", "--root", "--wd", *self.as_user(), *words],
            env=self.environment | environment, capture_output=True, text=True, timeout=20)

    def curl(self, *words: str) -> str:
        """The machine's own curl in the container's network."""
        return subprocess.run(
            ["nsenter", "-t", str(self.pid), "--net", "curl", "-sS", "--fail-with-body", "--max-time", "10", *words],
            check=True, capture_output=True, text=True).stdout

    def stop(self) -> tuple[int, float]:
        """Like `docker stop`: sends SIGTERM to process 1. Returns its status and the seconds it took."""
        began = time.monotonic()
        os.kill(self.pid, signal.SIGTERM)
        return self.process.wait(timeout=10), time.monotonic() - began

    def kill(self) -> None:
        if self.process.poll() is None:
            try:
                # The end of process 1 ends its whole namespace, and then unshare.
                os.kill(self.pid, signal.SIGKILL)
            except (IndexError, OSError):
                self.process.kill()
            self.process.wait()
