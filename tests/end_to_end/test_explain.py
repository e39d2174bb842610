"""`thresher explain`: why topics of a finished experiment won or lost, and what stands in the way of telling."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from commands import Done
from messages import assert_names
from small_web import TOPICS, Finished

import thresher
from thresher.base.errors import ConfigError, StateError
from thresher.base.files import file_digest
from thresher.evaluation.trec_files import read_qrels, read_run
from thresher.experiments.explainer import ExplainOptions, experiment_of, explain_experiment
from thresher.experiments.explaining.explanations import RECORD, Explanation
from thresher.experiments.results import read_results, write_results
from thresher.pages import read_html
from thresher.reports.explanation_text import explanation_lines
from thresher.reports.text_tables import display_width

Call = Callable[..., Done]
NDCG = "nDCG(dcg='exp-log2')@10"


@pytest.fixture(scope="module")
def finished(finished: Finished, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A copy, for explaining locks the folder of results."""
    return finished.copied(tmp_path_factory.mktemp("explained") / "web")


def explained(finished: Finished, **asked: str) -> Explanation:
    file = experiment_of(finished.results)
    return explain_experiment(file, finished.results, finished.indexes.parent, ExplainOptions(**asked))


@pytest.fixture(scope="module")
def every(finished: Finished) -> Explanation:
    """All topics with the variant that empties pages."""
    return explained(finished, variant="words@40")


def test_ranks_and_values_are_those_of_the_runs(finished: Finished, every: Explanation) -> None:
    runs = [read_run(finished.results / "runs" / f"{name}.trec") for name in ("none", "words@40")]
    qrels = read_qrels(finished.web.folder / "qrels.txt")
    table = read_results(finished.results).table()
    values = {
        (row.name, topic, measure): table.of(measure)[index, place]
        for index, row in enumerate(table.rows)
        for place, topic in enumerate(table.topics)
        for measure in table.measures
    }
    assert [topic.topic for topic in every.topics] == [str(number) for number in range(1, TOPICS + 1)]
    for topic in every.topics:
        for name, found in (("none", topic.before), ("words@40", topic.after)):
            assert found == pytest.approx({measure: values[name, topic.topic, measure] for measure in found})
        assert topic.change == topic.after[NDCG] - topic.before[NDCG]
        places = [{document: place for place, document in enumerate(run[topic.topic], 1)} for run in runs]
        judged = {*places[0], *places[1]} & {*qrels[topic.topic]}
        moved = {document for document in judged if places[0].get(document) != places[1].get(document)}
        assert {document.document for document in topic.documents} == moved
        assert topic.unmoved == len(judged - moved)
        for document in topic.documents:
            assert len(document.overtakers) == min(document.overtaker_count, 5)
            assert document.grade == qrels[topic.topic][document.document]
            assert (document.rank_before, document.rank_after) == tuple(one.get(document.document) for one in places)
            parts = document.removed + document.pruned + document.length + document.statistics
            assert parts == pytest.approx(document.score_after - document.score_before, abs=1e-6)
            for run, score in zip(runs, (document.score_before, document.score_after), strict=True):
                if document.document in run[topic.topic]:
                    assert run[topic.topic][document.document] == pytest.approx(score, abs=6e-5)


def test_passages_are_those_of_the_page_and_account_for_every_lost_word(finished: Finished, every: Explanation) -> None:
    seen = 0
    for document in (document for topic in every.topics for document in topic.documents):
        html = (finished.web.folder / "pages" / f"{document.document}.html").read_text(encoding="utf-8")
        blocks = read_html(html).blocks
        for passage in document.passages:
            seen += 1
            assert passage.text == blocks[passage.block]
            (drop,) = passage.drops
            assert (drop.cut, drop.cutoff) == ("words@40", 40)
            assert drop.score == drop.returns == len(passage.text.split()) < 40
        for term in document.terms:
            lost = sum(passage.terms.get(term.term, 0) for passage in document.passages)
            assert lost == term.before - term.after
    assert seen > 20
    kinds = {passage.kind for topic in every.topics for one in topic.documents for passage in one.passages}
    assert kinds == {"title", "heading", "link", "text"}


def test_shares_of_the_loss_add_up(every: Explanation) -> None:
    assert every.loss is not None
    losses = [-topic.change for topic in every.topics if topic.change < 0]
    assert every.loss.total == pytest.approx(sum(losses))
    assert every.loss.topics == len(losses)
    assert sum(share.share for share in every.loss.shares.values()) == pytest.approx(1)
    for share in every.loss.shares.values():
        assert 0 <= share.low <= share.share <= share.high <= 1 + 1e-9
    for topic in every.topics:
        if topic.change == 0:
            assert topic.part is None


