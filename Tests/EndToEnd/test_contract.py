# SPDX-License-Identifier: Apache-2.0
"""openapi.yaml as tools read it, and against the live server."""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import typing

import openapi_spec_validator
import pytest
import yaml

from rig import REPOSITORY, Media, Server
from rig.contract import read_yaml

DOCUMENT = REPOSITORY / "openapi.yaml"

METHODS = {"get", "put", "post", "delete", "patch"}
MAIN = re.compile(r"/api/v1(?:/player(?=/|$)|(?=/(?:queue|outputs|effects|announcements|sfx|timers|renders|playlists|events)(?:/|$)))(.*)")
EACH_PLAYER = "/api/v1/players/{player}"

# Types that the generator lacks: bytes and texts.
CLIENT_SETTINGS = {
    "post_hooks": [],
    "content_type_overrides": {
        "image/*": "application/octet-stream", "image/jpeg": "application/octet-stream", "audio/*": "application/octet-stream",
        "audio/x-mpegurl": "text/plain", "application/yaml": "text/plain",
    }
}

# A body that each operation with a required one accepts, by the name of its schema.
BODIES = {
    "NewAlarm": {"type": "alarm", "time": "07:00"},
    "EffectPresetText": {"name": "Evening", "text": "Preamp: -3 dB"},
    "NewRenderOfItems": {"items": [{"uri": "noise.mp3"}]},
    "AddItems": {"items": [{"uri": "noise.mp3"}]},
    "ReplaceQueue": {"items": [{"uri": "noise.mp3", "title": "Tone"}, {"uri": "chirp.mp3"}], "index": 0},
    "Move": {"ids": [], "position": 0},
    "Remove": {"ids": []},
    "Seek": {"position": 1},
    "Scan": {"rate": 2},
    "NewPlaylist": {"name": "Evening", "items": [{"uri": "noise.mp3"}]},
    "PlaylistContent": {"items": [{"uri": "noise.mp3"}]},
    "PlaylistAddition": {"items": [{"uri": "noise.mp3"}]},
    "PlaylistName": {"name": "Morning"},
    "NewAnnouncement": {"uri": "chirp.mp3"},
    "NewSoundEffect": {"uri": "chirp.mp3"},
    "Interruption": {"type": "ended"},
    "OutputChoice": {"id": None},
    "OutputPolicy": {"policy": "hold"},
}


@pytest.fixture(scope="module")
def document():
    return read_yaml(DOCUMENT.read_text())


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """One server for the whole module: the effects of the generated requests are part of the test."""
    base = tmp_path_factory.mktemp("contract")
    server = Server(base, Media(base).root).start()
    yield server
    assert server.is_running, server.log()[-4000:]
    server.stop()


def test_the_document_is_valid(document):
    """SPEC 263, by openapi-spec-validator; it rejects equal operationIds and parameters that are not declared, too."""
    openapi_spec_validator.validate(document)


def test_each_player_has_the_operations_of_main(document):
    """DESIGN section 4: /player is /players/main. scripts/expand-contract writes the copies; this reads them as YAML."""
    paths = document["paths"]
    expected = {}
    for path, item in paths.items():
        if match := MAIN.fullmatch(path):
            copy = {method: operation | {"operationId": operation["operationId"] + "OnPlayer"} for method, operation in item.items()}
            expected[EACH_PLAYER + match[1]] = {"parameters": [{"$ref": "#/components/parameters/player"}]} | copy
    assert len(expected) > 25
    assert {path: item for path, item in paths.items() if path.startswith(EACH_PLAYER)} == expected


