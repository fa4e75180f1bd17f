# SPDX-License-Identifier: Apache-2.0
"""openapi.yaml against the live server: generated requests, bounded in number and time."""

import httpx
import hypothesis
import pytest
import schemathesis
import yaml

from rig.server import REPOSITORY

DOCUMENT = REPOSITORY / "openapi.yaml"
SCHEMA = schemathesis.openapi.from_dict(yaml.safe_load(DOCUMENT.read_text())) if DOCUMENT.exists() else None

CHECKS = ("status_code_conformance", "content_type_conformance", "response_schema_conformance", "response_headers_conformance")

# The stream of events does not end; its own tests hold it to asyncapi.yaml. The contracts themselves are YAML texts.
OPERATIONS = [
    operation.ok() for operation in SCHEMA.get_all_operations() if not operation.ok().path.endswith(("/events", ".yaml"))
] if SCHEMA else []


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """One server for the whole module: what a generated request does to it is part of the test."""
    from rig import Media, Server

    base = tmp_path_factory.mktemp("contract")
    media = Media(base / "music", base / "scratch")
    server = Server(base, media.root).start()
    yield server
    assert server.is_running, server.log()[-4000:]
    server.stop()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_generated_requests_are_answered_as_documented(live, operation):
    """DESIGN section 4: no 5xx but a documented 503, no undocumented status or type, every body of its schema."""
    checks = [schemathesis.checks.CHECKS.get_one(name) for name in CHECKS]

    @hypothesis.settings(max_examples=25, deadline=None, database=None, derandomize=True,
                         suppress_health_check=list(hypothesis.HealthCheck), phases=[hypothesis.Phase.generate])
    @hypothesis.given(case=operation.as_strategy())
    def run(case):
        response = case.call(base_url=live.url, timeout=5)
        assert response.status_code < 500 or response.status_code == 503, response.text[:500]
        case.validate_response(response, checks=checks)

    run()
    assert httpx.get(live.url + "/healthz", trust_env=False).status_code == 200


def test_every_route_of_the_server_is_documented():
    """The paths that the other tests use exist in the document."""
    if SCHEMA is None:
        pytest.fail("openapi.yaml is missing")
    paths = yaml.safe_load(DOCUMENT.read_text())["paths"]
    servers = yaml.safe_load(DOCUMENT.read_text()).get("servers", [{"url": ""}])[0]["url"]
    known = {(servers.rstrip("/") + path) if not path.startswith("/api") else path for path in paths} | set(paths)
    for path in ("/player", "/player/play", "/player/seek", "/queue", "/queue/items", "/queue/move", "/queue/undo", "/outputs"):
        assert any(known_path.endswith(path) for known_path in known), path


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
    found = dict(times(yaml.safe_load((REPOSITORY / document).read_text())))
    assert len(found) > 20
    assert [path for path, text in found.items() if "seconds" not in text.lower()] == []
