"""Runs of other systems as rows of an experiment: their values, comparisons and places, and runs that cannot be one."""

from __future__ import annotations

import csv
from collections.abc import Callable

import pytest
from commands import Done
from lxml import html as lxml_html
from small_web import TOPICS, Web

from thresher.evaluation.evaluating import evaluate
from thresher.evaluation.significance import compare
from thresher.evaluation.trec_files import read_qrels, read_run
from thresher.experiments.results import Results, read_results

Call = Callable[..., Done]
NDCG = "nDCG(dcg='exp-log2')@10"
BYTES = 12_345


def write(web: Web, **more: str) -> None:
    """Write the experiment with a system that ranks judged pages by id, for all topics but the first."""
    judged = read_qrels(web.folder / "qrels.txt")
    lines = [
        f"{topic} Q0 {document} {rank} {1 / rank} ours\n"
        for topic in list(judged)[1:]
        for rank, document in enumerate(sorted(judged[topic]), 1)
    ]
    (web.folder / "other.trec").write_text("".join(lines))
    system = f'name = "BM25F elsewhere"\npath = "other.trec"\nbytes = {BYTES}'
    web.write(sweep='scorer = "words"\ncutoffs = [5]', cleaners="", **{"system": system, **more})


@pytest.fixture
def results(web: Web, call: Call) -> Results:
    write(web)
    done = call("run", "web.toml", cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    return read_results(web.folder / "results" / "web")


def test_another_systems_run_is_a_row(web: Web, results: Results) -> None:
    (system,) = results.facts.systems
    table = results.table()
    qrels, run = read_qrels(web.folder / "qrels.txt"), read_run(web.folder / "other.trec")
    topics = [str(number) for number in range(1, TOPICS + 1)]
    values = evaluate(qrels, run, results.measures, topics)
    means = dict(zip(results.measures, system.values.mean(axis=1).tolist(), strict=True))
    assert means == {name: pytest.approx(sum(held.values()) / TOPICS) for name, held in values.items()}
    assert (system.name, system.retrieved, system.index_bytes) == ("BM25F elsewhere", TOPICS - 1, BYTES)
    base = dict(zip(table.topics, table.of(NDCG)[0].tolist(), strict=True))
    ours = dict(zip(table.topics, system.values[results.measures.index(NDCG)].tolist(), strict=True))
    assert ours == values[NDCG]
    alone = compare([ours[topic] for topic in topics], [base[topic] for topic in topics], NDCG)
    found = system.comparisons[NDCG]
    assert (found.difference, found.p, found.wins, found.losses) == (
        alone.difference,
        alone.p,
        alone.wins,
        alone.losses,
    )
    assert found.p_corrected >= found.p

    with (web.folder / "results" / "web" / "systems.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["system"], row["index_bytes"]) == (system.name, str(BYTES))
    assert float(row[NDCG]) == pytest.approx(means[NDCG])
    page = (web.folder / "results" / "web" / "report.html").read_text(encoding="utf-8")
    (shown,) = lxml_html.document_fromstring(page).xpath("//details[@id='variants']//table[@class='sortable']")
    names = [row.xpath("string(./th)") for row in shown.xpath("./tbody/tr")]
    assert (names[0], names[-1]) == ("none", system.name)


@pytest.mark.slow
def test_exploring_tests_another_system_by_the_test_of_the_file(web: Web, results: Results, call: Call) -> None:
    written = web.folder / "results" / "web" / "systems.csv"
    before = written.read_text()
    write(web, evaluation='test = "t"\ncorrection = "none"')
    found = []
    # Running again tests anew anyway.
    for verb in ("explore", "run"):
        assert call(verb, "web.toml", cwd=web.folder).code == 0
        found.append(written.read_text())
    assert found[0] == found[1] != before
    (system,) = read_results(written.parent).facts.systems
    assert system.values.tolist() == results.facts.systems[0].values.tolist()
    assert (system.comparisons[NDCG].test, system.comparisons[NDCG].p_corrected) == ("t", None)


def test_what_is_no_other_system(web: Web, call: Call) -> None:
    write(web, system='name = "words@5"\npath = "other.trec"')
    done = call("run", "web.toml", cwd=web.folder)
    assert done.code == 2
    assert "words@5" in done.errors[0]
    write(web, system='name = "x"\npath = "nowhere.trec"')
    done = call("run", "web.toml", cwd=web.folder)
    assert done.code == 2
    assert "nowhere.trec" in done.errors[0]
    write(web, system='name = "x"\npath = "odd.trec"')
    # Of other topics, of other documents, and of nothing.
    for line in ("zebra Q0 part0/page00 1 1.0 x\n", "1 Q0 unknown 1 1.0 x\n", ""):
        (web.folder / "odd.trec").write_text(line)
        done = call("run", "web.toml", cwd=web.folder)
        assert done.code == 3
        assert "odd.trec: " in done.errors[0]
    assert not [*(web.folder / "indexes" / "web").glob("none*")]
