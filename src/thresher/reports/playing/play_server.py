"""The server of `thresher play`: on this machine alone, for the page that it sends and for programs here.

It fetches nothing. A request with another Host could come from a page of another site whose name was made to mean this
machine; one with another Origin comes from such a page: both are refused.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from html import escape
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import urlencode

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from thresher.base.errors import InputError, ResourceError, ThresherError
from thresher.cleaners.cleaner import Cleaner, parse_cleaner
from thresher.cleaners.scorer import Scorer
from thresher.collections import Page
from thresher.collections.sources import too_large
from thresher.pages import PageOptions, shown_page
from thresher.reports.playing.page_sources import (
    LEFT,
    PageProcess,
    ResultPages,
    cleaned_text,
    found,
    open_pages,
    scored_view,
)
from thresher.reports.playing.page_views import STARTS, View, cuts_view, policy, scorer_view, served_page, shown_scorers
from thresher.scores.percentiles import resolved_without_collection

HOST = "127.0.0.1"
_MOST_PASTED = 8
_FRAMED = (
    "sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)
"""The policy of a page itself: no script of its own runs, nothing is loaded, and this server's page may look into it."""
# Weaker than any rule of the page, but for those that say how what is removed looks.
_DIMMED = """<style>:root { color-scheme: light; background: #fff; --a: 0 2px #3294fb; --b: 0 2px #b0359f; }
x-block { transition: opacity .15s; cursor: pointer; } x-block[data-kept=""] { opacity: .28 !important; }
x-block[data-kept="A"] { box-shadow: var(--a) !important; } x-block[data-kept="B"] { box-shadow: var(--b) !important; }
x-block[data-here] { outline: 2px solid #3294fb !important; outline-offset: 2px; }</style>"""


class Play:
    """The answers of the server.

    `path` is a collection, or a folder of results; None for pages that are pasted alone. `scorers` are names besides
    those that are always shown.
    """

    def __init__(
        self, path: Path | None, scorers: Sequence[str], options: PageOptions, process: PageProcess | None = None
    ) -> None:
        self.process = process or PageProcess()
        self.options = options
        self.scorers = shown_scorers(scorers)
        for scorer in self.scorers:
            scorer.prepare()
        self.pages = open_pages(path, self.score) if path is not None else None
        self.results = self.pages if isinstance(self.pages, ResultPages) else None
        self._pasted: dict[str, Page] = {}

    def score(self, page: Page) -> View:
        """Return a page with its scores, for a browser."""
        return self.process.call(scored_view, page, self.scorers, self.options)

    def start(self) -> View:
        """Return what the page's script starts with."""
        known: dict[str, Scorer] = {scorer.canonical_name: scorer for scorer in self.scorers}
        cleaners: Mapping[str, list[View]] = {}
        sides = [cuts_view(parse_cleaner(name)) for name in STARTS]
        if self.results:
            known = {**{scorer.canonical_name: scorer for scorer in self.results.scorers()}, **known}
            cleaners = self.results.cleaners()
            some = [cuts for cuts in cleaners.values() if cuts]
            sides = [*([some[0], some[-1]] if some else sides)]
            if chosen := self.results.chosen():
                sides = [cuts_view(Cleaner()), chosen]
        return {
            "scorers": [*map(scorer_view, known.values())],
            "sides": sides,
            "server": True,
            **found(self.pages, ""),
            "variants": [{"name": name, "cuts": cuts} for name, cuts in cleaners.items()],
            "topics": self.results is not None,
        }

    def app(self, port: int) -> ASGIApp:
        """Return the application for a server at `port`."""
        # Made now: it is answered however busy the threads are.
        first = served_page(self.start())

        async def page(_: Request) -> Response:
            return Response(first, media_type="text/html")

        routes = [
            Route("/", page),
            Route("/api/pages", self._ids),
            Route("/api/page", self._picked),
            Route("/api/original", self._original),
            Route("/api/topics", self._topics),
            Route("/api/ranks", self._ranks),
            Route("/api/score", self._score, methods=["POST"]),
            Route("/clean", self._clean, methods=["POST"]),
        ]
        return _Guard(Starlette(routes=routes, exception_handlers={ThresherError: _refused}), port)

    async def _ids(self, request: Request) -> Response:
        return _json(await run_in_threadpool(found, self.pages, request.query_params.get("find", "")))

    async def _picked(self, request: Request) -> Response:
        if self.pages is None:
            raise HTTPException(404)
        page_id = _asked(request, "id")
        view = await waited_for(request, self.pages.view, page_id)
        return _json({**view, "original": urlencode({"id": page_id})})

    async def _original(self, request: Request) -> Response:
        try:
            text = await waited_for(request, self._shown, dict(request.query_params))
        except ThresherError as error:
            text = f"<p>It cannot be shown: {escape(error.what)}."
        return Response(text + _DIMMED, media_type="text/html", headers={"content-security-policy": _FRAMED})

    def _shown(self, asked: Mapping[str, str]) -> str:
        if self.pages is not None and "id" in asked:
            page, options, blocks = self.pages.page(asked["id"])
        elif asked.get("pasted") in self._pasted:
            page, options, blocks = self._pasted[asked["pasted"]], None, None
        else:
            raise InputError("the page is no longer at hand", "paste it again")
        return self.process.call(shown_page, page, options or self.options, blocks)

    async def _topics(self, request: Request) -> Response:
        return _json({"topics": await run_in_threadpool(self._of_results().topics, _asked(request, "id"))})

    async def _ranks(self, request: Request) -> Response:
        results, page_id, topic = self._of_results(), _asked(request, "id"), _asked(request, "topic")
        names = request.query_params.getlist("variant")
        rank = partial(results.rank, page_id, topic)
        return _json({"ranks": await run_in_threadpool(lambda: {name: rank(name) for name in names})})

    async def _score(self, request: Request) -> Response:
        kind = request.headers.get("content-type", "").partition(";")[0]
        charset = "utf-8" if kind.startswith("text/") else None
        page = Page("", await self._body(request), charset=charset, is_text=kind == "text/plain")
        view = await waited_for(request, self.score, page)
        digest = hashlib.sha256(page.content).hexdigest()
        for name in [*self._pasted][: 1 - _MOST_PASTED]:
            del self._pasted[name]
        self._pasted[digest] = page
        return _json({**view, "original": f"pasted={digest}"})

    async def _clean(self, request: Request) -> Response:
        page = Page("", await self._body(request))
        text = await waited_for(request, self._cleaned, page, _asked(request, "cleaner"))
        return PlainTextResponse(text + "\n")

    def _cleaned(self, page: Page, name: str) -> str:
        cleaner = resolved_without_collection(parse_cleaner(name).checked())
        for scorer in cleaner.scorers:
            scorer.prepare()
        return self.process.call(cleaned_text, page, cleaner, self.options)

    async def _body(self, request: Request) -> bytes:
        most = self.process.limits.mib * 2**20
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise InputError(f"this is {too_large(len(body), most)}", "try a smaller page")
        return bytes(body)

    def _of_results(self) -> ResultPages:
        if self.results is None:
            raise HTTPException(404)
        return self.results


