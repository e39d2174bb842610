"""Limits per page, and the clock that ends a process over them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from thresher.base.defaults import PAGE_MIB, PAGE_SECONDS


@dataclass(frozen=True)
class Limits:
    """Limits per page: `seconds` of wall time, `mib` of raw bytes."""

    seconds: float = PAGE_SECONDS
    mib: float = PAGE_MIB


DEFAULT_LIMITS = Limits()


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """End this process by SIGALRM if the block takes longer: nothing else stops C code that holds the interpreter."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def exit_reason(code: int | None, limits: Limits) -> str:
    """Return the reason why a page ended its worker: a timeout or a crash."""
    if code == -signal.SIGALRM:
        return f"took longer than {limits.seconds:g} s"
    return f"ended its worker (exit code {code})"
