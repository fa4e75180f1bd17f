# SPDX-License-Identifier: Apache-2.0
"""Tonearm's REST API over Home Assistant's HTTP session. Every failure is one of the errors below."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, cast

import aiohttp
from yarl import URL

from .const import REQUEST_TIMEOUT, REQUESTS_AT_ONCE

Json = dict[str, Any]


class TonearmError(Exception):
    """A request failed. The text can be shown to users."""


class CannotConnect(TonearmError):
    """Nothing answers, or something other than Tonearm."""


class InvalidAuth(TonearmError):
    """401: the token is missing, wrong or revoked."""


class UnsupportedVersion(TonearmError):
    """This Tonearm is too old for the integration."""


class HostNotAllowed(TonearmError):
    """The server refuses the host name in the URL."""


class Refused(TonearmError):
    """The server refused the request with a problem document (RFC 9457)."""

    def __init__(self, problem: Json, status: int) -> None:
        super().__init__(str(problem.get("detail") or problem.get("title") or f"status {status}"))
        self.status = status
        self.code = str(problem.get("code", ""))

    @property
    def is_callers_fault(self) -> bool:
        """True if the call's data is at fault rather than the server's state."""
        return self.status in (400, 404, 413, 415, 416, 422) or self.status == 403 and self.code != "scope-missing"


@dataclass(frozen=True)
class ServerInfo:
    """The answer of GET /server."""

    id: str
    name: str
    version: str
    features: frozenset[str]


class TonearmClient:
    """Requests to one server. `url` has no trailing slash."""

    def __init__(self, session: aiohttp.ClientSession, url: str, token: str | None) -> None:
        self._session = session
        self.url = url
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        # The server queues 32 slow requests of one address. Stay below that; further calls wait here.
        self._places = asyncio.Semaphore(REQUESTS_AT_ONCE)

    async def server(self) -> ServerInfo:
        """The server's identity. Raises UnsupportedVersion for a Tonearm without one."""
        try:
            answer = await self.get("/server")
        except Refused as error:
            if error.status == 404:
                raise UnsupportedVersion("This Tonearm server is too old.") from error
            raise
        try:
            return ServerInfo(
                str(answer["id"]), str(answer["name"]), str(answer["version"]), frozenset(answer["features"])
            )
        except (KeyError, TypeError) as error:
            raise CannotConnect(f"{self.url} is no Tonearm server") from error

    async def get(self, path: str, params: Json | None = None) -> Json:
        return await self.request("GET", path, params=params)

    async def request(
        self,
        method: str,
        path: str,
        *,
        json: Json | None = None,
        params: Json | None = None,
        timeout: float = REQUEST_TIMEOUT,
    ) -> Json:
        """The JSON of the response, {} without a body. Requests with a longer timeout do not delay the others."""
        place: AbstractAsyncContextManager[Any] = self._places if timeout <= REQUEST_TIMEOUT else nullcontext()
        async with place:
            response = await self._send(method, path, json=json, params=params, timeout=timeout)
            async with response:
                try:
                    if response.status == 204:
                        return {}
                    answer = await response.json(content_type=None)
                except (aiohttp.ClientError, TimeoutError, ValueError) as error:
                    if response.status == 401:
                        raise InvalidAuth("The token is not valid.") from error
                    raise CannotConnect(f"{self.url} is no Tonearm server: {error}") from error
        if response.status < 400:
            if not isinstance(answer, dict):
                raise CannotConnect(f"{self.url} is no Tonearm server")
            return cast(Json, answer)
        raise self._error(response.status, answer)

    async def picture(self, path: str) -> tuple[bytes, str]:
        """A picture and its media type."""
        response = await self._send("GET", path)
        async with response:
            try:
                data = await response.read()
            except (aiohttp.ClientError, TimeoutError) as error:
                raise CannotConnect(str(error)) from error
        if response.status >= 400:
            raise Refused({}, response.status)
        return data, response.content_type

    async def events(self, heartbeat: float) -> aiohttp.ClientWebSocketResponse:
        """The event channel of all players. With the longest interval, positions come only at jumps."""
        try:
            async with asyncio.timeout(REQUEST_TIMEOUT):
                return await self._session.ws_connect(
                    f"{self.url}/api/v1/events",
                    params={"players": "all", "interval": "60", "events": _EVENTS},
                    headers=self._headers,
                    heartbeat=heartbeat,
                )
        except aiohttp.WSServerHandshakeError as error:
            if error.status == 401:
                raise InvalidAuth("The token is not valid.") from error
            raise CannotConnect(f"The event channel was refused with status {error.status}.") from error
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise CannotConnect(str(error) or type(error).__name__) from error

    async def _send(
        self,
        method: str,
        path: str,
        *,
        json: Json | None = None,
        params: Json | None = None,
        timeout: float = REQUEST_TIMEOUT,
    ) -> aiohttp.ClientResponse:
        # `encoded`: the server's paths of pictures are already percent-encoded.
        url = URL(f"{self.url}{path}" if path.startswith("/api/") else f"{self.url}/api/v1{path}", encoded=True)
        if params:
            url = url.update_query({key: str(value) for key, value in params.items()})
        try:
            return await self._session.request(
                method,
                url,
                json=json,
                headers=self._headers,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=timeout),
            )
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            raise CannotConnect(str(error) or type(error).__name__) from error

    def _error(self, status: int, answer: Any) -> TonearmError:
        if status == 401:
            return InvalidAuth("The token is not valid.")
        if not isinstance(answer, dict) or "code" not in answer:
            return CannotConnect(f"{self.url} is no Tonearm server: it answers with status {status}")
        if answer["code"] == "host-not-allowed":
            return HostNotAllowed(str(answer.get("detail")))
        return Refused(answer, status)


_EVENTS = "status,item,queue,settings,output,route,effects,time,players"
