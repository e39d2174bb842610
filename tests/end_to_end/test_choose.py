"""`thresher choose`: from what was explored, from what was run, on topics that had no part, and what stands in the way."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from commands import Done, thresher
from lxml import html as lxml_html
from small_web import TIMED, Finished, Web
from thresher.choosing.decisions import Basis, RuleName, SizeKind
from thresher.choosing.guards import DEFAULT_GUARDS, Guards
from thresher.exploring.exploration import read_exploration
from thresher.results.experiment_results import read_results

from thresher.choosing.choices import Choice, read_choice
from thresher.costs import Interval
from thresher.evaluation.non_inferiority import MINIMUM, Verdict
from thresher.explaining.explanations import RECORD as EXPLANATION
from thresher.explaining.explanations import Explanation
from thresher.reports.recommendation import answer

Call = Callable[..., Done]
NO_MARGIN = (
    "--margin: {!r} is not a margin. Fix: write a share above 0% and below 100%, such as 5%, or a number above 0."
)
QUICK = ("--folds", "4", "--repeats", "1")


def more_topics(web: Web, times: int = 3) -> int:
    """Ask for the pages of each topic once more with each of its words left out, and return how many topics there are."""
    queries = dict(line.split("\t") for line in (web.folder / "topics.tsv").read_text().splitlines())
    judged = [line.split() for line in (web.folder / "qrels.txt").read_text().splitlines()]
    topics, qrels = [], []
    for number, query in queries.items():
        for left in range(times):
            words = [word for place, word in enumerate(query.split()) if place != left]
            topics.append(f"{number}{left}\t{' '.join(words)}\n")
            qrels += [f"{number}{left} {' '.join(rest)}\n" for topic, *rest in judged if topic == number]
    (web.folder / "topics.tsv").write_text("".join(topics))
    (web.folder / "qrels.txt").write_text("".join(qrels))
    return len(topics)


def chosen(folder: Path) -> Choice:
    found = read_choice(folder)
    assert found is not None
    return found


@dataclass(frozen=True)
class Decided:
    """An experiment over nine cutoffs, run, explored and chosen from once."""

    web: Web
    topics: int
    done: Done

    @property
    def results(self) -> Path:
        return self.web.folder / "results" / "web"


CHOOSE = ("choose", "web.toml", "--margin", "20%", "--queries", "5000", *QUICK)


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Decided:
    """Nobody may change this folder."""
    web = Web.make(tmp_path_factory.mktemp("decided"), **TIMED)
    topics = more_topics(web)
    assert topics >= MINIMUM
    web.write(sweep='scorer = "words"\ncutoffs = [2, 3, 5, 8, 12, 16, 20, 25, 30]')
    for verb in ("run", "explore"):
        assert thresher(verb, "web.toml", cwd=web.folder).code == 0
    return Decided(web, topics, thresher(*CHOOSE, cwd=web.folder))


@pytest.fixture
def again(decided: Decided, tmp_path: Path) -> Decided:
    """The same in a folder of the test's own."""
    shutil.copytree(decided.web.folder, tmp_path / "again")
    return replace(decided, web=Web(tmp_path / "again"))


def test_among_all_cutoffs(decided: Decided) -> None:
    assert (decided.done.code, decided.done.errors) == (0, [])
    choice, explored = chosen(decided.results), read_exploration(decided.results)
    assert choice.key == explored.key
    assert [decision.measure for decision in choice.decisions] == ["nDCG(dcg='exp-log2')@10", "P@5", "P@10", "AP"]
    main = choice.decisions[0]
    assert (main.topics, main.explored, main.size_kind) == (decided.topics, True, SizeKind.ESTIMATED)
    assert [variant.name for variant in main.variants] == [
        name for sweep in explored.sweeps if sweep.name != "none" for name in sweep.variants
    ]
    assert (main.folds, main.repeats, main.relative_margin) == (4, 1, 0.2)


