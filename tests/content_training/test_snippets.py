"""Gold of snippets, as Trafilatura's evaluation has it."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from content_training.snippets import SnippetPage, read_pages
from thresher.base.errors import InputError


def write_snippets(folder: Path, gold: Any, **folders: tuple[str, ...]) -> Path:
    for name, files in folders.items():
        (folder / name).mkdir(parents=True)
        for file in files:
            (folder / name / file).write_bytes(b"<p>It rained on the harbour.<p>Share this")
    (folder / "evaldata.json").write_text(json.dumps(gold), encoding="utf-8")
    return folder


def test_snippets_are_partial_gold(tmp_path: Path) -> None:
    gold = {
        "http://example.org/ä": {"file": "ä.x.html", "with": []},
        "http://example.org/b": {"file": "b.html", "with": ["It rained "], "without": ["Share"], "author": 1},
        "http://example.org/lost": {"file": "lost.html", "without": ["Home"]},
    }
    assert read_pages(write_snippets(tmp_path, gold, eval=("b.html", "more.html"), cache=("ä.x.html",))) == (
        SnippetPage("b", tmp_path / "eval" / "b.html", (), "http://example.org/b", "", ("It rained ",), ("Share",)),
        SnippetPage("ä.x", tmp_path / "cache" / "ä.x.html", (), "http://example.org/ä"),
    )


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ({"u": {"file": 1}}, "snippets by URL"),
        ({"u": {"file": "1.html"}, "v": ["1.html"]}, "snippets by URL"),
        ([], "snippets by URL"),
        ({"u": {"file": "1.html", "with": [""]}}, "`with` is not a list"),
        ({"u": {"file": "1.html"}, "v": {"file": "1.html"}}, "two pages are named '1'"),
        ({"u": {"file": "2.html"}}, "no page of evaldata.json"),
        ({}, "no page of evaldata.json"),
    ],
)
def test_snippets_of_another_form_are_refused(tmp_path: Path, content: Any, what: str) -> None:
    with pytest.raises(InputError, match=what) as caught:
        read_pages(write_snippets(tmp_path, content, eval=("1.html",)))
    assert len(caught.value.lines()) == 1


@pytest.mark.slow
def test_real_snippets(shared_data: Path, tmp_path: Path) -> None:
    """Names of pages suffice."""
    packed = shared_data / "cleaning" / "trafilatura-eval" / "trafilatura-eval.tar.xz"
    with tarfile.open(packed) as archive:
        for member in archive:
            path = tmp_path / member.name
            if member.isfile():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            if path.name == "evaldata.json" and (content := archive.extractfile(member)):
                path.write_bytes(content.read())
    pages = read_pages(tmp_path / "tests")
    assert len(pages) == 990
    snippets = [(len(page.required), len(page.forbidden)) for page in pages]
    assert tuple(map(sum, zip(*snippets, strict=True))) == (2951, 2966)
    assert min(map(min, snippets)) >= 1