def test_the_verb_prints_the_answer_first_and_the_record_on_request(
    finished: Finished, every: Explanation, call: Call
) -> None:
    done = call("explain", "results/web", "3", "--variant", "words@40", cwd=finished.web.folder)
    assert done.code == 0
    topic = next(topic for topic in every.topics if topic.topic == "3")
    lines = done.out.splitlines()
    assert lines[0].startswith(
        f"Topic 3 {'lost' if topic.change < 0 else 'won'}: exp-nDCG@10 {topic.before[NDCG]:.4f} → "
    )
    assert lines[1] == f"Largest part: {topic.part}."
    assert any(topic.documents[0].document in line for line in lines)
    done = call("explain", "results/web", "3", "--variant", "words@40", "--json", cwd=finished.web.folder)
    (alone,) = RECORD.parse(done.out, "record").topics
    # Of one topic all documents that overtook others are listed.
    assert (
        replace(alone, documents=tuple(replace(one, overtakers=one.overtakers[:5]) for one in alone.documents)) == topic
    )
    for one in alone.documents:
        assert len(one.overtakers) == one.overtaker_count
    done = call("explain", finished.results, "--indexes", finished.indexes.parent, cwd=finished.web.folder)
    assert done.code == 0
    assert "largest change" in done.out


def test_from_another_folder_the_indexes_beside_the_results_are_read(
    finished: Finished, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("3", "--variant", "words@40")
    here = call("explain", "results/web", *asked, cwd=finished.web.folder)
    there = call("explain", finished.results, *asked, cwd=tmp_path)
    assert (there.code, there.out) == (0, here.out)
    rows = [line.split() for line in there.out.splitlines()]
    (heads,) = [number for number, row in enumerate(rows) if row[:1] == ["measure"]]
    assert rows[heads + 2][0] == "exp-nDCG@10"
    monkeypatch.chdir(tmp_path)
    from_python = thresher.explain(finished.results, "3", variant="words@40")
    assert from_python == explained(finished, variant="words@40", topic="3")
    with pytest.raises(ConfigError) as error:
        thresher.explain(finished.results, document="part0/page00")
    assert_names(error.value, "--document: ", "for a topic", "Fix: ", "name the topic too")


def test_one_document_is_explained_whole(finished: Finished, every: Explanation) -> None:
    topic = next(topic for topic in every.topics if any(len(one.passages) > 3 for one in topic.documents))
    chosen = next(one for one in topic.documents if len(one.passages) > 3)
    alone = explained(finished, variant="words@40", topic=topic.topic, document=chosen.document)
    (one,) = alone.topics[0].documents
    assert replace(one, overtakers=one.overtakers[:5]) == chosen
    text = "\n".join(explanation_lines(alone, 1000))
    assert all(passage.text in text for passage in one.passages)
    # Also one that nobody judged.
    run = read_run(finished.results / "runs" / "none.trec")[topic.topic]
    unjudged = next(
        document for document in run if document not in read_qrels(finished.web.folder / "qrels.txt")[topic.topic]
    )
    (one,) = explained(finished, topic=topic.topic, document=unjudged).topics[0].documents
    assert (one.document, one.grade, one.credit) == (unjudged, None, 0)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_nothing_is_wider_than_the_terminal(finished: Finished, every: Explanation, width: int) -> None:
    views = [every, *(explained(finished, variant="words@40", topic=topic) for topic in ("3", "8"))]
    lines = [line for view in views for line in explanation_lines(view, width)]
    assert len(lines) > 60
    assert max(map(display_width, lines)) <= width


@pytest.mark.parametrize(
    ("arguments", "where", "facts"),
    [
        (("13",), "TOPIC: ", ("topic '13'", "Fix: ", "one of ")),
        (("3", "--variant", "words@4"), "--variant: ", ("variant 'words@4'", "Fix: ", "one of words@40, ")),
        (("3", "--variant", "none"), "--variant: ", ("variant 'none'", "Fix: ", "one of ")),
        (
            ("3", "--document", "part0/page2"),
            "topic 3: ",
            ("document 'part0/page2'", "not retrieved by either run", "Fix: "),
        ),
        (("3", "--model", "bm25"), "--model: ", ("retrieval model 'bm25'", "Fix: ", "qld.")),
        (("--document", "x"), "--document: ", ("for a topic", "Fix: ", "name the topic too")),
        (("3", "--indexes", "elsewhere"), "elsewhere/web/none: ", ("no index of none", "Fix: ", "name the folder")),
    ],
)
def test_what_is_not_there_gets_the_nearest_names(
    finished: Finished, call: Call, arguments: tuple[str, ...], where: str, facts: tuple[str, ...]
) -> None:
    done = call("explain", "results/web", *arguments, cwd=finished.web.folder)
    assert done.code in (2, 5)
    (line,) = done.errors
    assert_names(line, f"error: {where}", *facts)
    # A list that is cut says so.
    assert ("…" in line) is ("one of" in line)


RUN_AGAIN = ("Fix: ", "run the experiment again")


def check_refused(copy: Finished, call: Call, *facts: str) -> None:
    """Check that topic 3 cannot be explained, and that one line has these facts."""
    done = call("explain", "results/web", "3", cwd=copy.web.folder)
    assert done.code == 5
    (line,) = done.errors
    assert_names(line, *facts)


def test_a_changed_run_is_told_in_one_line(copy: Finished, call: Call) -> None:
    refused = partial(check_refused, copy, call)
    run = copy.results / "runs" / "none.trec"
    whole = run.read_text()
    # Two documents of topic 3 change places.
    lines = whole.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("3 "))
    one, two = lines[first].split(), lines[first + 1].split()
    one[2], two[2] = two[2], one[2]
    run.write_text("\n".join([*lines[:first], " ".join(one), " ".join(two), *lines[first + 2 :]]) + "\n")
    refused("runs/none.trec: ", "run of none", "not the run of its search", *RUN_AGAIN)
    record = copy.results / "stages" / "search-none.json"
    searched = record.read_text()
    record.write_text(json.dumps({**json.loads(searched), "run": file_digest(run)}))
    refused("the baseline's index gives ", "Fix: ")
    record.write_text(searched)
    run.unlink()
    refused("runs/none.trec: ", "no run of none", *RUN_AGAIN)
    run.write_text(whole)


