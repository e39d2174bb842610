"""A browser for tests: Debian's Chromium, driven by the DevTools protocol over two pipes, without a port or a package."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

TIMEOUT = 60.0
"""Seconds that an answer may take; a busy machine takes several to start a browser."""

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
_KEYS = {
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "Home": 36,
    "End": 35,
    "PageUp": 33,
    "PageDown": 34,
    "Tab": 9,
    "Enter": 13,
}


class BrowserError(Exception):
    """The browser is gone, is silent, or refuses."""


class Browser:
    """One page in a browser of its own; as a context manager it leaves neither a process nor a folder.

    `problems` has the errors of scripts, of the console and of the page's content security policy, in order; `profile` is the
    folder that goes with the browser.
    """

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._numbers = itertools.count(1)
        self._buffer = b""
        self._events: list[dict[str, Any]] = []
        self._cleanup = contextlib.ExitStack()

    def __enter__(self) -> Browser:
        program = shutil.which("chromium")
        if program is None:
            pytest.skip("no browser: chromium is not installed")
        with contextlib.ExitStack() as stack:
            # The browser's sockets are in there, and their paths may not be long.
            self.profile = Path(
                stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True))
            )
            self._start(program, stack)
            target = self._call("Target.createTarget", url="about:blank")["targetId"]
            self._session: str | None = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Audits"):
                self._call(f"{domain}.enable")
            self._cleanup = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cleanup.close()

    def _start(self, program: str, stack: contextlib.ExitStack) -> None:
        self._session = None
        # The browser reads commands from descriptor 3 and writes answers to 4. Its input is the first to be opened, so that
        # the shell overwrites neither before it is copied.
        their_input, self._output = os.pipe()
        self._input, their_output = os.pipe()
        stack.callback(os.close, self._output)
        stack.callback(os.close, self._input)
        arguments = [program, *_FLAGS, f"--user-data-dir={self.profile}", "about:blank"]
        script = f'exec "$@" 3<&{their_input} 4>&{their_output}'
        try:
            self._process = subprocess.Popen(
                ["bash", "-c", script, "browser", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(their_input, their_output),
                start_new_session=True,
                env={**os.environ, "HOME": str(self.profile), "TMPDIR": str(self.profile)},
            )
        finally:
            os.close(their_input)
            os.close(their_output)
        stack.callback(self._stop)

    def _stop(self) -> None:
        """Ask the browser to go, and end its whole process group, be it gone or not."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            os.write(self._output, json.dumps({"id": next(self._numbers), "method": "Browser.close"}).encode() + b"\0")
            self._process.wait(timeout=5)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def open(self, path: Path, hash: str = "") -> None:
        """Load a file, and wait until it has loaded."""
        self._events.clear()
        # An address that differs in its hash alone would not be loaded.
        self._call("Page.navigate", url="about:blank")
        self._wait_for("Page.loadEventFired")
        self._call("Page.navigate", url=path.resolve().as_uri() + hash)
        self._wait_for("Page.loadEventFired")

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression in the page; promises are awaited."""
        found = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise BrowserError(found["exceptionDetails"].get("exception", {}).get("description", script))
        return found["result"].get("value")

    def text(self) -> str:
        """Return the text that is shown, as a reader without eyes has it; for pages without scripts too."""
        nodes = self._call("Accessibility.getFullAXTree")["nodes"]
        names = [node for node in nodes if node.get("role", {}).get("value") == "StaticText"]
        return "\n".join(node["name"]["value"] for node in names)

    def wait(self, script: str) -> Any:
        """Return the value of an expression as soon as it is true."""
        end = time.monotonic() + TIMEOUT
        while not (value := self.evaluate(script)):
            if time.monotonic() > end:
                raise BrowserError(f"never true: {script}")
            time.sleep(0.02)
        return value

    def press(self, key: str) -> None:
        """Press and release a key, a named one or a character, as a person would."""
        known = key in _KEYS
        event = {"key": key, "code": key, "windowsVirtualKeyCode": _KEYS[key]} if known else {"key": key, "text": key}
        self._call("Input.dispatchKeyEvent", type="rawKeyDown" if known else "keyDown", **event)
        self._call("Input.dispatchKeyEvent", type="keyUp", **{name: event[name] for name in event if name != "text"})

    def allow_scripts(self, allowed: bool) -> None:
        """Let pages run scripts or not, from the next page on; `text` still answers without."""
        self._call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def resize(self, width: int, height: int, *, dark: bool = False, medium: str = "") -> None:
        """Set the page's size in CSS pixels, whether the reader wants it dark, and the medium, such as print."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._call("Emulation.setEmulatedMedia", media=medium, features=features)

    def screenshot(self, path: Path, selector: str = "html") -> None:
        """Write what an element looks like as PNG, all of it."""
        box = self.evaluate(
            f"(({{x, y, width, height}}) => [x + scrollX, y + scrollY, width, height])"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        )
        clip = {**dict(zip(("x", "y", "width", "height"), box, strict=True)), "scale": 1}
        found = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(found["data"]))

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._output, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + TIMEOUT
        while True:
            answer = self._read(end)
            if answer.get("id") == number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error'].get('message')}")
                found: dict[str, Any] = answer["result"]
                return found

    def _wait_for(self, event: str) -> None:
        end = time.monotonic() + TIMEOUT
        while not any(found["method"] == event for found in self._events):
            self._read(end)
        self._events.clear()

    def _read(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._input], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise BrowserError("the browser is silent")
            found = os.read(self._input, 1 << 16)
            if not found:
                raise BrowserError("the browser is gone")
            self._buffer += found
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        if "method" in message:
            self._events.append(message)
            self._note(message["method"], message["params"])
        return message

    def _note(self, method: str, said: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            details = said["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(value.get("value")) for value in said["args"]))
        elif method == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning"):
            self.problems.append(said["entry"]["text"])
        elif method == "Audits.issueAdded" and said["issue"]["code"] == "ContentSecurityPolicyIssue":
            self.problems.append(json.dumps(said["issue"]["details"]))