async def waited_for(request: Request, work: Callable[..., Any], *given: object) -> Any:
    """Return the result of work in a thread, where `LEFT` says once the request's client has left."""
    LEFT.set(left := threading.Event())

    async def watch() -> None:
        while not await request.is_disconnected():
            await asyncio.sleep(0.5)
        left.set()

    watching = asyncio.create_task(watch())
    try:
        return await run_in_threadpool(work, *given)
    finally:
        watching.cancel()


class _Guard:
    """Lets requests to this server's own names through, and from its own page if a browser says where they come from."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in (HOST, "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no web sockets
            return
        headers = Request(scope).headers
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        fair = len(hosts) == 1 and hosts[0] in self._hosts and all(one == f"http://{hosts[0]}" for one in origins)
        if not fair or headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            answer = PlainTextResponse("This server is for its own page and for programs on this machine.\n", 403)
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, _secured(send))


def _secured(send: Send) -> Send:
    headers = {
        "content-security-policy": policy("'self'", served=True),
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "x-dns-prefetch-control": "off",
    }

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            # A page itself has its own policy.
            own = {name.encode(): value.encode() for name, value in headers.items()} | dict(message["headers"])
            message = {**message, "headers": [*own.items()]}
        await send(message)

    return sending


def _asked(request: Request, name: str) -> str:
    if name not in request.query_params:
        raise InputError(f"the request has no {name!r}", f"add ?{name}=")
    return str(request.query_params[name])


def _json(value: View) -> Response:
    return Response(json.dumps(value, ensure_ascii=False), media_type="application/json")


async def _refused(_: Request, error: Exception) -> Response:
    what = error.what if isinstance(error, ThresherError) else ""
    status = 503 if isinstance(error, ResourceError) else 422
    return Response(json.dumps({"problem": f"{what[:1].upper()}{what[1:]}."}), status, media_type="application/json")


class _Server(uvicorn.Server):
    """A server that Ctrl-C ends at once: it waits for no page that is being read, and no client that is still sending."""

    def __init__(self, config: uvicorn.Config, process: PageProcess) -> None:
        super().__init__(config)
        self._process = process

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._process.stop()
        super().handle_exit(sig, frame)


def serve(play: Play, port: int, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C at a port of `HOST`, 0 for any that is free; `say` is called with the address."""
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port))
        except OSError as error:
            raise ResourceError(f"the port {port} is not free", "choose another, or none", "--port") from error
        port = listening.getsockname()[1]
        # Who reads the address may use it at once.
        listening.listen()
        config = uvicorn.Config(play.app(port), log_level="critical", access_log=False, ws="none", lifespan="off")
        config.timeout_graceful_shutdown = 1
        try:
            # Ctrl-C is how one ends it, from the moment that it is said; uvicorn passes it on when it has ended.
            with suppress(KeyboardInterrupt):
                say(f"http://{HOST}:{port}/ (Ctrl-C ends it)")
                _Server(config, play.process).run(sockets=[listening])
        finally:
            play.process.close()