# 25 s on a quiet machine; ten times that while others build.
@pytest.mark.timeout(900)
def test_schemathesis_accepts_every_operation(live, document, tmp_path):
    """SPEC 263 and DESIGN section 4, by schemathesis's own command with all its checks: no undocumented status, type or
    body, no 5xx, nothing invalid is accepted. schemathesis.toml lists the exceptions. The copies of main's operations below
    /players/{player} are the same routes."""
    operations = sum(len(METHODS & item.keys()) for path, item in document["paths"].items() if not path.startswith(EACH_PLAYER + "/"))
    assert operations > 110
    ran = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "--config-file", str(REPOSITORY / "schemathesis.toml"), "run", str(DOCUMENT),
         "--url", live.url, "--exclude-path-regex", "^" + re.escape(EACH_PLAYER) + "/", "--phases", "examples,coverage,fuzzing",
         "--max-examples", "8", "--seed", "1", "--warnings", "off",
         "--request-timeout", "10", "--continue-on-failure", "--generation-database", "none", "--no-color"],
        cwd=tmp_path, capture_output=True, text=True, timeout=800)
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr
    assert re.search(r"Tested: (\d+)", ran.stdout)[1] == str(operations), ran.stdout[-2000:]


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """The package that openapi-python-client makes of the document, without a warning."""
    base = tmp_path_factory.mktemp("client")
    settings = base / "settings.yaml"
    settings.write_text(yaml.safe_dump(CLIENT_SETTINGS))
    subprocess.run(
        [sys.executable, "-m", "openapi_python_client", "generate", "--path", str(DOCUMENT), "--output-path", str(base / "tonearm_client"),
         "--meta", "none", "--config", str(settings), "--fail-on-warning"], check=True, timeout=120)
    sys.path.insert(0, str(base))
    yield importlib.import_module("tonearm_client")
    sys.path.remove(str(base))


def test_a_generated_client_calls_every_operation(live, document, generated):
    """SPEC 263: every function of the client gets an answer that it can read, of a documented status."""
    client = generated.Client(base_url=live.url, raise_on_unexpected_status=True)
    package = importlib.import_module("tonearm_client.api.default")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    assert len(names) == sum(len(METHODS & item.keys()) for item in document["paths"].values())
    given = {"client": client, "player": "main", "id": "i1", "key": "0", "uri": "noise.mp3", "q": "tone", "name": "Evening"}
    succeeded = set()
    # Reading last: the writes have made a queue and a playlist by then.
    for name in sorted(names, key=lambda name: (name.startswith("get_"), name.startswith("remove_"), name)):
        call = importlib.import_module(f"tonearm_client.api.default.{name}").sync_detailed
        # The event stream does not end: asked for another type, it answers 406.
        arguments = {"client": client.with_headers({"Accept": "application/json"})} if name.startswith("get_events") else {}
        for parameter in inspect.signature(call).parameters.values():
            if parameter.name == "body" and parameter.default is inspect.Parameter.empty:
                # Of several kinds, the first.
                kind = (typing.get_args(parameter.annotation) or (parameter.annotation,))[0]
                arguments["body"] = kind.from_dict(BODIES.get(kind.__name__, {}))
            elif parameter.default is inspect.Parameter.empty and parameter.name not in arguments:
                arguments[parameter.name] = given[parameter.name]
        answer = call(**arguments)
        assert answer.status_code < 500 or answer.status_code == 503, (name, answer)
        if answer.status_code < 300:
            succeeded.add(name)
    assert {"replace_queue", "add_items_on_player", "change_settings", "get_player", "get_queue_on_player", "create_playlist",
            "get_media_info", "get_open_api"} <= succeeded


# Members that tell a time or a length of time, wherever they stand.
TIMES = {"at", "position", "duration", "beginTime", "listenedTime", "loadedTime", "bufferedAhead", "crossfade", "sampledAt",
         "latency", "previousRestartsAfter", "interruptionTimeout", "skipInterval", "interval", "time", "added", "modified",
         "startedAt", "endedAt", "used"}


def times(node, path=()):
    """Members of TIMES that are numbers, with what is said of them."""
    if isinstance(node, list):
        for index, part in enumerate(node):
            yield from times(part, (*path, index))
    elif isinstance(node, dict):
        for name, member in (node.get("properties") or {}).items():
            kinds = member.get("type", []) if isinstance(member, dict) else []
            kinds = kinds if isinstance(kinds, list) else [kinds]
            if name in TIMES and ("number" in kinds or name in ("at", "sampledAt", "used") and "integer" in kinds):
                yield "/".join(map(str, (*path, name))), member.get("description", "")
        for name, part in node.items():
            yield from times(part, (*path, name))


@pytest.mark.parametrize("document", ["openapi.yaml", "asyncapi.yaml"])
def test_every_time_has_its_unit(document):
    """Seconds or milliseconds: both are in use."""
    found = dict(times(read_yaml((REPOSITORY / document).read_text())))
    assert len(found) > 10
    assert [path for path, text in found.items() if "seconds" not in text.lower()] == []