def test_the_smallest_that_is_shown_to_be_non_inferior_is_recommended(decided: Decided) -> None:
    choice = chosen(decided.results)
    main = choice.decisions[0]
    assert main.recommended is not None
    safe = [variant for variant in main.variants if variant.test.verdict is Verdict.NON_INFERIOR]
    smallest = main.picked(RuleName.SMALLEST)
    assert smallest is not None
    assert smallest.size == min(variant.size for variant in safe)
    assert main.recommended.size == min(variant.size for variant in safe if not variant.broken)
    assert main.recommended.broken == ()
    assert main.recommended.test.low > -main.margin
    (saved,) = choice.savings
    assert (saved.variant, saved.queries) == (main.recommended.name, 5000)
    assert saved.indexes == 12
    # How much there is to save, and whether noise hides it, is for the machine to say.
    assert saved.basis in (Basis.MEASURED, Basis.ESTIMATED, Basis.NOT_MEASURABLE)
    assert (saved.query_seconds is None) is (saved.basis is Basis.NOT_MEASURABLE)
    assert saved.extra_seconds is not None
    assert saved.break_even is not None
    (costs,) = choice.costs
    baseline = read_results(decided.results).rows[0].query
    assert baseline is not None
    assert (costs.retrieval, costs.seconds) == ("qld", baseline.wall.value)
    assert costs.saved.keys() == {variant.name for variant in main.variants}
    per_query = costs.saved[saved.variant]
    assert saved.query_seconds == (
        per_query and Interval(*(pytest.approx(5000 * one) for one in (per_query.value, per_query.low, per_query.high)))
    )


def test_a_choice_is_printed_and_written(decided: Decided) -> None:
    choice, lines = chosen(decided.results), decided.done.out.splitlines()
    main = choice.decisions[0]
    assert main.recommended is not None
    assert len(lines) <= 40
    first = " ".join(lines[: next(number for number, line in enumerate(lines[1:], 1) if not line.startswith("  "))])
    said = " ".join(" ".join(lines[: lines.index("")]).split()).removeprefix("- ").split(" - ")
    recommended = said[0]
    assert " ".join(first.split()) == f"- {recommended}"
    assert main.recommended.name in recommended
    assert f"of {len(main.variants)} cutoffs" in recommended
    assert lines[-1] == f"report: {decided.results / 'report.html'}"
    # Nothing but the record is printed as the answer, and the page has it word for word.
    assert said == list(answer(choice))
    assert lines[-2] == f"every cutoff: {decided.results / 'choice.csv'}"
    page = lxml_html.document_fromstring((decided.results / "report.html").read_text(encoding="utf-8"))
    shown = [item.text for item in page.xpath("//details[@id='choice']//li")]
    assert shown[: len(said)] == said
    assert page.findtext(".//p[@class='sentence']/code") == main.recommended.name
    with (decided.results / "choice.csv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    assert len(rows) == sum(len(decision.variants) for decision in choice.decisions)
    picked = [row["variant"] for row in rows if RuleName.GUARDED.value in row["picked_as"].split("; ")]
    assert picked == [main.recommended.name]
    report = (decided.results / "report.html").read_text(encoding="utf-8")
    assert 'id="choice"' in report
    assert 'id="topics"' in report


def test_guards_of_the_file_and_of_options(decided: Decided, again: Decided, call: Call) -> None:
    (found,) = chosen(decided.results).recommendations
    assert (found.guards, found.deciding) == (DEFAULT_GUARDS, ("nDCG(dcg='exp-log2')@10", "AP"))
    assert found.unguarded is not None
    lax = ("--emptied", "1", "--stability", "0", "--neighbour", "0.1", "--deciding", "P@5")
    written = again.results / "choice.json"
    assert call(*CHOOSE, *lax, cwd=again.web.folder).code == 0
    by_options = written.read_bytes()
    (found,) = chosen(again.results).recommendations
    assert (found.guards, found.deciding) == (Guards(1.0, 0.0, 0.1), ("nDCG(dcg='exp-log2')@10", "P@5"))
    sweep = 'scorer = "words"\ncutoffs = [2, 3, 5, 8, 12, 16, 20, 25, 30]'
    again.web.write(sweep=sweep, choose='emptied = 1\nstability = 0\nneighbour = 0.1\ndeciding = ["P@5"]')
    assert call(*CHOOSE, cwd=again.web.folder).code == 0
    assert written.read_bytes() == by_options
    # An option goes before the file.
    assert call(*CHOOSE, "--emptied", "0", "--deciding", "AP", cwd=again.web.folder).code == 0
    (found,) = chosen(again.results).recommendations
    assert (found.guards, found.deciding) == (Guards(0.0, 0.0, 0.1), ("nDCG(dcg='exp-log2')@10", "AP"))
    assert found.emptied == 0


def test_choosing_again_gives_the_same_bytes(again: Decided, call: Call) -> None:
    def written() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in again.results.glob("*.*") if path.name != ".lock"}

    before = written()
    assert call(*CHOOSE, cwd=again.web.folder).code == 0
    assert written() == before


