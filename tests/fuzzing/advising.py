"""Inputs of `thresher advise --queries`: a crawl, and queries with their pages; nothing is indexed or searched."""

from __future__ import annotations

import json
from pathlib import Path

from texts import Refused
from watching import watched

from thresher.base.errors import InputError
from thresher.collections import ReadOptions, open_collection
from thresher.evaluation.topics import read_topics
from thresher.evaluation.trec_files import read_qrels
from thresher.experiments import adviser
from thresher.experiments.adviser import EXPERIMENT, QRELS_FILE, TOPICS_FILE
from thresher.experiments.config import load_experiment
from thresher.experiments.query_pages import find_pages, read_answers
from thresher.experiments.schema import CollectionTable

BETWEEN = b"\n%%\n"
"""Between the parts of an input: the queries, and pages with a line each of id and address before the HTML."""
_PAGES = 40


def _crawl(queries: bytes, count: int = 7) -> bytes:
    page = b"p%d\nhttp://mill.example/%d.html\n<title>Rye bread %d</title><p>The flour of sort %d is ground here.</p>"
    pages = [page % (at, at, at, at) for at in range(count)]
    return BETWEEN.join((queries, *pages))


SEEDS = (
    _crawl(b"rye bread\tp1\n"),
    _crawl(
        b"".join(b"rye bread %d\tp%d\nflour\thttp://mill.example/%d.html\n" % (at, at, at) for at in range(26)),
        count=26,
    ),
)
TOKENS = (
    BETWEEN, b"\n", b"\t", b"\r", b"\0", b"\x0b", b"\x1c", b"\xc2\x85", b"\xe2\x80\xa8", b"\xc2\xa0", b"\xff", b"\xed\xa0\x80",
    b"\xef\xbb\xbf", b"\xe2\x80\xae", b"http://", b"http://[", b"www.", b"p1", b'"', b"$", b"${title}",
    b"\\", b"\\u2028", b"\\ud800", b"%00", b"#", b"\xe6\x97\xa5\xe6\x9c\xac", b"\xcc\x81", b"\xc2\xad", b".", b" ",
)  # fmt: skip


def advise_inputs(data: bytes, folder: Path) -> None:
    """Topics of a query log, and all files that are written before anything is explored, read back as `explore` does."""
    asked, *pages = data.split(BETWEEN)[: 1 + _PAGES]
    file, queries, out = folder / "crawl.jsonl", folder / "queries.tsv", folder / "out"
    queries.write_bytes(asked)
    ids: set[str] = set()
    with file.open("w", encoding="utf-8") as lines:
        for page in pages:
            name, url, html = [*page.decode("utf-8", "surrogateescape").split("\n", 2), "", ""][:3]
            ids.add(name)
            lines.write(json.dumps({"id": name, "url": url, "html": html}) + "\n")
    table = CollectionTable(str(file))
    with watched(folder, Path(adviser.__file__).parent), Refused(queries):
        answers = read_answers(queries)
        relevant = find_pages(table, open_collection(file, ReadOptions()), answers).documents
        assert {document for documents in relevant.values() for document in documents} <= ids
        assert relevant.keys() <= answers.keys()
        if not relevant:
            raise InputError("no query has a page", "give others", str(queries))
        experiment_file = adviser._write_experiment(table, relevant, out)
        topics = read_topics(out / TOPICS_FILE)
        assert [topic.query for topic in topics.values()] == [" ".join(query.split()) for query in relevant]
        qrels = read_qrels(out / QRELS_FILE)
        assert [*qrels.values()] == [dict.fromkeys(documents, 1) for documents in relevant.values()]
        assert load_experiment(experiment_file).name == EXPERIMENT
