"""Damaging inputs: what comes out follows from the seeds, the tokens and the state of the random numbers alone."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

MOST_BYTES = 1 << 16
_NUMBERS = (
    b"0",
    b"-1",
    b"1",
    b"7",
    b"255",
    b"65536",
    b"4294967296",
    b"99999999999999999999",
    b"ffffffff",
    b"1e999",
    b"nan",
)
_DIGITS = b"0123456789"

Change = Callable[[random.Random, bytearray, Sequence[bytes], Sequence[bytes]], None]


def mutated(rng: random.Random, seeds: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """Return one of `seeds` after a few changes; now and then a seed as it is, or random bytes."""
    chance = rng.random()
    if chance < 0.01:
        return rng.choice(seeds)[:MOST_BYTES]
    if chance < 0.03:
        return rng.randbytes(rng.randrange(600))
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5, 9))):
        rng.choice(_CHANGES)(rng, data, seeds, tokens)
    return bytes(data[:MOST_BYTES])


def _flip_bits(rng: random.Random, data: bytearray, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> None:
    for _ in range(rng.choice((1, 1, 2, 8))):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _put_token(rng: random.Random, data: bytearray, _seeds: Sequence[bytes], tokens: Sequence[bytes]) -> None:
    at = _place(rng, data)
    data[at : at + rng.choice((0, 0, 0, 1, 4, 20))] = rng.choice(tokens) * rng.choice((1, 1, 1, 1, 2, 300))


def _put_bytes(rng: random.Random, data: bytearray, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> None:
    at = _place(rng, data)
    data[at : at + rng.randrange(30)] = rng.randbytes(rng.randrange(30))


def _cut_out(rng: random.Random, data: bytearray, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> None:
    at, end = _stretch(rng, data)
    del data[at:end]


def _repeat(rng: random.Random, data: bytearray, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> None:
    at, end = _stretch(rng, data)
    data[end:end] = data[at:end] * rng.choice((1, 1, 1, 2, 40))


def _truncate(rng: random.Random, data: bytearray, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> None:
    del data[_place(rng, data) :]


def _splice(rng: random.Random, data: bytearray, seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> None:
    other = rng.choice(seeds)
    begin = rng.randrange(len(other) + 1)
    data[_place(rng, data) :] = other[begin:]


def _append(rng: random.Random, data: bytearray, seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> None:
    data += rng.choice(seeds)


def _change_number(rng: random.Random, data: bytearray, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> None:
    """Put another number where one stands, as lengths are written."""
    places = [at for at in range(len(data)) if data[at] in _DIGITS and (at == 0 or data[at - 1] not in _DIGITS)]
    if places:
        at = end = rng.choice(places)
        while end < len(data) and data[end] in _DIGITS:
            end += 1
        near = str(max(0, int(data[at : min(end, at + 15)]) + rng.choice((-100, -2, -1, 1, 2, 3, 100)))).encode()
        data[at:end] = rng.choice((near, near, rng.choice(_NUMBERS)))


def _change_value(rng: random.Random, data: bytearray, _seeds: Sequence[bytes], tokens: Sequence[bytes]) -> None:
    """Put a token behind the `=` or `:` of a line."""
    lines = bytes(data).split(b"\n")
    marked = [number for number, line in enumerate(lines) if b"=" in line or b":" in line]
    if marked:
        number = rng.choice(marked)
        mark = b"=" if b"=" in lines[number] else b":"
        head = lines[number].partition(mark)[0]
        lines[number] = head + mark + b" " + rng.choice(tokens)
        data[:] = b"\n".join(lines)


def _move_lines(rng: random.Random, data: bytearray, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> None:
    lines = bytes(data).split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    if rng.random() < 0.5:
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines[one] = lines[other]
    data[:] = b"\n".join(lines)


_CHANGES: tuple[Change, ...] = (
    _flip_bits,
    _put_token,
    _put_token,
    _put_token,
    _put_bytes,
    _cut_out,
    _repeat,
    _truncate,
    _splice,
    _append,
    _change_number,
    _change_value,
    _move_lines,
)


def _place(rng: random.Random, data: bytearray) -> int:
    return rng.randrange(len(data) + 1)


def _stretch(rng: random.Random, data: bytearray) -> tuple[int, int]:
    at = _place(rng, data)
    return at, min(len(data), at + rng.choice((1, 4, 30, 300, 3000)))


def minimised(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """Return a shorter input that still fails: stretches of half the length, then of a quarter and so on, are left out."""
    size = len(data) // 2
    while size:
        at = 0
        while at < len(data):
            shorter = data[:at] + data[at + size :]
            if fails(shorter):
                data = shorter
            else:
                at += size
        size //= 2
    return data
