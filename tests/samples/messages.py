"""What the messages of errors name."""

from __future__ import annotations


def assert_names(message: object, *facts: object) -> None:
    """Check that a message names these facts in this order: where, what, and after `Fix: ` what to do."""
    rest = str(message)
    for fact in map(str, facts):
        if fact:
            _, found, rest = rest.partition(fact)
            assert found, f"{fact!r} is not named in its place: {message}"
