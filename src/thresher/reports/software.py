"""The software that made the results, in words: programs with versions, the commit, and the date."""

from __future__ import annotations

from thresher.experiments.manifest import Software

PROGRAMS = {"thresher": "Thresher", "lucene": "Lucene", "anserini": "Anserini", "pyserini": "Pyserini"}
"""The programs that reports name besides ir-measures, as their authors write them."""
_COMMIT = 10
"""Characters of a commit that are shown."""


def program(software: Software, name: str) -> str:
    """Return a program with its version, where that is known."""
    return f"{PROGRAMS.get(name, name)} {software.versions.get(name, '')}".rstrip()


def origin(software: Software) -> str:
    """Return the commit of Thresher and the date of the results, as far as they are known."""
    details = []
    if software.code:
        changes = " with changes" if software.code.changed else ""
        details.append(f"commit {software.code.commit[:_COMMIT]}{changes}")
    if software.date:
        details.append(software.date)
    return ", ".join(details)
