# SPDX-License-Identifier: Apache-2.0
"""The REST API as a client uses it."""

from typing import Any

import httpx

from .opened import opened
from .waiting import PATIENCE, eventually


class Problem(AssertionError):
    """An answer outside 2xx where success was expected."""

    def __init__(self, response: httpx.Response):
        super().__init__(f"{response.request.method} {response.request.url}: {response.status_code} {response.text}")
        self.response = response


class Api:
    """Ends with the test that makes it."""

    def __init__(self, url: str, token: str | None = None, player: str | None = None):
        self.player_id = player
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.Client(base_url=url, headers=headers, timeout=10 * PATIENCE, trust_env=False, verify=False)
        opened.append(self)

    def close(self) -> None:
        self.http.close()

    def request(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        """Any answer. `path` is below /api/v1 unless it is absolute with a second slash (`//healthz`)."""
        address = path[1:] if path.startswith("//") else "/api/v1" + self._own(path)
        return self.http.request(method, address, **arguments)

    def _own(self, path: str) -> str:
        """The same path of this client's player."""
        if self.player_id is None:
            return path
        head = path.split("/")[1].split("?")[0]
        if head == "player":
            return f"/players/{self.player_id}{path.removeprefix('/player')}"
        return f"/players/{self.player_id}{path}" if head in ("queue", "outputs", "effects", "events") else path

    def call(self, method: str, path: str, **arguments: Any) -> Any:
        """The JSON of a successful answer (None without a body)."""
        response = self.request(method, path, **arguments)
        if not response.is_success:
            raise Problem(response)
        return response.json() if response.content else None

    def refusal(self, method: str, path: str, of: str = "code", **arguments: Any) -> tuple[int, str | None]:
        """Status and code of an answer outside 2xx, or its member at fault."""
        response = self.request(method, path, **arguments)
        return response.status_code, response.json().get(of)

    # Player

    def player(self) -> dict:
        return self.call("GET", "/player")

    def metric(self, name: str) -> float:
        """The player's value of `/metrics`."""
        sample = f'{name}{{player="{self.player_id or "main"}"}} '
        lines = self.request("GET", "//metrics").text.splitlines()
        return next(float(line.removeprefix(sample)) for line in lines if line.startswith(sample))

    def command(self, verb: str, **members: Any) -> dict:
        return self.call("POST", f"/player/{verb}", **({"json": members} if members else {}))

    def play(self, **members: Any) -> dict:
        return self.command("play", **members)

    def resume(self) -> dict:
        """Plays, and returns the state once sound is heard: the answer itself comes after 0.8 s at the latest."""
        self.play()
        return self.wait_status("playing")

    def pause(self) -> dict:
        return self.command("pause")

    def seek(self, **members: Any) -> dict:
        return self.command("seek", **members)

    def settings(self, **members: Any) -> dict:
        return self.call("PATCH", "/player", json=members)

    def wait_status(self, *statuses: str, reason: str | None = None, timeout: float = 5.0) -> dict:
        """Polls until the player has one of these statuses, for this reason if one is given."""
        last: dict = {}

        def reached() -> dict | None:
            nonlocal last
            last = self.player()
            return last if last["status"] in statuses and reason in (None, last["reason"]) else None

        try:
            return eventually(reached, f"status {statuses}", timeout)
        except AssertionError:
            raise AssertionError(f"not {statuses} ({reason}) within {timeout * PATIENCE:g} s but {last}") from None

    def current_output(self) -> str | None:
        return next((id for id, output in self.outputs().items() if output["current"]), None)

    def outputs(self) -> dict[str, dict]:
        """The outputs by their ids, which are the names of PulseAudio's sinks."""
        return {output["id"]: output for output in self.call("GET", "/outputs")["outputs"]}

    def choose(self, output: str | None) -> dict:
        """Chooses an output, once the server knows it."""
        if output is not None:
            eventually(lambda: output in self.outputs(), f"{output} is listed")
        return self.call("PUT", "/outputs/current", json={"id": output})

    def follow_default_output(self) -> None:
        """Leaves the headphones, which are chosen at the start, for the default output."""
        self.choose("hp")
        self.choose(None)

    # Queue

    def queue(self, offset: int = 0, limit: int = 100) -> dict:
        return self.call("GET", "/queue", params={"offset": offset, "limit": limit})

    def ids(self) -> list[str]:
        return [item["id"] for item in self.queue(limit=1000)["items"]]

    def uris(self) -> list[str]:
        return [item["uri"] for item in self.queue(limit=1000)["items"]]

    def load(self, *uris: str | dict, **members: Any) -> list[str]:
        """Replaces the queue and returns the new ids in order."""
        items = [item if isinstance(item, dict) else {"uri": item} for item in uris]
        self.call("PUT", "/queue", json={"items": items, **members})
        return self.ids()

    def start(self, *uris: str | dict, timeout: float = 5.0, **members: Any) -> list[str]:
        """Replaces the queue and returns the new ids once it plays."""
        ids = self.load(*uris, play=True, **members)
        self.wait_status("playing", timeout=timeout)
        return ids

    def play_through(self, *uris: str | dict, timeout: float = 20.0, **members: Any) -> dict:
        """Replaces the queue and returns the state at its end."""
        self.load(*uris, play=True, **members)
        return self.wait_status("completed", timeout=timeout)

    def add(self, *uris: str | dict, **members: Any) -> dict:
        items = [item if isinstance(item, dict) else {"uri": item} for item in uris]
        return self.call("POST", "/queue/items", json={"items": items, **members})
