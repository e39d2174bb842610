"""What must hold of the inputs of `thresher advise`: a crawl, and queries with their pages; without index and search."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from texts import Refused
from watching import watched

from thresher.cleaners.languages import stop_list
from thresher.collections import IdRule, ReadOptions, documents, open_collection
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.evaluation.topics import read_topics
from thresher.evaluation.trec_files import read_qrels
from thresher.experiments import adviser
from thresher.experiments.adviser import EACH, NAME, _asked, _experiment
from thresher.pseudo_topics.link_tables import NEUTRAL, ExtractWork, open_store
from thresher.pseudo_topics.making import (
    QRELS_FILE,
    SOURCES,
    TOPICS_FILE,
    Made,
    PseudoOptions,
    by_page,
    choose,
    write_topics,
)
from thresher.pseudo_topics.sampling import PAGES, sample_by_site, write_sample
from thresher.scores.backends import Backend
from thresher.scores.parts import Limits, Task, do_part

BETWEEN = b"\n%%\n"
"""Between the parts of an input: the title, the queries, and pages with a line each of id and address before the HTML."""
_MOST, _PAGES = 6, 40


def _crawl(queries: bytes, title: bytes = b"A crawl", count: int = 7) -> bytes:
    ask = b'{"@type": "Question", "name": "How is rye bread %d baked?", "acceptedAnswer": "Slowly."}'
    page = (
        b"p%d\nhttp://mill.example/%d.html\n<title>Mill - Rye bread number %d</title><meta name=description content='Where rye"
        b" number %d comes from. More.'><h1>Rye bread number %d</h1><p>The flour of sort %d is ground on Mondays here.</p>"
        b"<a href=%d.html>all about sort %d</a><script type=application/ld+json>" + ask + b"</script>"
    )
    pages = [page % (at, at, at, at, at, at, (at + 1) % count, at, at) for at in range(count)]
    return BETWEEN.join((title, queries, *pages))


SEEDS = (
    _crawl(b""),
    _crawl(
        b"".join(b"rye bread %d\tp%d\nflour\thttp://mill.example/%d.html\n" % (at, at, at) for at in range(26)),
        count=26,
    ),
    _crawl(b"", 'Bücher $1 "x"'.encode()),
)
TOKENS = (
    BETWEEN, b"\n", b"\t", b"\r", b"\0", b"\x0b", b"\x1c", b"\xc2\x85", b"\xe2\x80\xa8", b"\xc2\xa0", b"\xff", b"\xed\xa0\x80",
    b"\xef\xbb\xbf", b"\xe2\x80\xae", b"<title>", b"</title>", b"<h1>", b"</h1>", b"&#10;", b"&#0;", b"&Tab;", b"&nbsp;",
    b"<base href=//x>", b"<a href=?>x</a>", b"http://", b"http://[", b"p1", b'"', b"$", b"${title}",
    b"\\", b"\\u2028", b"\\ud800", b"[" * 30,
    b'"acceptedAnswer": 1', b"%00", b"#", b"\xe6\x97\xa5\xe6\x9c\xac", b"\xcc\x81", b"\xc2\xad", b".", b"!", b" ",
)  # fmt: skip


def stop_words(_folder: Path) -> frozenset[str]:
    """Read what is read once."""
    return stop_list("English")


def advise_inputs(data: bytes, folder: Path) -> None:
    """A sample and topics of a crawl, and all files that an advice writes before it explores, read back as `explore` does."""
    title, asked, *pages = [*data.split(BETWEEN), b""][: 2 + _PAGES]
    file, queries, out = folder / "crawl.jsonl", folder / "queries.tsv", folder / "out"
    queries.write_bytes(asked)
    with file.open("w", encoding="utf-8") as lines:
        for page in pages:
            name, url, html = [*page.decode("utf-8", "surrogateescape").split("\n", 2), "", ""][:3]
            lines.write(json.dumps({"id": name, "url": url, "html": html}) + "\n")
    work_folder = folder / "work"
    work_folder.mkdir()
    collection = open_collection(file, ReadOptions(NEUTRAL))
    # How much memory a part takes is looked up.
    with watched(folder, Path("/proc/self"), Path(adviser.__file__).parent), Refused(queries):
        work = ExtractWork(collection, work_folder, Limits(), IdRule(), False, "English")
        for part in collection.parts(20):
            do_part(Task(part), work)
        store = open_store(work_folder)
        topics, always = _asked(queries, store) if asked else ([], None)
        mask = sample_by_site(store, _MOST, always)
        assert not (mask & ~store.good).any()
        more = 0 if always is None else int(always.sum())
        assert min(_MOST, int(store.good.sum())) <= int(mask.sum()) <= _MOST + more
        if not asked:
            made = [choose(store, PseudoOptions((source,), EACH), mask) for source in SOURCES]
            topics = [topic for one in made for topic in one.topics]
        else:
            assert len(topics) >= MINIMUM
        ids = {ids[row] for start, ids in store.column("id") for row in np.flatnonzero(mask[start:][: len(ids)])}
        assert {document for topic in topics for document in topic.documents if asked} <= ids
        (out / "topics").mkdir(parents=True)
        opened = open_collection(file, ReadOptions())
        write_sample(opened, ids, out / PAGES, None if asked else by_page(topics))
        if not topics:
            return
        write_topics(Made(tuple(topics), {}), out / "topics")
        sources = [*documents(open_collection(out / PAGES, ReadOptions()))]
        assert not [source.problem for source in sources if source.problem]
        assert sorted(source.id for source in sources) == sorted(ids)
        found = read_topics(out / "topics" / TOPICS_FILE)
        assert {name: topic.query for name, topic in found.items()} == {
            topic.id: " ".join(topic.query.split()) for topic in topics
        }
        qrels = read_qrels(out / "topics" / QRELS_FILE)
        assert qrels == {topic.id: dict.fromkeys(topic.documents, 1) for topic in topics}
        name = title.decode("utf-8", "surrogateescape")
        experiment = _experiment(out, f"Advice for {name}", Backend())
        assert experiment.name == NAME
