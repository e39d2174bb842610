"""What version 0.2 had and this version has not: each name with what to use instead.

Commands, options, keys of experiment files and scorers that are asked for by these names end in an error whose fix is the
text here.
"""

from __future__ import annotations

COMMANDS: dict[str, str] = {}
"""The fix by command, such as `pseudo-topics` or `lm import`."""

OPTIONS: dict[tuple[str, str], str] = {}
"""The fix by command and option, such as `("clean", "--metadata")`."""

KEYS: dict[str, str] = {}
"""The fix by table of an experiment file, such as `vectors`, or by table and key, such as `experiment.seed`."""

SCORERS: dict[str, str] = {}
"""The fix by name of a scorer, such as `union`."""


def removed_text(name: str) -> str:
    """Return the statement that a name of version 0.2 is gone.

    >>> removed_text("'union'")
    "'union' was removed in version 0.3"
    """
    return f"{name} was removed in version 0.3"
