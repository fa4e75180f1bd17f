# SPDX-License-Identifier: Apache-2.0
"""Start, end, and nothing left over."""

import ctypes
import os
import pathlib
import platform
import re
import signal
import socket
import subprocess
import time

import pytest

from rig import Api, EventLog, Server, binary, eventually
from rig.signals import click_level


@pytest.mark.smoke
def test_term_fades_saves_and_exits_with_zero_within_two_seconds(capture, server, api, events):
    """DESIGN section 3; sockets are closed properly."""
    api.load("low.mp3", play=True)
    capture.wait_sound()
    capture.wait_seconds(0.4)
    assert server.stop(timeout=2) == 0
    eventually(lambda: events.close_code is not None, "the event socket is closed")
    assert events.close_code in (1000, 1001)
    capture.wait_silence(0.2)
    end = capture.last_sound()
    assert click_level(capture.samples(end - 8820, end + 4410)[:, 0]) < -40


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_ctrl_c_and_a_hang_up_end_it_properly(server, number):
    server.process.send_signal(number)
    assert server.process.wait(10) == 0


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGTRAP, signal.SIGFPE, signal.SIGABRT])
def test_a_crash_leaves_a_line_and_ends_by_its_signal(directory, number):
    """Where Swift's backtracer is not there to tell more. Without music: the end of a scan would be a line behind it."""
    server = Server(directory, None, os.environ | {"SWIFT_BACKTRACE": "enable=no"}).start()
    server.process.send_signal(number)
    assert server.process.wait(10) == -number
    # The kernel gives a process's signal to any of its threads.
    assert re.fullmatch(rf"tonearm: ended by {number.name} in the thread [\w-]+", server.log().splitlines()[-1])


def test_a_crash_names_its_thread(directory):
    """One of ours, which blocks all other signals."""
    server = Server(directory, None, os.environ | {"SWIFT_BACKTRACE": "enable=no"}).start()
    tasks = pathlib.Path(f"/proc/{server.process.pid}/task").iterdir()
    thread = next(int(task.name) for task in tasks if (task / "comm").read_text() == "player\n")
    call = {"x86_64": 234, "aarch64": 131}[platform.machine()]
    assert ctypes.CDLL(None).syscall(call, server.process.pid, thread, int(signal.SIGSEGV)) == 0
    assert server.process.wait(10) == -signal.SIGSEGV
    assert server.log().splitlines()[-1] == "tonearm: ended by SIGSEGV in the thread player"


def test_term_at_any_moment_of_the_start_ends_it(start_server):
    """Issue 2: SIGTERM at any moment."""
    for delay in (0.0, 0.005, 0.01, 0.02, 0.04):
        server = start_server(launch_only=True)
        time.sleep(delay)  # the moment is the subject
        server.process.terminate()
        assert server.process.wait(10) in (0, -signal.SIGTERM), server.log()
        server.process = None


def test_term_during_the_start_ends_it_properly(start_server):
    """From its first instruction on, which comes before it opens anything of its own: exit 0."""
    for step in range(8):
        server = start_server(launch_only=True)
        process = pathlib.Path(f"/proc/{server.process.pid}/status")
        # It blocks SIGTERM, then ignores SIGXFSZ (bit 24). That SIGTERM is blocked is seen for a few milliseconds only: the kernel
        # takes it out of the mask while the server waits for it.
        eventually(lambda: int(re.search(r"SigIgn:\s+(\w+)", process.read_text())[1], 16) >> 24 & 1, "it takes signals", every=0.0005)
        time.sleep(step * 0.004)  # the moment is the subject
        server.process.terminate()
        assert server.process.wait(10) == 0, server.log()
        server.process = None


def test_the_port_file_appears_when_requests_are_answered(start_server):
    """DESIGN section 3: never before."""
    server = start_server(launch_only=True)
    port = eventually(lambda: server.port_file.exists() and server.port_file.read_text().strip(), "the port file", every=0.001)
    with socket.create_connection(("127.0.0.1", int(port)), timeout=10) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert connection.makefile("rb").read().startswith(b"HTTP/1.1 200")


