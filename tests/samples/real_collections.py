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


def some_pages(archive: Path, folder: Path, every: int) -> Path:
    """Write an archive of one of `every` so many pages of another into a folder, under the same name."""
    fewer = folder / archive.name
    with tarfile.open(archive) as whole, tarfile.open(fewer, "w:gz", compresslevel=1) as some:
        for number, member in enumerate(whole):
            if number % every == 0:
                some.addfile(member, whole.extractfile(member))
    return fewer
