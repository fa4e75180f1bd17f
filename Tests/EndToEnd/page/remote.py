# SPDX-License-Identifier: Apache-2.0
"""The page as a person uses it: by the names that a screen reader would say."""

import re

from playwright.sync_api import Locator, Page, expect

from rig import eventually


class EventSocket:
    """The page's event channel with the test between page and server. A handler gets this and each text of its direction, which
    passes only if the handler sends it; without a handler everything passes."""

    def __init__(self, page: Page, from_server=None, from_page=None):
        self._handlers = from_server, from_page
        page.route_web_socket("**/api/v1/events**", self._connect)

    def _connect(self, route) -> None:
        self.send, server = route.send, route.connect_to_server()
        self.send_to_server = server.send
        for side, handler in zip((server, route), self._handlers):
            if handler:
                side.on_message(lambda text, handler=handler: handler(self, text))


class Remote:
    def __init__(self, page: Page):
        self.page = page
        self.tolerated: list[str] = []
        self.console: list[str] = []
        page.on("console", lambda message: message.type == "error"
                and self.console.append(f"{message.text} {message.location.get('url', '')}"))
        page.on("pageerror", lambda error: self.console.append(f"exception: {error}"))

    def tolerate(self, pattern: str) -> None:
        """Accepts matching browser messages about refused requests."""
        self.tolerated.append(pattern)

    def complaints(self) -> list[str]:
        found = self.console + self.page.evaluate("() => window.__violations ?? []")
        return [text for text in found
                if not any(re.search(pattern, text) for pattern in self.tolerated) and not self._asked_too_late(text)]

    def _asked_too_late(self, text: str) -> bool:
        """The refusal of a part of an item that had left the queue: the page could not know. An undo may have brought it back."""
        found = re.search(r"404 .*?((http\S+/queue/items/[^/]+)/(?:artwork|lyrics|waveform))", text)
        return found is not None and (self.page.request.get(found[2]).status == 404 or self.page.request.get(found[1]).ok)

    def wait_connected(self) -> None:
        expect(self.page.locator("body")).to_have_attribute("data-connection", "open")
        expect(self.page.locator(".status-text")).not_to_have_text(re.compile("Connecting|^Loading"))
        self.wait_rows()

    def wait_rows(self) -> None:
        """Until the queue's rows in view have their items: before that keys and clicks on them do nothing."""
        expect(self.page.locator(".queue-row.pending:visible")).to_have_count(0)

    def wait_depth(self, steps: int) -> None:
        """Until the browser's history has so many steps back within the page."""
        eventually(lambda: self.page.evaluate("history.state?.depth") == steps, f"{steps} steps in the history")

    def intercept(self, **handlers) -> EventSocket:
        """Connects the page again, through the test."""
        events = EventSocket(self.page, **handlers)
        self.page.reload()
        self.wait_connected()
        return events

    def button(self, name: str | re.Pattern) -> Locator:
        """A button in the player, by its name."""
        return self.page.locator(".player").get_by_role("button", name=name, exact=isinstance(name, str))

    @property
    def status(self) -> Locator:
        return self.page.locator(".status-text")

    @property
    def title(self) -> Locator:
        return self.page.locator(".track-title")

    @property
    def position(self) -> Locator:
        return self.page.get_by_role("slider", name="Position")

    @property
    def volume(self) -> Locator:
        return self.page.get_by_role("slider", name="Volume")

    @property
    def queue(self) -> Locator:
        return self.page.locator("queue-list")

    def row(self, index: int) -> Locator:
        """The queue's row at `index` from 0, when it is in view."""
        return self.page.locator(f'.queue-row[data-index="{index}"]')

    @property
    def toast(self) -> Locator:
        return self.page.locator(".toast").last

    def tab(self, name: str) -> None:
        self.page.get_by_role("navigation", name="Views").get_by_role("button", name=name).click()
        self.wait_rows()

    def shown_ids(self) -> list[str]:
        """Ids of the rows that exist, by index."""
        return self.page.evaluate("""() => [...document.querySelectorAll(".queue-row")]
            .sort((left, right) => left.dataset.index - right.dataset.index).map((row) => row.dataset.id)""")
