# SPDX-License-Identifier: Apache-2.0
"""A real browser on the real page of the real server (`server`, `api` and `media` come from the folder above)."""

import os
import pathlib
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright
from remote import Remote

expect.set_options(timeout=10_000)

# Runs before the page's own scripts and is not subject to its policy.
WATCH = """
window.__violations = [];
addEventListener("securitypolicyviolation", (event) =>
  window.__violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
addEventListener("unhandledrejection", (event) => window.__violations.push(`unhandled: ${event.reason}`));
"""


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright) -> Iterator[Browser]:
    # The shell has no window of its own to draw: a page takes a third of the processor time.
    names = ("chromium-headless-shell", "chromium", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    browser = playwright.chromium.launch(
        executable_path=path, args=["--no-sandbox", "--no-proxy-server", "--disable-dev-shm-usage"])
    yield browser
    browser.close()


@pytest.fixture
def open_remote(browser, server) -> Iterator[Callable[..., Remote]]:
    """Opens pages in contexts of their own; at the end none of them may have complained."""
    remotes: list[Remote] = []

    def open(path: str = "/", url: str | None = None, wait: bool = True, **options) -> Remote:
        # Animations take a fifth of a core.
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"} | options))
        context.add_init_script(WATCH)
        remote = Remote(context.new_page())
        remotes.append(remote)
        remote.page.goto((url or server.url) + path)
        if wait:
            remote.wait_connected()
        return remote

    yield open
    complaints = [complaint for remote in remotes for complaint in remote.complaints()]
    for remote in remotes:
        remote.page.context.close()
    assert not complaints, "the page complained:\n" + "\n".join(complaints)


@pytest.fixture
def remote(open_remote) -> Remote:
    return open_remote()


@pytest.fixture
def page(remote) -> Page:
    return remote.page


@pytest.fixture
def screenshots(request) -> pathlib.Path | None:
    """Where to leave pictures for people: TONEARM_SCREENSHOTS."""
    folder = os.environ.get("TONEARM_SCREENSHOTS")
    return pathlib.Path(folder) if folder else None
