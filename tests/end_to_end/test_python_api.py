"""Thresher from Python, in a few lines."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from messages import assert_names
from small_web import PAGES, TOPICS, Finished, Web

import thresher
from thresher.base.errors import ConfigError, InputError, StateError
from thresher.cleaners.registry import scorers
from thresher.evaluation.non_inferiority import parse_margin
from thresher.evaluation.trec_files import read_run
from thresher.experiments.choosing.choices import read_choice
from thresher.scores.cleaning import Extras

PAGE = """<html><head><title>Bees</title></head><body>
<ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul>
<h1>The beehive</h1>
<p>A colony of bees has one queen, and she lays all of the eggs. The workers build the comb.</p>
<p>All rights reserved.</p></body></html>"""
TEXT = "A colony of bees has one queen, and she lays all of the eggs. The workers build the comb."


@pytest.fixture(scope="module")
def finished(finished: Finished, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A copy, for explaining locks the folder of results."""
    return finished.copied(tmp_path_factory.mktemp("explained") / "web")


def test_score_html() -> None:
    page = thresher.score_html(PAGE, ["words", "density", "perplexity"])
    assert page.segments is not None
    assert page.segments.blocks == ["Bees", "Home", "Shop", "The beehive", TEXT, "All rights reserved."]
    assert page.scores["words"].tolist() == [1, 1, 1, 2, 19, 3]
    # 89 characters wrap after "build": 17 words on the first line, and the last line does not count.
    assert page.scores["density"].tolist() == [1, 1, 1, 2, 17, 3]
    perplexities = page.scores["perplexity(lm=books)"]
    assert perplexities.shape == (7,)
    assert perplexities.dtype == np.float32
    # Menu, title and headline against the three sentences.
    assert perplexities[4:].max() < 2000 < perplexities[:4].min()
    with pytest.raises(ConfigError) as error:
        thresher.score_html(PAGE, ["wrods"])
    with pytest.raises(ConfigError, match="there is no rule 'whole'"):
        thresher.score_html(PAGE, ["words"], blocks="whole")
    assert_names(error.value, "wrods: ", "'wrods'", "Fix: ", ", ".join(scorers()))


@pytest.mark.parametrize(
    ("cleaner", "text"),
    [
        ("none", f"Bees\nHome\nShop\nThe beehive\n{TEXT}\nAll rights reserved."),
        ("words@3", f"{TEXT}\nAll rights reserved."),
        ("words@11", TEXT),
        ("words(headings=keep)@11", f"Bees\nThe beehive\n{TEXT}"),
        ("words@2+density@3", f"{TEXT}\nAll rights reserved."),
        ("words@100", ""),
        ("words(floor=1)@100", TEXT),
        ("bte", f"The beehive\n{TEXT}\nAll rights reserved."),
        ("boilerpipe", f"The beehive\n{TEXT}\nAll rights reserved."),
        ("boilerpipe(rules=cleaneval)", TEXT),
    ],
)
def test_clean_html_takes_text_and_bytes(cleaner: str, text: str) -> None:
    assert thresher.clean_html(PAGE, cleaner) == text
    assert thresher.clean_html(PAGE.encode("utf-16"), cleaner) == text


def test_clean_text_cuts_blocks_as_the_command_does(tmp_path: Path) -> None:
    first, second = TEXT[:20], TEXT[20:]
    assert thresher.clean_text(f"Home\n{TEXT}\nAll rights reserved.\n", "words@11") == TEXT
    text = f"# Storms\n\nHome\n\n{first}\n{second}\n\n<h>Floods\n\n<p>If a <b then c.\n"
    (tmp_path / "1.txt").write_text(text)
    for cleaner in ("words@11", "words(headings=keep)@11", "none"):
        thresher.clean_collection(tmp_path / "1.txt", cleaner, tmp_path / "o.jsonl")
        assert json.loads((tmp_path / "o.jsonl").read_text())["contents"] == thresher.clean_text(text, cleaner)
    # Marks that Thresher and CleanEval write make headings, and are no text.
    whole = " ".join(f"{first} {second}".split())
    assert thresher.clean_text(text, "words(headings=keep)@11") == f"Storms\n{whole}\nFloods"
    assert thresher.clean_text(text, "none").splitlines()[-1] == "If a <b then c."


def test_a_sentence_is_scored_as_text() -> None:
    page = thresher.score_text("if a <b then c is normal text", ["words", "perplexity"])
    assert page.segments is not None
    assert page.segments.sentences == ["if a <b then c is normal text"]
    assert page.scores["words"].tolist() == [8]
    assert thresher.score_text("a b", "words").scores["words"].tolist() == [2]
    assert thresher.score_html("<p>a b", "words").scores["words"].tolist() == [2]
    sentence = thresher.score_html("if a &lt;b then c is normal text", ["perplexity"]).scores
    assert page.scores["perplexity(lm=books)"].tolist() == sentence["perplexity(lm=books)"].tolist()


