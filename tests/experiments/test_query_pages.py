"""The pages that query logs name, however they spell them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from thresher.collections import open_collection
from thresher.experiments.query_pages import find_pages, read_answers
from thresher.experiments.schema import CollectionTable, read_options

NAMES = [f"{folder}/page{number}" for number in range(3) for folder in ("guide", "api/core", "notes")]
SITE = [*(f"{name}.html" for name in NAMES), "index.html", "guide/index.html"]


def matched(folder: Path, pages: list[str], **reading: str | bool) -> dict[str, list[str]]:
    """Return the documents of one query for each page of a log."""
    log = folder / "log.tsv"
    log.write_text("".join(f"query {number}\t{page}\n" for number, page in enumerate(pages)))
    table = CollectionTable(str(folder / "site"), **reading)  # type: ignore[arg-type]
    found = find_pages(table, open_collection(Path(table.path), read_options(table)), read_answers(log))
    return {pages[int(query.split()[1])]: [*ids] for query, ids in found.documents.items()}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name in SITE:
        path = tmp_path / "site" / "en" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<p>{name}")
    return tmp_path


@pytest.mark.parametrize(
    "spelling",
    [
        "en/{}",
        "en/{}.html",
        "{}.html",
        "{}",
        "/docs/v2/{}.htm",
        "https://site.example/{}.html",
        "https://site.example/en/{}",
        "https://www.site.example/en/latest/{}.html?from=search#top",
        "http://other.example/a/b/c/d/e/f/{}.html",
    ],
)
@pytest.mark.parametrize("reading", [{}, {"keep_suffix": True}, {"prefix": "en"}])
def test_pages_by_the_ends_of_their_paths(site: Path, spelling: str, reading: dict[str, str | bool]) -> None:
    ids = {name: f"{name if 'prefix' in reading else f'en/{name}'}" for name in NAMES}
    suffix = ".html" if reading.get("keep_suffix") else ""
    pages = {spelling.format(name): [document_id + suffix] for name, document_id in ids.items()}
    assert matched(site, [*pages], **reading) == pages


def test_index_pages_and_spaces(site: Path) -> None:
    (site / "site" / "en" / "my page.html").write_text("<p>Mine")
    urls = [f"https://x.example/en/{name}/" for name in NAMES]
    more = {"https://x.example/en/": "en/index", "https://x.example/en/guide/": "en/guide/index"}
    found = matched(site, [*urls, *more, "https://x.example/en/my%20page", "https://elsewhere.example/"])
    # No qrels can hold an id with a space.
    assert found == {
        **{url: [f"en/{name}"] for url, name in zip(urls, NAMES, strict=True)},
        **{url: [document_id] for url, document_id in more.items()},
    }


def test_names_that_several_pages_share_match_none(site: Path) -> None:
    assert matched(site, [f"https://x.example/{name.rpartition('/')[2]}" for name in NAMES] * 2) == {}


def test_a_few_chance_matches_are_none(site: Path) -> None:
    assert matched(site, ["https://x.example/guide/page1", *(f"https://x.example/shop/{at}" for at in range(9))]) == {}


def test_ids_and_addresses_count_first(site: Path) -> None:
    pages = [f"en/{name}" for name in NAMES]
    assert matched(site, [*pages, "https://x.example/guide/page1"]) == {page: [page] for page in pages}


@pytest.mark.parametrize("base", ["", "<base href='https://shop.example/'>"])
def test_pages_by_canonical_addresses(tmp_path: Path, base: str) -> None:
    target = "https://shop.example/{}" if not base else "{}"
    lines = []
    for number in range(6):
        head = f"{base}<link rel='canonical' href='{target.format(number)}'>"
        lines.append(json.dumps({"id": f"p{number}", "html": f"{head}<p>Rye bread"}) + "\n")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "pages.jsonl").write_text("".join(lines))
    found = matched(tmp_path, [f"http://www.shop.example/{number}/" for number in range(6)])
    assert [*found.values()] == [[f"p{number}"] for number in range(6)]


def test_ids_that_are_addresses(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    urls = [f"https://mill.example/{number}" for number in range(6)]
    lines = (json.dumps({"id": url, "html": "<p>Rye bread"}) + "\n" for url in urls)
    (tmp_path / "site" / "pages.jsonl").write_text("".join(lines))
    assert matched(tmp_path, urls) == {url: [url] for url in urls}
    moved = [url.replace("https://mill.example", "http://new.example/en") for url in urls]
    assert [*matched(tmp_path, moved).values()] == [[url] for url in urls]
