"""Collections with topics below `retrieval` of the shared data."""

from __future__ import annotations

import tarfile
from pathlib import Path

from thresher.collections import IdRule

REAL = (
    ("cacm/cacm.tar.gz", "topics.cacm.txt", IdRule(pattern="-0+", replacement="-")),
    ("postgresql-manual/pages.tar.gz", "topics.tsv", IdRule(prefix="pages", keep_suffix=True)),
)
"""The archive, its topics beside it, and the rule that makes its ids those of the qrels."""


EVERY = 8


def some_pages(archive: Path, folder: Path) -> Path:
    """Write an archive of every eighth page of another into a folder, under the same name."""
    fewer = folder / archive.name
    with tarfile.open(archive) as whole, tarfile.open(fewer, "w:gz", compresslevel=1) as some:
        for number, member in enumerate(whole):
            if number % EVERY == 0:
                some.addfile(member, whole.extractfile(member))
    return fewer
