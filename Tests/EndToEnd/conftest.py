# SPDX-License-Identifier: Apache-2.0
"""What every end-to-end test has at hand. Each test has its own PulseAudio, server, data directory and port."""

import contextlib
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator

import pytest

from quiet import pytest_collection_modifyitems, pytest_sessionfinish, pytest_terminal_summary  # noqa: F401
from rig import Api, Capture, EventLog, Media, Origin, PulseDaemon, Server
from rig.access import OpenServer, own_address
from rig.contract import EventContract
from rig.dbus import SessionBus
from rig.formats import Formats
from rig.microphone import Microphone
from rig.opened import closing_what_is_opened
from rig.pulse import HEADPHONES, SPEAKERS
from rig.server import REPOSITORY
from rig.sounds import Sounds
from rig.written import Written


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    setattr(item, f"{report.when}_report", report)
    return report


@pytest.fixture(scope="session")
def media(tmp_path_factory) -> Media:
    return Media(tmp_path_factory.mktemp("media"))


@pytest.fixture(scope="session")
def formats(media) -> Formats:
    return Formats(media)


@pytest.fixture(scope="session")
def sounds(tmp_path_factory) -> Sounds:
    return Sounds(tmp_path_factory.mktemp("sounds"))


@pytest.fixture
def directory() -> Iterator[pathlib.Path]:
    """A short path: a Unix socket's address has room for 107 bytes."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="tonearm-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def music(directory) -> pathlib.Path:
    """An empty music folder."""
    folder = directory / "music"
    folder.mkdir()
    return folder


@pytest.fixture
def small_disk(directory) -> Iterator[Callable[[str], pathlib.Path]]:
    """Mounts file systems of a given size, where that is permitted."""
    places: list[pathlib.Path] = []

    def mount(size: str) -> pathlib.Path:
        place = directory / f"disk-{len(places)}"
        place.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], capture_output=True).returncode:
            pytest.skip("no file system can be mounted here")
        places.append(place)
        return place

    yield mount
    for place in places:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def pulse(request, directory) -> Iterator[PulseDaemon]:
    """Speakers, which are the default, and a second sink `hp`: headphones in a test with that mark."""
    home = directory / "pulse"
    home.mkdir()
    daemon = PulseDaemon(home)
    if request.node.get_closest_marker("headphones"):
        daemon.modules = (SPEAKERS, HEADPHONES, "module-role-cork")
    daemon.start()
    yield daemon
    daemon.stop()


@pytest.fixture
def capture(pulse) -> Iterator[Capture]:
    """The speakers, from before the server starts."""
    recorder = Capture(pulse).start()
    yield recorder
    recorder.stop()


@pytest.fixture
def headphones(pulse) -> Iterator[Capture]:
    recorder = Capture(pulse, "hp").start()
    yield recorder
    recorder.stop()


@pytest.fixture
def microphone(pulse) -> Iterator[Microphone]:
    device = Microphone(pulse)
    yield device
    device.hush()


@pytest.fixture
def bus(directory) -> Iterator[SessionBus]:
    """The desktop's."""
    home = directory / "bus"
    home.mkdir()
    daemon = SessionBus(home).start()
    yield daemon
    daemon.kill()


@pytest.fixture
def written(directory) -> Written:
    """The file of the server's output, for tests of exact samples."""
    return Written(directory / "heard.wav")


@pytest.fixture(autouse=True)
def clients() -> Iterator[None]:
    """Clients and web servers that a test makes end with it."""
    with closing_what_is_opened():
        yield


@pytest.fixture
def start_server(request, directory, media) -> Iterator[Callable[..., Server]]:
    """Starts servers that end with the test; their logs are shown when it fails."""
    servers: list[Server] = []

    def start(output: str = "null", pulse: PulseDaemon | None = None, music: pathlib.Path | None = media.root,
              arguments: tuple[str, ...] = (), host: str = "127.0.0.1", launch_only: bool = False,
              wrapper: tuple[str, ...] = ()) -> Server:
        home = directory / f"server-{len(servers)}"
        home.mkdir()
        server = Server(home, music, pulse.environment if pulse else None, output, arguments, host)
        server.wrapper = list(wrapper)
        servers.append(server)
        return server.launch() if launch_only else server.start()

    with closing_what_is_opened():
        yield start
    for server in servers:
        crashed = server.process is not None and server.process.poll() not in (None, 0, -9)
        with contextlib.suppress(AssertionError):
            server.stop()
        report = getattr(request.node, "call_report", None)
        if crashed or report is None or report.failed:
            request.node.add_report_section("call", "server log", server.log()[-8000:])
        assert not crashed, f"the server ended by itself with status {server.process.returncode}"


@pytest.fixture
def open_to_all(start_server, directory) -> OpenServer:
    """A server for strangers, at an address of this machine that is not loopback."""
    address = own_address()
    if address is None:
        pytest.skip("this machine has only loopback")
    token_file = directory / "token"
    server = start_server(host="0.0.0.0", arguments=("--token-file", str(token_file)))
    return OpenServer(server, f"http://{address}:{server.port}", token_file)


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory, media) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("shared"), media.root).start()
    yield server
    server.stop()


@pytest.fixture
def server(request) -> Server:
    """A server whose output is the null output, PulseAudio's speakers in a test that asks for `pulse` or `capture`, or a file
    in one that asks for `written`. Tests that are marked `shared` have one for all, with the null output."""
    if request.node.get_closest_marker("shared"):
        shared = request.getfixturevalue("shared_server")
        assert shared.is_running, shared.log()[-8000:]
        return shared
    start_server = request.getfixturevalue("start_server")
    if "written" in request.fixturenames:
        return start_server(output=request.getfixturevalue("written").output)
    if {"pulse", "capture"} & set(request.fixturenames):
        if "capture" in request.fixturenames:
            request.getfixturevalue("capture")
        server = start_server(output="pulse", pulse=request.getfixturevalue("pulse"))
        if request.node.get_closest_marker("headphones"):
            Api(server.url).follow_default_output()
        return server
    return start_server()


@pytest.fixture
def api(server) -> Api:
    return Api(server.url)


@pytest.fixture
def playing(capture, api, events) -> int:
    """A long file is heard. Gives the place in the log of events."""
    api.load("long.mp3", play=True)
    capture.wait_sound()
    api.wait_status("playing")
    return events.mark()


@pytest.fixture
def origin() -> Origin:
    return Origin()


@pytest.fixture(scope="session")
def contract() -> EventContract:
    return EventContract(REPOSITORY / "asyncapi.yaml")


@pytest.fixture
def open_events(server, contract) -> Iterator[Callable[..., EventLog]]:
    """Opens event logs that end with the test and must have kept to asyncapi.yaml."""
    logs: list[EventLog] = []

    def open(query: str = "", url: str | None = None, **options) -> EventLog:
        log = EventLog(url or server.events_url, query, contract, **options)
        logs.append(log)
        # What is done from now on is in it.
        if "since=" not in query:
            log.wait_for("snapshot")
        return log

    with closing_what_is_opened():
        yield open
    violations = sorted({violation for log in logs for violation in log.violations})
    assert not violations, "events against asyncapi.yaml:\n" + "\n".join(violations[:20])


@pytest.fixture
def events(open_events) -> EventLog:
    return open_events()