def test_empty_text() -> None:
    assert thresher.clean_text("", "words@11") == ""


def test_clean_collection_index_and_compare(finished: Finished, tmp_path: Path) -> None:
    counts = thresher.clean_collection(finished.web.folder / "pages", "words@40", tmp_path / "cleaned.jsonl")
    assert counts.documents == PAGES == counts.kept + counts.emptied + counts.failed
    assert counts.failures == ()
    lines = [json.loads(line) for line in (tmp_path / "cleaned.jsonl").read_text().splitlines()]
    assert sum(len(line["contents"].split()) for line in lines) == counts.words
    report = thresher.index_json_lines(tmp_path / "cleaned.jsonl", tmp_path / "index")
    assert (report.documents, report.empty) == (counts.kept, counts.emptied)
    pq.write_table(pa.Table.from_pylist(lines), tmp_path / "cleaned.parquet")
    same = thresher.index_json_lines(tmp_path / "cleaned.parquet", tmp_path / "same")
    assert (same.documents, same.bytes_by_type, same.statistics) == (
        counts.kept,
        report.bytes_by_type,
        report.statistics,
    )
    with pytest.raises(StateError):
        thresher.index_json_lines(tmp_path / "cleaned.jsonl", tmp_path)

    runs = [finished.results / "runs" / f"{name}.trec" for name in ("none", "words@40")]
    table = thresher.compare_runs(finished.web.folder / "qrels.txt", runs, ["AP"])
    assert table.baseline == str(runs[0])
    assert table.topics == tuple(str(number) for number in range(1, TOPICS + 1))
    kept = thresher.read_results(finished.results).table()
    for name in ("none", "words@40"):
        by_topic = table.values[str(finished.results / "runs" / f"{name}.trec")]["AP"]
        assert np.mean(list(by_topic.values())) == pytest.approx(kept.mean("AP")[kept.position[name]], abs=1e-12)
    assert list(table.comparisons) == [str(runs[1])]


def test_run_gives_the_results(finished: Finished, web: Web) -> None:
    file = web.write(sweep="", cleaners='names = ["words@20"]')
    results = thresher.run(file, web.folder / "results", web.folder / "indexes")
    table, expected = results.table(), thresher.read_results(finished.results).table()
    assert (results.facts.experiment, len(table.topics)) == ("web", TOPICS)
    assert [row.name for row in table.rows] == ["none", "words@20"]
    assert table.values.tolist() == expected.only([0, expected.position["words@20"]]).values.tolist()
    with pytest.raises(InputError) as error:
        thresher.run(web.folder / "gone.toml")
    assert_names(error.value, f"{web.folder / 'gone.toml'}: ", "file or folder", "Fix: ", "check the path")


def test_explore_and_choose(web: Web) -> None:
    file, results = web.write(sweep='scorer = "words"\ncutoffs = [5]', cleaners=""), web.folder / "results"
    explored = thresher.explore(file, results)
    table = explored.table()
    assert "words" in table.sweeps
    assert len(table.sweeps["words"]) > 30
    assert thresher.choose(file, results, margin="20%").criteria.margin == parse_margin("20%")
    choice = thresher.choose(file, results)
    assert read_choice(results / "web") == choice
    assert (results / "web" / "report.html").exists()


def test_an_index_is_searched_and_the_run_evaluated_and_explained(finished: Finished, tmp_path: Path) -> None:
    folder = finished.web.folder
    lines = str(tmp_path / "cleaned.jsonl")
    extras = Extras(removed=str(tmp_path / "removed.jsonl"), failures=str(tmp_path / "failures.jsonl"))
    thresher.clean_collection(str(folder / "pages"), "words@40", lines, extras=extras)
    assert (tmp_path / "removed.jsonl").exists()
    thresher.index_json_lines(lines, str(tmp_path / "index"))
    run = thresher.search(str(tmp_path / "index"), str(folder / "topics.tsv"))
    stored = read_run(finished.results / "runs" / "words@40.trec")
    assert {topic: [*hits] for topic, hits in run.items()} == {topic: [*hits] for topic, hits in stored.items()}
    assert thresher.search(tmp_path / "index", {"1": "barley harvest weather"}, depth=3)["1"].keys() == set(
        [*run["1"]][:3]
    )
    values = thresher.evaluate(str(folder / "qrels.txt"), run, ["AP"])
    results = thresher.read_results(str(finished.results))
    mean = results.table().mean("AP")[results.table().position["words@40"]]
    assert np.mean([*values["AP"].values()]) == pytest.approx(mean, abs=1e-6)
    explained = thresher.explain(str(finished.results), "1", variant="words@40", indexes=str(folder / "indexes"))
    assert (explained.variant, [topic.topic for topic in explained.topics]) == ("words@40", ["1"])
    with pytest.raises(ConfigError, match="words@999"):
        thresher.explain(finished.results, "1", variant="words@999", indexes=folder / "indexes")
