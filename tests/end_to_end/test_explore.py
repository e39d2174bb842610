"""`thresher explore`: what it says of a variant is what `thresher run` measures on an index built of it."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from commands import Done
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from messages import assert_names
from small_web import Finished, Web
from sweep_views import sweep_of
from test_held_out import HELD_OUT, write_others

from thresher.experiments.config import load_experiment
from thresher.experiments.explorer import explore_experiment
from thresher.experiments.inputs import score_experiment
from thresher.experiments.results import Results, read_results
from thresher.experiments.runner import run_experiment
from thresher.experiments.stages import evidence_key
from thresher.experiments.table import Variant

pytestmark = pytest.mark.slow

Call = Callable[..., Done]
VARIANTS = (
    "words@5",
    "words(headings=keep,floor=25)@30",
    "words(floor=70)@60",
    "words@60",
    "density@8",
    "density@doc25",
    "density@doc60",
    "perplexity@5000",
    "justext",
    "bte(floor=90)+perplexity(lm=books,floor=20)@100",
    "none|dcp@0.5",
    "none|2n2p@2.5",
    "words@5|dcp@0.3",
    "words@5|tcp(k=3)@0.7",
    "none|idf@2.1",
    "extractor(resiliparse)",
    "extractor(trafilatura,favor=recall)+words@12",
    "extractor(justext)|dcp@0.5",
    "pages(perplexity)@3000",
    "words@5+pages(perplexity)@1000",
    "extractor(justext)+pages(perplexity)@2000|dcp@0.5",
)


def rows(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return {row["variant"]: row for row in csv.DictReader(lines)}


def compared(measured: Results, explored: Results) -> int:
    """Check that the built variants are as explored; return how many there are."""
    for run, other in zip(measured.tables, explored.tables, strict=True):
        assert (run.retrieval, run.measures, run.topics, run.held_out_topics) == (
            other.retrieval,
            other.measures,
            other.topics,
            other.held_out_topics,
        )
        for index in run.built:
            name = run.rows[index].name
            place = other.position[name]
            # All that a row has beside what building it took: index.documents tells the pages that were emptied.
            one, two = run.rows[index], other.rows[place]
            assert (one.variant.treatment, one.index, one.words) == (two.variant.treatment, two.index, two.words)
            # A run has variants that are named, not swept, in no sweep.
            assert one.variant in (two.variant, Variant(two.variant.treatment))
            assert other.query_postings[place].tolist() == run.query_postings[index].tolist(), name
            np.testing.assert_allclose(other.values[:, place], run.values[:, index], rtol=0, atol=1e-12, err_msg=name)
            np.testing.assert_allclose(other.held_out[:, place], run.held_out[:, index], rtol=0, atol=1e-12)
    return len(measured.tables[0].built)


# In `make fuzz` others, too.
@settings(
    max_examples=2,
    phases=[Phase.explicit, *([Phase.generate] if settings().max_examples >= 1000 else ())],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(st.sampled_from(VARIANTS), min_size=1, max_size=3, unique=True),
    st.sampled_from(['["qld"]', '["bm25", "qld(exact)"]']),
    st.booleans(),
)
@example(list(VARIANTS), '["qld"]', True)
@example(["words@5|dcp@0.3", "density@doc25"], '["bm25", "qld(exact)"]', False)
def test_run_and_explore_give_equal_tables(tmp_path: Path, names: list[str], models: str, held_out: bool) -> None:
    web = Web.make(tmp_path, 30)
    write_others(web.folder)
    tables = {"held_out": HELD_OUT} if held_out else {}
    listed = ", ".join(f'"{name}"' for name in names)
    file = web.write(sweep="", cleaners=f"names = [{listed}]", retrieval=f"models = {models}", **tables)
    with tempfile.TemporaryDirectory() as folder:
        experiment = load_experiment(file)
        measured = run_experiment(experiment, Path(folder) / "run", Path(folder) / "indexes")
        explored = explore_experiment(experiment, Path(folder) / "explored")
    assert compared(measured, explored) == len(names) + 1


def test_run_and_explore_share_one_table(copy: Finished, call: Call) -> None:
    before = {path: path.stat().st_mtime_ns for path in (copy.results / "scores").iterdir()}
    measured = read_results(copy.results)
    done = call("explore", copy.file.name, cwd=copy.web.folder)
    assert done.code == 0
    # The scores are those of the run.
    assert {path: path.stat().st_mtime_ns for path in (copy.results / "scores").iterdir()} == before
    both = read_results(copy.results)
    assert compared(measured, both) > 5
    assert [row.built for row in both.tables[0].rows if row.built] == [
        measured.tables[0].rows[measured.tables[0].position[row.name]].built for row in both.tables[0].rows if row.built
    ]
    # Every cutoff that makes a difference: the words of blocks.
    words = sweep_of(both.tables, "words")
    assert words.cutoffs == tuple(sorted(words.cutoffs, reverse=True))
    assert len(words.variants) > 30
    assert all((row.bytes is None) is (row.built is None) for row in both.tables[0].rows)
    assert rows(copy.results / "results.csv").keys() == {row.name for row in both.tables[0].rows}
    assert call("run", copy.file.name, cwd=copy.web.folder).code == 0
    again = read_results(copy.results)
    assert compared(both, again) == compared(measured, again)
    assert {row.name for row in again.tables[0].rows} == {row.name for row in both.tables[0].rows}
    # Another depth: what was explored is left out, and that is said.
    copy.web.write(retrieval='models = ["qld"]\ndepth = 30')
    done = call("run", copy.file.name, cwd=copy.web.folder)
    assert done.code == 0
    assert any("other pages, topics or options" in line for line in done.err.splitlines())
    assert not read_results(copy.results).was_explored


def test_floors_and_quotas_are_explored_over_their_whole_range(web: Web, call: Call) -> None:
    quotas = '[[sweep]]\nscorer = "density"\ncutoffs = ["doc25", "doc60"]'
    web.write(
        sweep='scorer = "words(headings=keep,floor=25)"\ncutoffs = [8, 30, 50]\n' + quotas,
        cleaners='names = ["words(floor=70)@60", "words@60"]',
    )
    assert call("explore", "web.toml", cwd=web.folder).code == 0
    tables = read_results(web.folder / "results" / "web").tables
    whole = tables[0].baseline
    swept = sweep_of(tables, "words(headings=keep,floor=25)")
    assert len(swept.variants) > 30
    assert {size.documents for size in swept.sizes} == {whole.index.documents}
    assert [*swept.words] == sorted(swept.words)
    assert min(swept.words) >= 25 * whole.index.documents
    assert tables[0].emptied[tables[0].position["words@60"]] > 0
    density = sweep_of(tables, "density@doc")
    assert density.cutoffs == tuple(map(float, range(1, 101)))
    assert {size.documents for size in density.sizes} == {whole.index.documents}
    assert density.words[-1] == whole.words
    assert all(words >= share / 100 * whole.words for share, words in zip(density.cutoffs, density.words, strict=True))


def test_exploring_alone_scores_and_builds_no_index(web: Web, call: Call) -> None:
    web.write()
    assert call("explore", "web.toml", cwd=web.folder).code == 0
    assert not (web.folder / "indexes").exists()
    written = {path.name for path in (web.folder / "results" / "web").iterdir()}
    assert {".lock", "failures.jsonl", "results.csv", "results.json", "scores", "variants.parquet"} <= written
    web.write(collection='path = "elsewhere"')
    done = call("explore", "web.toml", cwd=web.folder)
    assert (done.code, len(done.errors)) == (2, 1)
    assert_names(done.errors[0], "error: web.toml:5: there is no elsewhere", "Fix: correct the path")


def test_the_key_tells_what_the_values_rest_on(tmp_path: Path, call: Call) -> None:
    """Other cutoffs and workers leave it as it is, all else changes it."""
    web = Web.make(tmp_path, 12)
    write_others(web.folder)

    def key(**tables: str) -> str:
        experiment = load_experiment(web.write(**tables))
        return evidence_key(experiment, score_experiment(experiment, web.folder / "scored", True, lambda _: None))

    plain = key()
    assert call("explore", "web.toml", cwd=web.folder).code == 0
    assert read_results(web.folder / "results" / "web").facts.key == plain
    assert key(sweep='scorer = "words"\ncutoffs = [7]', run="workers = 1", costs="tdp_watts = 20") == plain
    others = [
        key(cleaners='names = ["density@8"]'),
        key(held_out=HELD_OUT),
        key(topics='path = "others.tsv"'),
        key(qrels='path = "others.txt"'),
        key(retrieval='models = ["qld", "bm25"]\ndepth = 40'),
        key(retrieval='models = ["qld"]\ndepth = 41'),
        key(evaluation='measures = ["AP"]'),
        key(index="stopwords = false"),
    ]
    assert len({plain, *others}) == 9
    (web.folder / "pages" / "part0" / "page00.html").write_text("<p>another page</p>")
    assert key() not in {plain, *others}
