"""The system's Chromium for tests, driven by Playwright; nothing is downloaded."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import ConsoleMessage, sync_playwright

TIMEOUT = 60.0
"""Seconds; a busy machine takes several to start a browser."""

_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Browser:
    """One page. `problems` has the errors and warnings of its scripts, console and content security policy, in order."""

    def __init__(self, chromium: Chromium, scripts: bool = True) -> None:
        self.problems: list[str] = []
        self.page = chromium.new_context(java_script_enabled=scripts, offline=True).new_page()
        self.page.set_default_timeout(1000 * TIMEOUT)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self._note)

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            self.problems.append(message.text)

    def open(self, path: Path, hash: str = "") -> None:
        """Load a file, and wait until it has loaded."""
        # An address that differs in its hash alone would not be loaded.
        self.page.goto("about:blank")
        self.page.goto(path.resolve().as_uri() + hash)

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        return self.page.evaluate(script)

    def wait(self, script: str) -> None:
        """Wait until an expression is true. It is asked from here: the page's own policy forbids to evaluate text in it."""
        end = time.monotonic() + TIMEOUT
        while not self.page.evaluate(script):
            assert time.monotonic() < end, f"never true: {script}"
            self.page.wait_for_timeout(10)

    def press(self, key: str) -> None:
        """Press and release a key, as a person would."""
        self.page.keyboard.press(key)

    def resize(self, width: int, height: int, *, dark: bool = False, print: bool = False) -> None:
        """Set the page's size in CSS pixels, whether the reader wants it dark, and whether it is for paper."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme="dark" if dark else "light", media="print" if print else "screen")


@contextmanager
def chromium() -> Iterator[Chromium]:
    """Start Chromium, and end it with the block; skip the test where there is none."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no browser: chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_ARGUMENTS, timeout=1000 * TIMEOUT)
        yield browser
        browser.close()
