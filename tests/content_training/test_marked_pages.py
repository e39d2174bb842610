"""Marked pages: what is taken out of a repository, and which blocks their marks make content."""

from __future__ import annotations

import gzip
import json
import subprocess
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from messages import assert_names

from content_training import marks
from content_training.gold_sets import read_gold_sets
from content_training.marks import SOURCES, Mark, Source, read_marks, shares_of_marks, take_pages
from thresher.base.errors import InputError

PAGE = b"<title>Storm</title><p>Home<p>One two, three!<p>- -<p>Four five"
PATHS = {
    "a.html": PAGE,
    "b.html.gz": gzip.compress(PAGE + b"6"),
    "c.json": json.dumps({"html": PAGE.decode() + "7"}).encode(),
}


def test_every_mark_can_be_taken_and_counts() -> None:
    known = read_marks()
    assert len(known) > 1300
    assert {mark.source for mark in known.values()} == {*SOURCES}
    for mark in known.values():
        ends = [end for run in mark.runs for end in run]
        # Runs ascend, with words between them.
        assert ends == sorted(ends)
        assert all(later[0] > run[1] + 1 for run, later in zip(mark.runs, mark.runs[1:], strict=False)), mark


def test_shares_of_blocks() -> None:
    assert shares_of_marks([(1, 2), (5, 5)], [2, 0, 2, 1, 1]).tolist() == [0.5, 0, 0.5, 0, 1]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with three pages, each with a mark."""
    where = tmp_path / "clones" / "pages"
    where.mkdir(parents=True)
    for name, content in PATHS.items():
        (where / name).write_bytes(content)
    git = ["git", "-C", str(where), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "pages"]):
        subprocess.run([*git, *command], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    pages = [PAGE, PAGE + b"6", PAGE + b"7"]
    digests = [sha256(page).hexdigest()[: marks.DIGEST] for page in pages]
    known = {
        digest: Mark("owner/pages", name, digest, "article", f"{name[0]}.example", ((2, 4), (6, 6)))
        for name, digest in zip(PATHS, digests, strict=True)
    }
    monkeypatch.setattr(marks, "SOURCES", {"owner/pages": Source(commit, "MIT", "by hand")})
    for module in (marks, __import__("content_training.training_pages").training_pages):
        monkeypatch.setattr(module, "read_marks", lambda: known)
    return where


def test_pages_are_taken_and_their_marks_are_labels(clone: Path, tmp_path: Path) -> None:
    assert take_pages(clone.parent, tmp_path / "taken") == {"owner/pages": 3}
    ((found,), left_out) = read_gold_sets([tmp_path / "taken"])
    assert not left_out
    assert sorted(page.domain for page in found.pages) == ["a.example", "b.example", "c.example"]
    labels = {page.domain[0]: page.labels.tolist() for page in found.pages}
    # Title, menu, three words, none, two words, of which the last has a digit more in two pages.
    assert labels["a"] == [0, 0, 1, 0, 0.5]
    for page in found.pages:
        assert page.bags is not None
        assert page.bags.f1(np.asarray(page.labels >= 0.5)) == 1


@pytest.mark.parametrize("gone", ["gone.html", "gone.json", "gone.html.gz"])
def test_a_page_that_is_missing_is_named(clone: Path, tmp_path: Path, gone: str) -> None:
    known = marks.read_marks()
    first = next(iter(known.values()))
    known[first.digest] = Mark(first.source, gone, first.digest, "article", "", first.runs)
    with pytest.raises(InputError, match=rf"pages: {gone}.*not the page"):
        take_pages(clone.parent, tmp_path / "marked")


def test_clones_that_are_none(clone: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        take_pages(tmp_path / "elsewhere", tmp_path / "marked")
    assert_names(caught.value, "no such folder", "Fix: ", "https://github.com/owner/pages")
    (tmp_path / "empty" / "pages").mkdir(parents=True)
    with pytest.raises(InputError, match="no clone"):
        take_pages(tmp_path / "empty", tmp_path / "marked")
