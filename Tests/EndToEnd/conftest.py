# SPDX-License-Identifier: Apache-2.0
"""Fixtures of all end-to-end tests. Each test has its own PulseAudio, server, data directory and port."""

import contextlib
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator

import pytest

from quiet import pytest_collection_modifyitems, pytest_sessionfinish, pytest_terminal_summary  # noqa: F401
from rig import REPOSITORY, Api, Capture, CommandLine, EventLog, Media, Origin, PulseDaemon, Server
from rig.access import ADMIN, CONTROL, READ, OpenServer, own_address
from rig.contract import EventContract
from rig.dbus import SessionBus
from rig.formats import Formats
from rig.microphone import Microphone
from rig.opened import closing_what_is_opened
from rig.pulse import HEADPHONES, SPEAKERS
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
def capture(pulse) -> Capture:
    """The speakers, from before the server starts."""
    return Capture(pulse).start()


@pytest.fixture
def headphones(pulse) -> Capture:
    return Capture(pulse, "hp").start()


@pytest.fixture
def microphone(pulse) -> Iterator[Microphone]:
    device = Microphone(pulse)
    yield device
    device.hush()


@pytest.fixture
def bus(directory, monkeypatch) -> Iterator[SessionBus]:
    """The desktop's session bus, also for servers that start later, unless they have PulseAudio."""
    home = directory / "bus"
    home.mkdir()
    daemon = SessionBus(home).start()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", daemon.address)
    yield daemon
    daemon.kill()


@pytest.fixture
def written(directory) -> Written:
    """The file of the server's output, for tests of exact samples."""
    return Written(directory / "heard.wav")


@pytest.fixture(autouse=True)
def clients() -> Iterator[None]:
    """Clients, recorders and web servers that a test makes end with it."""
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
def guarded(start_server, directory) -> Callable[..., Server]:
    """Starts servers that need a token: `READ`, `CONTROL` or `ADMIN`."""
    file = directory / "tokens"
    file.write_text(f"{READ} read\n{CONTROL} control\n{ADMIN} admin\n")
    file.chmod(0o600)
    return lambda *arguments, **options: start_server(arguments=("--token-file", str(file), *arguments), **options)


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
    """A server as the test's other fixtures and marks ask for it.

    Its output is PulseAudio's speakers beside `pulse` or `capture`, a file beside `written`, else the null output. Its music is that
    of `music` or `sounds`, else `media`. The mark `serve` adds arguments. Tests with the mark `shared` have one server for all.
    """
    if request.node.get_closest_marker("shared"):
        shared = request.getfixturevalue("shared_server")
        assert shared.is_running, shared.log()[-8000:]
        return shared
    asked = {name: request.getfixturevalue(name) for name in ("capture", "pulse", "written", "music", "sounds") if name in request.fixturenames}
    options: dict = {"arguments": [argument.format(directory=request.getfixturevalue("directory"))
                                   for mark in request.node.iter_markers("serve") for argument in mark.args]}
    if "written" in asked:
        options["output"] = asked["written"].output
    elif {"pulse", "capture"} & asked.keys():
        options |= {"output": "pulse", "pulse": request.getfixturevalue("pulse")}
    if "music" in asked or "sounds" in asked:
        options["music"] = asked.get("music") or asked["sounds"].root
    server = request.getfixturevalue("start_server")(**options)
    if "pulse" in options and request.node.get_closest_marker("headphones"):
        Api(server.url).follow_default_output()
    return server


@pytest.fixture
def api(server) -> Api:
    return Api(server.url)


@pytest.fixture
def cli(server) -> CommandLine:
    return CommandLine(server)


@pytest.fixture
def playing(request, capture, api, events) -> int:
    """A long file is heard, beside `sounds` their music. Gives the place in the log of events."""
    api.load(*(("music.mp3", "other.mp3") if "sounds" in request.fixturenames else ("long.mp3",)), play=True)
    capture.wait_sound()
    api.wait_status("playing")
    if "sounds" in request.fixturenames:
        capture.wait_seconds(0.5)
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
        # Everything from now on is in it.
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
