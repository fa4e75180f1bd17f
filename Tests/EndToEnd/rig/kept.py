# SPDX-License-Identifier: Apache-2.0
"""Test material that takes seconds of encoding: made once for all workers and runs, and copied for each."""

import fcntl
import hashlib
import inspect
import pathlib
import shutil
from collections.abc import Callable

from .server import REPOSITORY

SOURCES = ("media.py", "formats.py", "sounds.py", "signals.py", "chirp.ape")


def copy_kept(name: str, target: pathlib.Path, make: Callable[[pathlib.Path], None]) -> pathlib.Path:
    """`target` with what `make` makes in a folder, from `.build/test-media` if it and the rig's sources have made it before."""
    sources = [pathlib.Path(__file__).with_name(source) for source in SOURCES] + [pathlib.Path(inspect.getfile(make))]
    version = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    home = REPOSITORY / ".build/test-media"
    home.mkdir(parents=True, exist_ok=True)
    kept = home / f"{name}-{version}"
    with (home / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            for old in home.glob(f"{name}-*"):
                shutil.rmtree(old)
            half = home / f"half-{name}"
            shutil.rmtree(half, ignore_errors=True)
            half.mkdir()
            make(half)
            half.rename(kept)
    return shutil.copytree(kept, target, dirs_exist_ok=True)