def test_music_goes_on_without_clients(capture, api, open_events):
    """Row 55."""
    log = open_events()
    api.load("long.mp3", play=True)
    capture.wait_sound()
    log.close()
    api.close()
    mark = capture.frames
    capture.wait_seconds(1)
    assert capture.samples(mark).any(axis=1).mean() > 0.95


def test_nothing_leaks(pulse, server, api):
    """Row 13: after many tracks and event connections threads, descriptors and streams are as before."""
    def run(tracks: int, connections: int) -> None:
        api.load(*["one-frame.mp3"] * tracks)
        log = EventLog(server.events_url)
        log.wait_for("snapshot")
        api.play()
        for _ in range(connections):
            EventLog(server.events_url).close()
        assert len(pulse.sink_inputs()) <= 1
        log.wait_for("queue-ended", timeout=30)
        assert len(log.since(0, "completed")) == tracks
        log.close()
        api.command("stop")
        eventually(lambda: not pulse.sink_inputs(), "the stream is released", timeout=20, every=0.1)

    run(4, 2)
    threads, descriptors = server.threads(), server.descriptors()
    run(120, 120)
    eventually(lambda: server.descriptors() <= descriptors + 1, "descriptors are given back")
    eventually(lambda: server.threads() <= threads, "threads are given back")


def test_the_start_keeps_no_code_mapped(start_server):
    """It runs through most of the program once. Without giving that back, more than half of the code stays mapped."""
    server = start_server(launch_only=True)
    eventually(lambda: server.port_file.exists(), "the port file")

    def mapped() -> float:
        _, _, code = pathlib.Path(f"/proc/{server.process.pid}/smaps").read_text().partition(" r-xp ")
        size, resident = (int(re.search(rf"^{name}: +(\d+) kB", code, re.MULTILINE)[1]) for name in ("Size", "Rss"))
        return resident / size

    eventually(lambda: mapped() < 0.3, "the code is unmapped")


def test_paused_without_clients_nothing_runs(pulse, server, api):
    """Row 92, promise 5: no wake-ups while paused with no client."""
    api.start("long.mp3")
    api.pause()
    api.close()

    def settled() -> bool:
        before = server.wake_ups()
        time.sleep(0.5)  # the absence of wake-ups is the subject
        return server.wake_ups() == before

    eventually(settled, "it comes to rest", timeout=20)
    before, cpu = server.wake_ups(), server.cpu_seconds()
    time.sleep(3)  # the absence of wake-ups is the subject
    assert server.wake_ups() - before <= 1
    assert server.cpu_seconds() == cpu


@pytest.mark.slow
def test_playing_costs_little(pulse, server, api):
    """Row 92: less than 3 % of a core."""
    api.start("long.mp3")
    eventually(lambda: api.call("GET", "/library")["state"] in ("idle", "failed"), "the first scan is over", 20)
    before = server.cpu_seconds()
    time.sleep(5)  # the cost per time is the subject
    assert server.cpu_seconds() - before < 0.15


def test_starts_with_its_own_defaults_and_no_arguments(directory):
    """`tonearm serve` in an empty home: data in XDG_DATA_HOME or ~/.local/share, music in ~/Music if there is one."""
    home = directory / "home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(home)}
    port_file = home / "port"
    process = subprocess.Popen([str(binary()), "serve", "--port", "0", "--port-file", str(port_file), "--output", "null"],
                               env=environment, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        eventually(lambda: process.poll() is not None or (port_file.exists() and port_file.read_text().strip()), "a start")
        assert process.poll() is None, process.stdout.read().decode()
        api = Api(f"http://127.0.0.1:{port_file.read_text().strip()}")
        assert api.player()["status"] == "idle"
        api.close()
    finally:
        process.terminate()
        process.wait(5)
        process.stdout.close()
