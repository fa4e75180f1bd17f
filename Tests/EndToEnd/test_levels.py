# SPDX-License-Identifier: Apache-2.0
"""Row 211: the four levels of a player, each from end to end: files; the net; the net, kept; the net, changed on its way."""

import numpy
import pytest

from rig import RATE, Api, eventually

NAME = "noise.mp3"


@pytest.mark.parametrize("level", ["kept", "changed"])
def test_each_level_of_the_net_is_heard_whole(written, start_server, media, origin, level):
    """For files and the net see test_network.py: both are in one queue."""
    origin.serve(f"/{NAME}", media.path(NAME).read_bytes())
    server = start_server(output=written.output, arguments=("--cache", "on") if level == "kept" else ())
    api = Api(server.url)
    factors = [1.0, 1.0]
    if level == "changed":
        # The changes: volume and balance.
        api.settings(volume=0.5, balance=-1)
        factors = [0.5, 0.0]

    def hear() -> None:
        mark = written.frames
        api.play_through(f"{origin.url}/{NAME}")
        heard, reference = written.samples(mark), media.reference(NAME)
        assert len(heard) == len(reference)
        # Sound after a silence fades in.
        assert numpy.abs(heard - reference * factors)[RATE // 20 :].max() <= 1.5

    hear()
    assert len(origin.log()) == 1
    kept = server.data / "cache"
    if level == "kept":
        eventually(lambda: list(kept.glob("*.media")), "it is kept")
        assert [file.read_bytes() for file in kept.glob("*.media")] == [media.path(NAME).read_bytes()]
        origin.close()
        hear()
        assert len(origin.log()) == 1
    else:
        assert not kept.exists()
