# SPDX-License-Identifier: Apache-2.0
"""Row 211: the four levels of a player, each from end to end: files; the net; the net, kept; the net, changed on its way."""

import numpy
import pytest

from rig import RATE, Api, eventually

NAME = "noise.mp3"


@pytest.mark.parametrize("level", ["local", "online", "online and kept", "online and changed"])
def test_each_level_is_heard_whole(written, start_server, media, origin, level):
    origin.serve(f"/{NAME}", media.path(NAME).read_bytes())
    server = start_server(output=written.output, arguments=("--cache", "on") if level == "online and kept" else ())
    api = Api(server.url)
    factors = [1.0, 1.0]
    if level == "online and changed":
        # The changes: volume and balance.
        api.settings(volume=0.5, balance=-1)
        factors = [0.5, 0.0]

    def hear() -> None:
        mark = written.frames
        api.play_through(NAME if level == "local" else f"{origin.url}/{NAME}")
        heard, reference = written.samples(mark), media.reference(NAME)
        assert len(heard) == len(reference)
        # Sound after a silence fades in.
        assert numpy.abs(heard - reference * factors)[RATE // 20 :].max() <= 1.5

    hear()
    assert (requests := len(origin.log())) == (0 if level == "local" else 1)
    kept = server.data / "cache"
    if level == "online and kept":
        eventually(lambda: list(kept.glob("*.media")), "it is kept")
        assert [file.read_bytes() for file in kept.glob("*.media")] == [media.path(NAME).read_bytes()]
        origin.close()
        hear()
        assert len(origin.log()) == requests
    else:
        assert not kept.exists()
