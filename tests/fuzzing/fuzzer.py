"""Giving a target many inputs, and telling which of them it could not take."""

from __future__ import annotations

import shutil
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mutation import minimised
from targets import Target

SECONDS = 20
"""What an input may take: a thousand times what any should."""


@dataclass(frozen=True)
class Found:
    """An input that a target could not take: its number, a shorter one that fails in the same way, and how.

    `kind` is the same for what fails in the same way; only the first of a kind is shortened.
    """

    number: int
    kind: str
    data: bytes
    error: str


def fuzz(
    target: Target,
    numbers: range,
    seed: int,
    folder: Path,
    shared: tuple[bytes, ...] = (),
    begun: Callable[[int], None] = lambda number: None,
) -> Iterator[Found]:
    """Give a target the inputs of `numbers`, in a folder for its files; `begun` is told the number of each."""
    seen: set[str] = set()
    target.prepare(folder)
    for number in numbers:
        begun(number)
        data = target.make(seed, number, shared)
        error = failure(target, data, folder)
        if error is None:
            continue
        kind = _kind(error)
        if kind not in seen:
            seen.add(kind)
            data = minimised(data, partial(_fails, target, folder, kind))
            error = failure(target, data, folder) or error
        yield Found(number, kind, data, f"{type(error).__name__}: {error}"[:400])


def failure(target: Target, data: bytes, folder: Path) -> BaseException | None:
    """Return what a target raises for an input, None if it takes it."""
    place = folder / target.name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    try:
        with _alarm():
            target.check(data, place)
    except (Exception, TookTooLong) as error:
        return error
    return None


class TookTooLong(BaseException):
    """An input took longer than `SECONDS`; no `except Exception` of what is fuzzed catches it."""


def _fails(target: Target, folder: Path, kind: str, data: bytes) -> bool:
    error = failure(target, data, folder)
    return error is not None and _kind(error) == kind


def _kind(error: BaseException) -> str:
    """What tells failures apart: the error's class, and the last places of the project it came through."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "python3" not in frame.filename]
    places = (f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames[-3:])
    return " > ".join((*places, type(error).__name__))


@contextmanager
def _alarm() -> Iterator[None]:
    def stop(_number: int, _frame: object) -> None:
        raise TookTooLong(f"took longer than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
