"""A rerun does what is missing and nothing else, and never mixes configurations."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Done, thresher
from messages import assert_names
from small_web import Finished, Web, stamps, tree, without_clock, write_topics

from thresher.experiments.results import read_results

Call = Callable[..., Done]


def runs(finished: Finished) -> dict[str, bytes]:
    return {name: content for name, content in tree(finished.results / "runs").items() if name.endswith(".trec")}


def sizes(finished: Finished) -> dict[str, int]:
    return {name: len(content) for name, content in tree(finished.indexes).items() if name != ".lock"}


def changed(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> set[str]:
    return {name for name in before | after if before.get(name) != after.get(name)}


@pytest.mark.slow
def test_two_runs_elsewhere_give_the_same_runs_and_indexes(finished: Finished, web: Web) -> None:
    """Other folder, other times of the pages, other number of workers."""
    file = web.write(run="workers = 1")
    done = thresher("run", file, "--results", web.folder / "r", "--indexes", web.folder / "i", cwd=Path("/"))
    assert done.code == 0
    for name, content in runs(finished).items():
        assert (web.folder / "r" / "web" / "runs" / name).read_bytes() == content, name
    found = {name: len(content) for name, content in tree(web.folder / "i" / "web").items() if name != ".lock"}
    assert found == sizes(finished)
    assert without_clock(web.folder / "r" / "web" / "results.csv") == without_clock(finished.results / "results.csv")


def test_rerun_does_nothing_again(copy: Finished, call: Call) -> None:
    results, indexes = stamps(copy.results), stamps(copy.indexes)
    table = (copy.results / "results.csv").read_bytes()
    done = call("run", copy.file.name, cwd=copy.web.folder)
    assert done.code == 0
    assert changed(indexes, stamps(copy.indexes)) == set()
    again = changed(results, stamps(copy.results))
    assert {name for name in again if name.startswith(("scores/", "stages/")) or name.endswith(".trec")} == set()
    assert (copy.results / "results.csv").read_bytes() == table


def test_another_level_without_correction_only_tests_again(copy: Finished, call: Call) -> None:
    indexes, runs_before = stamps(copy.indexes), runs(copy)
    copy.web.write(evaluation='correction = "none"\nalpha = 0.2')
    done = call("run", copy.file.name, cwd=copy.web.folder)
    assert done.code == 0
    assert (changed(indexes, stamps(copy.indexes)), runs(copy)) == (set(), runs_before)
    results = read_results(copy.results)
    assert (results.facts.alpha, results.facts.correction) == (0.2, "none")
    found = [one for row in results.table().rows if row.built for one in row.built.comparisons.values()]
    assert {(comparison.alpha, comparison.p_corrected) for comparison in found} == {(0.2, None)}
    assert_names((copy.results / "table.md").read_text(encoding="utf-8"), "p not corrected", "α = 0.2")
    assert "correction method: none" in (copy.results / "runs" / "words@20.yaml").read_text(encoding="utf-8")
    with (copy.results / "results.csv").open(encoding="utf-8", newline="") as lines:
        assert "AP p_corrected" not in next(csv.reader(lines))


def test_report_files_that_were_deleted_come_back_the_same(copy: Finished, call: Call) -> None:
    table = without_clock(copy.results / "results.csv")
    (copy.results / "results.csv").unlink()
    run = copy.results / "runs" / "words@20.trec"
    content = run.read_bytes()
    run.unlink()
    assert call("run", copy.file.name, cwd=copy.web.folder).code == 0
    assert run.read_bytes() == content
    assert without_clock(copy.results / "results.csv") == table


def test_another_depth_redoes_only_the_searches(copy: Finished, call: Call) -> None:
    results, indexes, before = stamps(copy.results), stamps(copy.indexes), runs(copy)
    copy.web.write(retrieval='models = ["qld"]\ndepth = 7')
    assert call("run", copy.file.name, cwd=copy.web.folder).code == 0
    assert changed(indexes, stamps(copy.indexes)) == set()
    again = changed(results, stamps(copy.results))
    assert {name for name in again if name.startswith(("scores/", "stages/index"))} == set()
    assert {f"runs/{name}" for name in before} <= again
    for name, content in runs(copy).items():
        lines = [line for line in before[name].decode().splitlines() if int(line.split()[3]) <= 7]
        assert content.decode().splitlines() == lines, name


def test_other_topics_redo_only_the_searches(copy: Finished, call: Call) -> None:
    results, indexes, before = stamps(copy.results), stamps(copy.indexes), runs(copy)
    write_topics(copy.web.folder / "topics.tsv", 11)
    done = call("run", copy.file.name, cwd=copy.web.folder)
    assert done.code == 0
    assert changed(indexes, stamps(copy.indexes)) == set()
    again = changed(results, stamps(copy.results))
    assert {name for name in again if name.startswith(("scores/", "stages/index"))} == set()
    for name, content in runs(copy).items():
        assert content == b"".join(line for line in before[name].splitlines(True) if not line.startswith(b"12 "))


def test_other_qrels_redo_only_the_evaluation(copy: Finished, call: Call) -> None:
    results, indexes = stamps(copy.results), stamps(copy.indexes)
    qrels = copy.web.folder / "qrels.txt"
    qrels.write_text("".join(line for line in qrels.read_text().splitlines(True) if not line.startswith("1 ")))
    table = without_clock(copy.results / "results.csv")
    assert call("run", copy.file.name, cwd=copy.web.folder).code == 0
    assert changed(indexes, stamps(copy.indexes)) == set()
    again = changed(results, stamps(copy.results))
    redone = {name for name in again if name.startswith(("scores/", "stages/")) or name.endswith(".trec")}
    # Which pages are relevant is what it counts.
    assert redone == {"stages/title-bias.json"}
    assert table[0]["AP"] != without_clock(copy.results / "results.csv")[0]["AP"]


def test_other_cutoffs_reuse_the_scores(copy: Finished, call: Call) -> None:
    results, indexes = stamps(copy.results), stamps(copy.indexes)
    copy.web.write(sweep='scorer = "words"\ncutoffs = [5, 30]')
    assert call("run", copy.file.name, cwd=copy.web.folder).code == 0
    assert {name.split("/")[0] for name in changed(indexes, stamps(copy.indexes))} == {"words@30"}
    again = changed(results, stamps(copy.results))
    assert {name for name in again if name.startswith("scores/")} == set()
    assert {name for name in again if name.startswith("stages/") or name.endswith(".trec")} == {
        "stages/index-words@30.json",
        "stages/search-words@30.json",
        # All variants are timed together.
        "stages/measure.json",
        "runs/words@30.trec",
    }
    table = without_clock(copy.results / "results.csv")
    assert [row["variant"] for row in table][:3] == ["none", "words@5", "words@30"]


@pytest.mark.slow
def test_other_scores_are_refused_until_fresh(finished: Finished, copy: Finished, call: Call) -> None:
    before = tree(copy.web.folder)
    for tables, what in (
        ({"pages": 'blocks = "split"'}, "pages"),
        ({"collection": 'path = "pages"\nids = "stem"'}, "reading"),
        ({"collection": 'path = "pages"\nmax_page_mib = 3'}, "reading, limits"),
        ({"cleaners": 'names = ["density@8"]'}, "scorers"),
    ):
        copy.web.write(**tables)
        done = call("run", copy.file.name, cwd=copy.web.folder)
        assert (done.code, done.out) == (5, "")
        (line,) = done.errors
        assert_names(line, "error: results/web/scores: ", f"(changed: {what})", "Fix: add --fresh")
    copy.web.write(run="workers = 2")
    after = tree(copy.web.folder)
    assert {
        name for name in before | after if before.get(name) != after.get(name) and not name.endswith(".lock")
    } == set()

    copy.web.write(pages='blocks = "split"')
    assert call("run", copy.file.name, "--fresh", cwd=copy.web.folder).code == 0
    split = without_clock(copy.results / "results.csv")
    copy.web.write()
    assert call("run", copy.file.name, "--fresh", cwd=copy.web.folder).code == 0
    assert runs(copy) == runs(finished)
    assert without_clock(copy.results / "results.csv") == without_clock(finished.results / "results.csv") != split


def test_a_page_that_was_edited_is_noticed(copy: Finished, call: Call) -> None:
    page = copy.web.folder / "pages" / "part0" / "page00.html"
    page.write_text(page.read_text() + "<p>One more paragraph</p>")
    done = call("run", copy.file.name, cwd=copy.web.folder)
    assert done.code == 5
    (line,) = done.errors
    assert_names(line, "error: results/web/scores: ", "(changed: collection)", "Fix: add --fresh")


@pytest.mark.slow
def test_results_and_indexes_may_lie_in_one_folder(finished: Finished, copy: Finished, call: Call) -> None:
    done = call("run", copy.file.name, "--results", "both", "--indexes", "./both", cwd=copy.web.folder)
    assert done.code == 0
    for name, content in runs(finished).items():
        assert (copy.web.folder / "both" / "web" / "runs" / name).read_bytes() == content


def test_several_models_have_runs_of_their_own(copy: Finished, call: Call) -> None:
    copy.web.write(
        retrieval='models = ["qld", "qld(exact)", "bm25"]\ndepth = 40',
        sweep='scorer = "words"\ncutoffs = [20]',
        cleaners="",
    )
    assert call("run", copy.file.name, "--fresh", cwd=copy.web.folder).code == 0
    names = {f"{variant}.{model}" for variant in ("none", "words@20") for model in ("qld", "qld_exact_", "bm25")}
    assert {f"{name}.trec" for name in names} <= set(runs(copy))
    table = without_clock(copy.results / "results.csv")
    assert [(row["retrieval"], row["variant"]) for row in table] == [
        (model, variant) for model in ("qld", "qld(exact)", "bm25") for variant in ("none", "words@20")
    ]
    qld = (copy.results / "runs" / "none.qld.trec").read_bytes()
    assert qld == (copy.results / "runs" / "none.trec").read_bytes()
    assert qld != (copy.results / "runs" / "none.qld_exact_.trec").read_bytes()
