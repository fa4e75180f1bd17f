# SPDX-License-Identifier: Apache-2.0
"""Row 211: the four levels of a player, each from end to end: files; the net; the net, kept; the net, changed on its way."""

import hashlib

import numpy
import pytest

from rig import Api, eventually
from rig.capture import RATE

NAME = "noise.mp3"


@pytest.fixture
def origin(origin, media):
    origin.serve(f"/{NAME}", media.path(NAME).read_bytes())
    return origin


@pytest.mark.parametrize("level", ["local", "online", "online and kept", "online and changed"])
def test_each_level_is_heard_whole(written, start_server, media, origin, level):
    server = start_server(output=written.output, arguments=("--cache", "on") if level == "online and kept" else ())
    api = Api(server.url)
    factors = [1.0, 1.0]
    if level == "online and changed":
        # What there is of effects: volume and balance.
        api.settings(volume=0.5, balance=-1)
        factors = [0.5, 0.0]

    def hear() -> None:
        mark = written.frames
        api.load(NAME if level == "local" else f"{origin.url}/{NAME}", play=True)
        api.wait_status("completed", timeout=15)
        heard, reference = written.samples(mark), media.reference(NAME)
        assert len(heard) == len(reference)
        # What is played after a silence fades in.
        assert numpy.abs(heard - reference * factors)[RATE // 20 :].max() <= 1.5

    hear()
    requests = len(origin.log())
    assert requests == (0 if level == "local" else 1)
    kept = server.data / "cache"
    if level == "online and kept":
        eventually(lambda: list(kept.glob("*.media")), "it is kept")
        assert [hashlib.sha256(file.read_bytes()).digest() for file in kept.glob("*.media")] == [
            hashlib.sha256(media.path(NAME).read_bytes()).digest()]
        origin.close()
        hear()
        assert len(origin.log()) == requests
    else:
        assert not kept.exists()
