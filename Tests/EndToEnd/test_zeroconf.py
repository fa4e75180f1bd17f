# SPDX-License-Identifier: Apache-2.0
"""The server is announced on the local network as `_tonearm._tcp`, where Avahi runs."""

import pytest

from rig import Api, during, eventually
from rig.avahi import Avahi
from rig.program import system_bus

NETWORK = ("--anonymous", "--name", "Den")


@pytest.fixture
def bus(directory, monkeypatch):
    bus = system_bus(directory)
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", bus.address)
    yield bus
    bus.kill()


@pytest.fixture
def avahi(bus):
    avahi = Avahi(bus).start()
    yield avahi
    avahi.stop()


def names(avahi: Avahi) -> list[str]:
    return [service["name"] for service in avahi.services]


def test_name_port_id_and_version_are_announced(avahi, start_server):
    server = start_server(host="0.0.0.0", arguments=NETWORK)
    eventually(lambda: avahi.services, "it is announced")
    info = Api(server.url).call("GET", "/server")
    assert avahi.services == [{"name": "Den", "type": "_tonearm._tcp", "port": server.port, "properties": {
        "id": info["id"], "name": "Den", "version": info["version"]}}]


def test_a_name_that_is_taken_gets_a_number(avahi, start_server):
    avahi.taken.add("Den")
    start_server(host="0.0.0.0", arguments=NETWORK)
    eventually(lambda: names(avahi) == ["Den #2"], "another name")
    avahi.collide()
    eventually(lambda: names(avahi) == ["Den #3"], "a third one")
    avahi.rename_machine()
    eventually(lambda: avahi.asked("Reset") == 3 and names(avahi) == ["Den #3"], "announced for the machine's new name")


def test_a_long_name_is_cut(avahi, start_server):
    start_server(host="0.0.0.0", arguments=("--anonymous", "--name", "\U0001f3b5" * 40))
    eventually(lambda: names(avahi) == ["\U0001f3b5" * 15], "60 of 63 bytes")


def test_avahi_may_come_later_and_come_back(bus, start_server):
    server = start_server(host="0.0.0.0", arguments=NETWORK)
    avahi = Avahi(bus).start()
    eventually(lambda: names(avahi) == ["Den"], "it is announced")
    avahi.stop()
    avahi.start()
    eventually(lambda: names(avahi) == ["Den"], "it is announced again")
    assert server.stop() == 0
    avahi.stop()


@pytest.mark.parametrize(("host", "arguments"), [("127.0.0.1", ()), ("0.0.0.0", (*NETWORK, "--zeroconf", "off"))])
def test_server_on_loopback_is_not_announced(avahi, start_server, host, arguments):
    start_server(host=host, arguments=arguments)
    during(1, lambda: not avahi.calls, "nobody asks Avahi")
