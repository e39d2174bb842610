"""`thresher play` with the results of an experiment: its pages, scores, cleaners, topics and ranks."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from urllib.parse import quote

import numpy as np
import pytest
from browser import chromium
from commands import Done
from lxml import html
from playing_server import playing
from small_web import Finished, Web

from thresher.base.files import safe_name
from thresher.evaluation import read_run
from thresher.experiments.explaining.explanations import RECORD
from thresher.experiments.results import read_results
from thresher.indexes.pruning.treatments import parse_treatment

Call = Callable[..., Done]


def test_results_come_with_their_scores_cleaners_and_ranks(finished: Finished) -> None:
    folder = finished.web.folder / "results" / "web"
    results = read_results(folder)
    variants = [row.name for row in results.table().rows]
    page_id, topic = "part0/page00", "1"
    runs = {name: read_run(folder / "runs" / f"{safe_name(name)}.trec")[topic] for name in variants}
    ranks = {
        name: sorted(run, key=lambda one: (-run[one], one)).index(page_id) + 1 if page_id in run else None
        for name, run in runs.items()
    }
    assert len({*ranks.values()}) > 1
    with playing("results/web", cwd=finished.web.folder) as server:
        listed = server.ask("/api/pages").value
        assert (listed["count"], dict(listed["pages"])[page_id]) == (60, "Barley number 0")
        scorers = {scorer.canonical_name for name in variants for scorer in parse_treatment(name).cleaner.scorers}
        assert set(server.ask(f"/api/page?id={page_id}").value["scores"]) == scorers
        topics = server.ask(f"/api/topics?id={page_id}").value["topics"]
        assert topics[0]["id"] == topic
        assert {one["id"] for one in topics} == set(results.table().topics)
        assert topics[0]["rank"] == ranks["none"]
        asked = "&".join(f"variant={quote(name, safe='')}" for name in variants)
        assert server.ask(f"/api/ranks?id={page_id}&topic={topic}&{asked}").value == {"ranks": ranks}
        # The page itself is read where the experiment has its collection, and is the one that was scored.
        view = server.ask(f"/api/page?id={page_id}").value
        marks = html.document_fromstring(server.ask(f"/api/original?{view['original']}").body).iter("x-block")
        assert "".join("".join(str(mark.text) for mark in marks).split()) == "".join(
            "".join(view["sentences"][1:]).split()
        )
        wrong = server.ask(f"/api/ranks?id={page_id}&topic={topic}&variant=words%40999")
        assert (wrong.status, "words@999" in wrong.value["problem"]) == (422, True)
        with chromium() as started:
            page = started.new_context(viewport={"width": 1400, "height": 900}).new_page()
            problems: list[str] = []
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.on("console", lambda message: problems.append(message.text))
            page.goto(server.address)
            page.select_option("#pick", page_id)
            page.wait_for_selector(f"#topic option[value='{topic}']", state="attached")
            page.select_option("#topic", topic)
            name = next(name for name in variants if name != "none" and "|" not in name)
            page.select_option("[aria-label='A cleaner of the results for A']", label=name)
            page.select_option("#side-b .cut select", "words")
            page.fill("#side-b .value input", "0.25")
            page.wait_for_selector("#rank-rows th >> text='B: words@0.25'", state="attached")
            cells = page.locator("#rank-rows td").all_text_contents()
            shown = {one: "not retrieved" if rank is None else str(rank) for one, rank in ranks.items()}
            assert cells == [shown["none"], shown[name], "was not run: choose a cleaner of the results"]
            # Who opens the address sees the same.
            end = time.monotonic() + 60
            while "0.25" not in page.url and time.monotonic() < end:
                page.wait_for_timeout(50)
            other = started.new_context().new_page()
            other.goto(page.url)
            other.wait_for_selector(".row")
            for side in ("a", "b"):
                code = f"#side-{side} code >> nth=0"
                assert other.text_content(code) == page.text_content(code)
            assert other.input_value("#pick") == page_id
            assert problems == []


def test_texts_of_other_packages_are_explained_and_shown(web: Web, call: Call) -> None:
    """A variant of another package's text."""
    names = ("extractor(resiliparse)",)
    file = web.write(sweep="", cleaners=f"names = {json.dumps(names)}")
    assert call("run", file.name, cwd=web.folder).code == 0
    page_id = "part0/page00"
    changed = {}
    for name in names:
        done = call("explain", "results/web", "1", "--variant", name, "--document", page_id, "--json", cwd=web.folder)
        assert done.code == 0, done.err
        (document,) = RECORD.parse(done.out, "standard output").topics[0].documents
        parts = document.removed + document.pruned + document.length + document.statistics
        assert parts == pytest.approx(document.score_after - document.score_before, abs=1e-6)
        changed[name] = document
    assert {name: (one.emptied, one.rank_after) for name, one in changed.items()} == {
        names[0]: (False, 5),
    }
    # Title and menu are no part of the text, the headline is; of them only the title has a word of the topic.
    assert [passage.text for passage in changed[names[0]].passages] == ["Barley number 0"]
    with playing("results/web", cwd=web.folder) as server:
        scores = server.ask(f"/api/page?id={page_id}").value["scores"]
        menu = [0.0] * 9
        shown = np.frombuffer(base64.b64decode(scores[names[0]]), dtype=np.float32)
        assert shown.tolist() == [*menu, 1, 1, 1, 1, 1, 1]
        asked = "&".join(f"variant={quote(name, safe='')}" for name in names)
        ranks = server.ask(f"/api/ranks?id={page_id}&topic=1&{asked}").value["ranks"]
        assert ranks == {name: one.rank_after for name, one in changed.items()}
