"""What the messages of errors name."""

from __future__ import annotations


def assert_names(message: object, *facts: object) -> None:
    """Check that a message names these facts in this order: where, what, and after `Fix: ` what to do."""
    missing = _missing(str(message), facts)
    assert missing is None, f"{missing!r} is not named in its place: {message}"


class Message:
    """Equal to each text that names these facts in this order: for messages in lists and records that are compared."""

    def __init__(self, *facts: object) -> None:
        self._facts = facts

    def __eq__(self, message: object) -> bool:
        return isinstance(message, str) and _missing(message, self._facts) is None

    def __hash__(self) -> int:
        return hash(self._facts)

    def __repr__(self) -> str:
        return f"Message{self._facts}"


def _missing(message: str, facts: tuple[object, ...]) -> str | None:
    """Return the first fact that the message does not name behind the facts before it; None if there is none."""
    rest = message
    for fact in map(str, facts):
        place = rest.find(fact)
        if place < 0:
            return fact
        rest = rest[place + len(fact) :]
    return None
