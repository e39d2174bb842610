"""Blocks of code on the guides of Ray's documentation, which `content` was not trained on, stay."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePath

import pytest
from lxml import html

from thresher.cleaners.cleaner import parse_cleaner
from thresher.pages import Detail, read_html
from thresher.scores.cutting import left_by

REFERENCE = {"package_ref", "doc", "_modules", "api"}
"""Folders of pages made of docstrings, which are no guides."""
EVERY, LEAST_WORDS = 12, 8


def guides(archive: Path) -> Iterator[str]:
    with tarfile.open(archive) as pages:
        names = sorted(name for name in pages.getnames() if name.endswith(".html"))
        for name in [name for name in names if not REFERENCE & {*PurePath(name).parts}][::EVERY]:
            member = pages.extractfile(name)
            assert member is not None
            yield member.read().decode()


@pytest.mark.slow
def test_code_of_guides_stays(shared_data: Path) -> None:
    cleaner = parse_cleaner("content@0.5")
    kept: list[bool] = []
    for page in guides(shared_data / "retrieval" / "ray-docs-2023" / "pages.tar.xz"):
        text = "".join(left_by(cleaner, read_html(page, detail=Detail.ELEMENTS)).split())
        for block in html.fromstring(page.encode()).iter("pre"):
            words = "".join(block.itertext()).split()
            if len(words) >= LEAST_WORDS:
                kept.append("".join(words) in text)
    assert len(kept) > 200
    assert sum(kept) >= 0.99 * len(kept)
