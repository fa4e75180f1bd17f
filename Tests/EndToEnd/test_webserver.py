# SPDX-License-Identifier: Apache-2.0
"""Files as nginx serves them: ranges, TLS, a proxy."""

import numpy
import pytest

from rig import Api, eventually
from rig.signals import largest_difference
from rig.webserver import Nginx


@pytest.fixture
def nginx(directory, media):
    return Nginx(directory / "nginx", media.root)


def heard(api, capture, uri: str) -> numpy.ndarray:
    api.play_through(uri)
    capture.wait_silence()
    return capture.samples()


@pytest.mark.serve("--cache", "on")
def test_a_seek_is_a_range_and_all_of_it_is_kept(server, api, media, nginx):
    """Rows 170, 214: with the range cache on; a slow server makes the second range necessary."""
    api.start(f"{nginx.url}/slow/long.mp3", timeout=15)
    api.seek(position=35)
    api.wait_status("playing", timeout=15)
    eventually(lambda: len(api.player()["loadedRanges"]) == 2, "two ranges", 10)
    api.seek(position=1)
    eventually(lambda: api.call("GET", "/cache")["entries"][0]["complete"], "it is whole", 40)
    kept = next((server.data / "cache").glob("*.media")).read_bytes()
    assert kept == media.path("long.mp3").read_bytes()
    assert nginx.access_log().count(" 206 ") >= 2


def test_tls_with_an_authority_of_ones_own(start_server, written, media, nginx, monkeypatch):
    """Also by a redirect from http; without that authority the certificate is refused by its name."""
    monkeypatch.setenv("SSL_CERT_FILE", str(nginx.authority))
    trusting = Api(start_server(output=written.output).url)
    samples = heard(trusting, written, f"{nginx.secure_url}/short-0.mp3")
    assert largest_difference(samples, media.reference("short-0.mp3"))[0] <= 1
    monkeypatch.delenv("SSL_CERT_FILE")
    doubting = Api(start_server().url)
    for uri in (f"{nginx.secure_url}/short-0.mp3", f"{nginx.url}/moved/short-0.mp3"):
        doubting.load(uri)
        problem = doubting.request("POST", "/player/play").json()
        assert problem["code"] == "network" and "certificate of localhost" in problem["detail"]


def test_a_proxy_from_the_environment(start_server, directory, media, nginx, monkeypatch):
    """`http_proxy`: the origin's name need not even be known here."""
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{nginx.proxy}")
    monkeypatch.delenv("no_proxy", raising=False)
    api = Api(start_server().url)
    api.load("http://music.invalid/short-0.mp3", play=True)
    api.wait_status("completed", timeout=15)
    assert nginx.access_log().count("GET /short-0.mp3") + nginx.access_log().count("GET http://music.invalid/short-0.mp3") >= 1