def test_later_reports_have_the_choice_until_it_rests_on_something_else(again: Decided, call: Call) -> None:
    page = again.results / "report.html"
    before = page.read_text(encoding="utf-8")
    assert call("report", str(again.results), cwd=again.web.folder).code == 0
    assert page.read_text(encoding="utf-8") == before
    assert call("run", "web.toml", cwd=again.web.folder).code == 0
    assert 'id="choice"' in page.read_text(encoding="utf-8")
    again.web.write(sweep='scorer = "words"\ncutoffs = [2, 3]', evaluation='measures = ["AP"]')
    assert call("run", "web.toml", cwd=again.web.folder).code == 0
    assert 'id="choice"' not in page.read_text(encoding="utf-8")


def test_without_a_run_postings_stand_for_bytes(web: Web, call: Call) -> None:
    web.write()
    assert call("explore", "web.toml", cwd=web.folder).code == 0
    done = call("choose", "web.toml", *QUICK, cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    results = web.folder / "results" / "web"
    main = chosen(results).decisions[0]
    assert main.size_kind is SizeKind.POSTINGS
    # Twelve topics are too few for any verdict.
    assert {variant.test.verdict for variant in main.variants} == {Verdict.INCONCLUSIVE}
    assert (
        "- Inconclusive: 12 topics are too few for a verdict, at least 25 are needed. Stay with the baseline."
        in done.out
    )
    report = (results / "report.html").read_text(encoding="utf-8")
    assert 'id="choice"' in report
    assert 'id="topics"' not in report


def test_among_the_variants_that_were_run(copy: Finished, call: Call) -> None:
    done = call("choose", copy.file.name, "--measured", "--measure", "AP", *QUICK, cwd=copy.web.folder)
    assert (done.code, done.errors) == (0, [])
    choice = chosen(copy.results)
    main = choice.decisions[0]
    assert (choice.measure, main.measure, main.explored, main.size_kind) == ("AP", "AP", False, SizeKind.BYTES)
    with (copy.results / "results.csv").open(encoding="utf-8", newline="") as lines:
        rows = {row["variant"]: row for row in csv.DictReader(lines)}
    assert {"none", *(variant.name for variant in main.variants)} == rows.keys()
    for variant in main.variants:
        assert variant.size == float(rows[variant.name]["index_bytes"])
        assert variant.mean == pytest.approx(float(rows[variant.name]["AP"]), abs=1e-12)
    # With nothing explored they are what there is.
    assert call("choose", copy.file.name, "--measure", "AP", *QUICK, cwd=copy.web.folder).code == 0
    assert chosen(copy.results) == choice


def test_some_scorers_alone(copy: Finished, call: Call) -> None:
    assert call("choose", copy.file.name, "--scorer", "words", *QUICK, cwd=copy.web.folder).code == 0
    names = [variant.name for variant in chosen(copy.results).decisions[0].variants]
    assert names == ["words@5", "words@20", "words@40"]


def test_held_out_topics_have_no_part(web: Web, call: Call) -> None:
    topics = (web.folder / "topics.tsv").read_text().splitlines(keepends=True)
    (web.folder / "topics.tsv").write_text("".join(topics[:7]))
    (web.folder / "others.tsv").write_text("".join(topics[7:]))
    held_out = 'topics = "others.tsv"\nqrels = "qrels.txt"'
    web.write(held_out=held_out)
    assert call("explore", "web.toml", cwd=web.folder).code == 0
    done = call("choose", "web.toml", cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    results = web.folder / "results" / "web"
    main, explored = chosen(results).decisions[0], read_exploration(results)
    assert (main.topics, main.held_out_topics, main.folds) == (7, 5, 7)
    highest = main.picks[3]
    assert highest.variant is not None
    assert highest.check is not None
    name = highest.variant.name
    sweep = next(sweep for sweep in explored.sweeps if name in sweep.variants)
    assert sweep.held_out is not None
    measure = explored.measures.index(main.measure)
    assert highest.check.mean == pytest.approx(sweep.held_out[0, measure, sweep.variants.index(name)].mean())


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--margin", "5"), ""),
        (("--margin", "100%"), NO_MARGIN.format("100%")),
        (("--margin", "x"), NO_MARGIN.format("x")),
        (("--margin", "-1"), NO_MARGIN.format("-1")),
        (("--margin", "nan%"), NO_MARGIN.format("nan%")),
        (("--measure", "RR"), "--measure: 'RR' is none of the experiment's measures. Fix: use one of P@5, P@10, AP, "
         "nDCG(dcg='exp-log2')@10."),
        (("--deciding", "RR"), "--deciding: 'RR' is none of the experiment's measures. Fix: use one of P@5, P@10, AP, "
         "nDCG(dcg='exp-log2')@10."),
        (("--emptied", "2"), "Invalid value for '--emptied': 2.0 is not in the range 0<=x<=1. Fix: see "
         "`thresher choose --help`."),
        (("--scorer", "bte"), "--scorer: 'bte' was not looked at. Fix: use one of words, density@8, "
         "perplexity(lm=books)@8000."),
        (("--folds", "1"), "Invalid value for '--folds': 1 is not in the range x>=2. Fix: see `thresher choose --help`."),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(copy: Finished, call: Call, arguments: tuple[str, ...], error: str) -> None:
    done = call("choose", copy.file.name, "--repeats", "1", *arguments, cwd=copy.web.folder)
    assert (done.code, done.errors) == ((2, [f"error: {error}"]) if error else (0, []))


def test_what_is_not_there_yet(web: Web, call: Call) -> None:
    web.write()
    done = call("choose", "web.toml", cwd=web.folder)
    assert (done.code, done.errors) == (
        5,
        ["error: results/web: nothing was explored or run yet. Fix: run `thresher explore web.toml` first."],
    )
    assert not (web.folder / "results").exists()
    assert call("explore", "web.toml", cwd=web.folder).code == 0
    done = call("choose", "web.toml", "--measured", cwd=web.folder)
    assert (done.code, done.errors) == (
        5,
        ["error: results/web: nothing was run yet. Fix: run `thresher run web.toml` first."],
    )
    web.write(sweep="", cleaners="")
    assert call("explore", "web.toml", "--fresh", cwd=web.folder).code == 0
    done = call("choose", "web.toml", cwd=web.folder)
    assert (done.code, done.errors) == (
        2,
        ["error: sweep: there is nothing to choose among but the baseline. Fix: add a sweep to the experiment."],
    )


def test_an_exploration_of_something_else_is_refused(copy: Finished, call: Call) -> None:
    assert call("explore", copy.file.name, cwd=copy.web.folder).code == 0
    topics = copy.web.folder / "topics.tsv"
    topics.write_text(topics.read_text().replace("barley", "wheat"))
    for option, file, verb in (((), "explored.json", "explore"), (("--measured",), "results.json", "run")):
        done = call("choose", copy.file.name, *option, cwd=copy.web.folder)
        assert (done.code, done.errors) == (
            5,
            [
                f"error: results/web/{file}: it rests on another collection, other topics or options than the experiment has "
                f"now. Fix: run `thresher {verb} web.toml` again."
            ],
        )
    # Explored again, runs of before have no part in it.
    assert call("explore", copy.file.name, cwd=copy.web.folder).code == 0
    done = call("choose", copy.file.name, *QUICK, cwd=copy.web.folder)
    assert done.code == 0
    assert "results.json rests on other inputs than the exploration: its times are left out" in done.err
    assert chosen(copy.results).costs == ()
    assert 'id="topics"' not in (copy.results / "report.html").read_text(encoding="utf-8")


def test_a_damaged_choice_is_told(copy: Finished, call: Call) -> None:
    assert call("choose", copy.file.name, *QUICK, cwd=copy.web.folder).code == 0
    path = copy.results / "choice.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 99}))
    done = call("report", str(copy.results), cwd=copy.web.folder)
    assert (done.code, done.errors) == (
        5,
        [f"error: {path}: version 99 is not known, only 4. Fix: run `thresher choose` again."],
    )


def test_the_recommended_variant_is_explained_if_it_was_run(again: Decided, call: Call) -> None:
    ran = {row.variant for row in read_results(again.results).rows}

    def explained() -> Explanation:
        done = call("explain", "results/web", "--json", cwd=again.web.folder)
        assert done.code == 0
        return EXPLANATION.parse(done.out, "record")

    recommended = chosen(again.results).recommendations[0].variant
    assert recommended is not None
    found = explained()
    if recommended in ran:
        assert (found.variant, found.why_variant) == (recommended, "the recommended variant")
    else:
        assert found.why_variant.endswith(f"the recommended {recommended} was not run")
    assert call(*CHOOSE, "--measured", cwd=again.web.folder).code == 0
    recommended = chosen(again.results).recommendations[0].variant
    assert recommended in ran
    found = explained()
    assert (found.variant, found.why_variant) == (recommended, "the recommended variant")
    # Without a choice nothing is recommended.
    (again.results / "choice.json").unlink()
    assert explained().why_variant.startswith(f"of {len(ran) - 1} variants the one with the largest change in ")