def test_a_damaged_index_is_told_in_one_line(copy: Finished, call: Call) -> None:
    refused = partial(check_refused, copy, call)
    settings = copy.indexes / "none" / "thresher.json"
    of_none = settings.read_text()
    settings.write_text((copy.indexes / "words@5" / "thresher.json").read_text())
    refused("web/none: ", "index of none", "damaged or of another experiment", *RUN_AGAIN)
    settings.write_text(of_none)
    postings = next((copy.indexes / "none").glob("*.doc"))
    content = postings.read_bytes()
    postings.write_bytes(content[:-1])
    refused("web/none: ", "index of none", "damaged or of another experiment", *RUN_AGAIN)
    postings.write_bytes(content)


def test_missing_records_are_told_in_one_line(copy: Finished, call: Call) -> None:
    refused = partial(check_refused, copy, call)
    results = read_results(copy.results)
    wrong = tuple(replace(table, values=np.full_like(table.values, 0.5)) for table in results.tables)
    write_results(replace(results, tables=wrong), copy.results)
    refused("in results.json: topic 3 differs", "Fix: ")
    record = next((copy.results / "stages").glob("index-none.json"))
    moved = record.rename(copy.results / "elsewhere.json")
    refused("index of none", "missing or of another configuration", "Fix: ", "run ")
    moved.rename(record)
    shutil.rmtree(copy.results / "scores")
    refused("scores: ", "missing", "Fix: ", "run ")
    copy.file.rename(copy.web.folder / "other.toml")
    refused("web.toml", "not where it was", "Fix: ", "--experiment")
    (copy.results / "results.json").unlink()
    refused("results/web: ", "no results", "Fix: ", "results/NAME")


def test_the_experiment_file_is_found_where_it_was(copy: Finished) -> None:
    assert experiment_of(copy.results).name == "web"
    manifest = copy.results / "manifest.json"
    values = json.loads(manifest.read_text())
    assert values["config"]["path"] == "../../web.toml"
    assert experiment_of(copy.results).file == copy.file.resolve()
    assert experiment_of(copy.results, copy.file).file == copy.file
    del values["config"]["path"]
    manifest.write_text(json.dumps(values))
    with pytest.raises(StateError, match="--experiment"):
        experiment_of(copy.results)
