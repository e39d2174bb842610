"""Peers over many pages, in separate processes: a page that crashes a peer costs that peer only this page."""

from __future__ import annotations

import multiprocessing
import os
import signal
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from thresher.cleaneval.gold import GoldPage
from thresher.cleaneval.peers import Peer, decode_for_peers
from thresher.errors import StateError
from thresher.files import fit_text, user_error
from thresher.passes.backends import alarm, exit_reason, start_process
from thresher.streams import open_stream

SECONDS = 30.0
"""Default wall time that a peer may take over a page."""

_LAST_SECONDS = 5.0
"""A process that has hung up is about to end by itself; its exit code is waited for this long."""


@dataclass(frozen=True)
class PeerPage:
    """What each peer leaves of a page: its paragraphs, in the peers' order.

    A peer that raised, took too long or ended its process leaves nothing, and `problems` has the reason instead; the
    problem of a peer that did well is empty.
    """

    stem: str
    texts: tuple[tuple[str, ...], ...]
    problems: tuple[str, ...]


@dataclass(frozen=True)
class _Outcome:
    """What one peer leaves of one page, or the reason why nothing."""

    paragraphs: tuple[str, ...]
    problem: str = ""


def run_peers(
    pages: Sequence[GoldPage], peers: Sequence[Peer], workers: int = 1, seconds: float = SECONDS
) -> Iterator[PeerPage]:
    """Run every peer over every page, in the order of the pages.

    Processes end with this generator, and with this process should it be killed. What packages write to
    standard output and error is lost.

    `seconds` is the wall time that a peer may take over a page.

    Raises:
        InputError: if a page's file cannot be read.
        StateError: if a process ends before it can take a page.
    """
    team = _Team(pages, peers, seconds)
    try:
        for _ in range(min(workers, len(pages))):
            team.hire()
        for number, page in enumerate(pages):
            outcomes = team.outcomes(number)
            texts = tuple(outcome.paragraphs for outcome in outcomes)
            yield PeerPage(page.stem, texts, tuple(outcome.problem for outcome in outcomes))
    finally:
        team.dismiss()


@dataclass(eq=False)
class _Worker:
    """A process, and the page it is at: None before it is ready, and when there is none left for it."""

    process: SpawnProcess
    channel: Connection[Any, Any]
    ready: bool = False
    page: int | None = None


class _Team:
    """The processes, the pages that wait for one, and what is known of the pages begun: of their first peers so far."""

    def __init__(self, pages: Sequence[GoldPage], peers: Sequence[Peer], seconds: float) -> None:
        self._pages, self._peers, self._seconds = pages, peers, seconds
        self._waiting = deque(range(len(pages)))
        self._outcomes: dict[int, list[_Outcome]] = {number: [] for number in self._waiting}
        self._workers: list[_Worker] = []

    def hire(self) -> None:
        """Start a process, which will say when it is ready."""
        ours, theirs = multiprocessing.Pipe()
        process = start_process(_work, theirs, self._peers, self._seconds, daemon=True)
        # Else its end would stay open when the process is gone.
        theirs.close()
        self._workers.append(_Worker(process, ours))

    def dismiss(self) -> None:
        """End all processes; they have nothing to lose."""
        while self._workers:
            self._end(self._workers[-1])

    def outcomes(self, number: int) -> list[_Outcome]:
        """Wait for all that the peers leave of a page, and hand it out."""
        while len(self._outcomes[number]) < len(self._peers):
            ready = wait([worker.channel for worker in self._workers])
            for worker in [worker for worker in self._workers if worker.channel in ready]:
                self._hear(worker)
        return self._outcomes.pop(number)

    def _hear(self, worker: _Worker) -> None:
        try:
            message: _Outcome | OSError | None = worker.channel.recv()
        except (EOFError, OSError):
            self._replace(worker)
            return
        if isinstance(message, OSError):
            assert worker.page is not None
            raise user_error(message, self._pages[worker.page].path) from message
        if message is None:
            worker.ready = True
        elif worker.page is not None:
            self._outcomes[worker.page].append(message)
            if len(self._outcomes[worker.page]) < len(self._peers):
                return
        worker.page = self._waiting.popleft() if self._waiting else None
        if worker.page is not None:
            # If the process has ended, that is heard next.
            with suppress(OSError):
                worker.channel.send((self._pages[worker.page].path, len(self._outcomes[worker.page])))

    def _replace(self, worker: _Worker) -> None:
        worker.process.join(_LAST_SECONDS)
        code = self._end(worker)
        if not worker.ready:
            modules = ", ".join(dict.fromkeys(peer.module for peer in self._peers))
            raise StateError(
                f"a process for the peers ended before its first page (exit code {code})",
                f"look at the machine's memory, and whether Python can import {modules}",
            )
        if worker.page is not None:
            self._outcomes[worker.page].append(_Outcome((), exit_reason(code, self._seconds, "process")))
            if len(self._outcomes[worker.page]) < len(self._peers):
                self._waiting.appendleft(worker.page)
        if self._waiting:
            self.hire()

    def _end(self, worker: _Worker) -> int | None:
        """End a process, unless it has ended, and return its exit code."""
        self._workers.remove(worker)
        worker.channel.close()
        worker.process.kill()
        worker.process.join()
        code = worker.process.exitcode
        worker.process.close()
        return code


def _work(channel: Connection[Any, Any], peers: Sequence[Peer], seconds: float) -> None:
    """Take pages until the parent hangs up. A peer over its time ends this process by SIGALRM, as C code may not return."""
    _silence()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for module in {peer.module for peer in peers}:
        # Before the clock runs. A peer that cannot be imported says so of every page.
        with suppress(Exception):
            import_module(module)
    with suppress(EOFError, OSError):
        channel.send(None)
        while True:
            path, first = channel.recv()
            try:
                with open_stream(path) as stream:
                    content, damage = stream.read(), stream.damage
            except OSError as error:
                channel.send(error)
                continue
            if damage:
                for _ in peers[first:]:
                    channel.send(_Outcome((), damage))
                continue
            page = decode_for_peers(content)
            for peer in peers[first:]:
                channel.send(_extract(peer, page, seconds))


def _extract(peer: Peer, page: str, seconds: float) -> _Outcome:
    try:
        with alarm(seconds):
            return _Outcome(tuple(fit_text(paragraph) for paragraph in peer.extract(page)))
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error) or error.__cause__ or ''}"
        return _Outcome((), fit_text(" ".join(reason.split()).removesuffix(":")))


def _silence() -> None:
    """Lose what packages print, log and warn of, also from C."""
    warnings.simplefilter("ignore")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for standard in (1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
