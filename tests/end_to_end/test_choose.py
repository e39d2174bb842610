"""`thresher choose`: from what was explored or run, on topics that had no part, and what stands in the way."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path

import pytest
from commands import Done, thresher
from messages import Message, assert_names
from small_web import TIMED, Finished, Web, more_topics

import thresher as thresher_package
from thresher.base.files import safe_name
from thresher.cleaners.cleaner import Cleaner
from thresher.evaluation.non_inferiority import MINIMUM, Margin
from thresher.experiments.choosing.choices import Choice, read_choice
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.choosing.savings import Basis
from thresher.experiments.choosing.shared import SharedChoice
from thresher.experiments.page_samples import SampleOptions, sample_results
from thresher.experiments.results import read_results
from thresher.indexes.indexing import SETTINGS, open_index
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.indexes.work import index_statistics
from thresher.reports.chosen_sentences import other_engines
from thresher.reports.summary import answer
from thresher.scores.percentiles import resolved

Call = Callable[..., Done]
NDCG = "nDCG(dcg='exp-log2')@10"
NO_MARGIN = ("not a margin", "Fix: ", "above 0% and below 100%", "between 0 and 1")
NO_MEASURE = ("'RR' is not a measure", "Fix: ", "P@5, P@10, AP, nDCG(dcg='exp-log2')@10.")
SWEEP = 'scorer = "words"\ncutoffs = [2, 12, 30]'
DECLARED = ("none|dcp", "none|2n2p", "none|prp")
FAMILIES = f"families = {json.dumps(DECLARED)}"


def chosen(folder: Path) -> Choice:
    found = read_choice(folder)
    assert found is not None
    return found


@dataclass(frozen=True)
class Decided:
    """An experiment that was run, explored and chosen from once."""

    web: Web
    topics: int
    done: Done

    @property
    def results(self) -> Path:
        return self.web.folder / "results" / "web"


CHOOSE = ("choose", "web.toml", "--margin", "20%", "--queries", "5000")


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Decided:
    """Nobody may change this folder."""
    web = Web.make(tmp_path_factory.mktemp("decided"), **TIMED)
    topics = more_topics(web)
    assert topics >= MINIMUM
    web.write(sweep=SWEEP, cleaners="", choose=FAMILIES)
    for verb in ("run", "explore"):
        assert thresher(verb, "web.toml", cwd=web.folder).code == 0
    return Decided(web, topics, thresher(*CHOOSE, cwd=web.folder))


@pytest.fixture
def again(decided: Decided, tmp_path: Path) -> Decided:
    """The same in a folder of the test's own."""
    shutil.copytree(decided.web.folder, tmp_path / "again")
    return replace(decided, web=Web(tmp_path / "again"))


@pytest.mark.slow
def test_declared_families_are_explored_and_walked(decided: Decided) -> None:
    assert (decided.done.code, decided.done.errors) == (0, [])
    choice, results = chosen(decided.results), read_results(decided.results)
    assert choice.key == results.facts.key
    assert choice.measures == ("nDCG(dcg='exp-log2')@10", "AP")
    assert choice.criteria == ChoiceCriteria(Margin(0.2, relative=True), families=DECLARED, deciding=("AP",))
    (model,) = choice.models
    assert (model.topics, model.variants) == (decided.topics, len(results.table().candidates))
    assert tuple(walk.family for walk in model.families) == DECLARED
    assert all(walk.steps > 5 for walk in model.families)


def test_the_smallest_that_is_shown_to_lose_little_is_recommended(decided: Decided) -> None:
    (model,) = chosen(decided.results).models
    pick, table = model.smallest, read_results(decided.results).table()
    assert pick is not None
    lasts = [table.position[walk.last.variant] for walk in model.families if walk.last]
    assert table.position[pick.variant] == min(lasts, key=table.size)
    assert pick.bytes == min(table.index_bytes[index] for index in lasts)
    index = table.position[pick.variant]
    assert (pick.share, pick.emptied) == (float(table.shares[index]), int(table.emptied[index]))
    for effect in pick.effects:
        assert effect.margin is not None
        assert effect.low is not None
        assert -effect.margin < effect.low <= effect.difference
        assert effect.mean == pytest.approx(table.mean(effect.measure)[index])
    # How much there is to save, and whether noise hides it, is for the machine to say.
    assert pick.savings.basis in (Basis.MEASURED, Basis.ESTIMATED, Basis.NOT_MEASURABLE)
    assert (pick.savings.query_seconds is None) is (pick.savings.basis is Basis.NOT_MEASURABLE)
    assert pick.savings.queries == 5000


def test_a_choice_is_printed_and_written(decided: Decided) -> None:
    choice, lines = chosen(decided.results), decided.done.out.splitlines()
    said = " ".join(" ".join(lines[: lines.index("")]).split()).removeprefix("- ").split(" - ")
    expected = [*answer(choice), *other_engines(choice)]
    assert [line.replace("`", "") for line in said] == [line.replace("`", "") for line in expected]
    assert lines[-1] == f"report: {decided.results / 'report.html'}"


def test_play_begins_with_all_text_and_the_recommended_cleaner(decided: Decided) -> None:
    pick = chosen(decided.results).models[0].smallest
    assert pick is not None
    cleaner = resolved(decided.results / "scores", parse_treatment(pick.variant).cleaner)
    sides = sample_results(decided.results, SampleOptions(count=1)).sides
    # An index that keeps all text has no cleaner to show.
    if cleaner.cuts:
        assert sides == (Cleaner(), cleaner)


@pytest.mark.slow
def test_what_is_recommended_can_be_had(again: Decided, call: Call) -> None:
    """The printed commands make the index that `run --chosen` builds, measures and explains."""
    folder, lines = again.web.folder, again.done.out.splitlines()
    *make, check = [line for line in lines if line.startswith("thresher ")]
    pick = chosen(again.results).models[0].first
    assert pick is not None
    assert pick.variant.startswith("none|")
    assert f"<code>{check}</code> builds and measures it" in unescape((again.results / "report.html").read_text())
    # What was chosen is not built by `run` alone, nor explained.
    done = call("explain", "results/web", cwd=folder)
    (error,) = done.errors
    assert_names(error, "error: web: ", pick.variant, "was not built", "Fix: ", f"run `{check}`", "--variant")

    for command in (*make, check):
        done = call(*shlex.split(command)[1:], cwd=folder)
        assert (done.code, done.errors) == (0, []), command
    said = " ".join(done.out.split())
    assert f"- Use {pick.variant}: " in said
    assert f"({100 * pick.share:.1f} % of the postings)" in said
    assert_names(said, "every index", "postings", "means", "exploring gave")
    assert " MB measured, " in said
    assert check not in done.out
    table = read_results(again.results).table()
    names = {table.rows[index].name for index in table.built}
    # What was run before stays, and the choice is the same but for times.
    assert {pick.variant, "none", "words@2", "words@30"} <= names
    assert table.rows[table.position[pick.variant]].bytes is not None

    hits = call("search", "index", "topics.tsv", "-o", "run.trec", "--depth", "40", "--tag", pick.variant, cwd=folder)
    assert hits.code == 0
    run = again.results / "runs" / f"{safe_name(pick.variant)}.trec"
    assert (folder / "run.trec").read_bytes() == run.read_bytes()
    own, built = folder / "index", folder / "indexes" / "web" / safe_name(pick.variant)
    with open_index(own) as one, open_index(built) as other:
        assert index_statistics(one) == index_statistics(other)
    assert sorted(path.name for path in own.iterdir()) == sorted(path.name for path in built.iterdir())
    sizes = [{path.name: path.stat().st_size for path in of.iterdir() if path.name != SETTINGS} for of in (own, built)]
    assert sizes[0] == sizes[1]
    assert "(the recommended variant)" in call("explain", "results/web", cwd=folder).out
    # It stays when all variants of the file are run again, and nothing is built anew.
    assert call("run", "web.toml", cwd=folder).code == 0
    assert read_results(again.results).table().rows[table.position[pick.variant]].built


@pytest.mark.slow
def test_one_setting_for_several_collections(again: Decided, call: Call) -> None:
    folder, names = again.web.folder, ("web", "two", "three")
    text = (folder / "web.toml").read_text()
    for name in names[1:]:
        shutil.copytree(again.results, folder / "results" / name)
        (folder / f"{name}.toml").write_text(text.replace('name = "web"', f'name = "{name}"'))
    files = [f"{name}.toml" for name in names]
    done = call("choose", *files, "--margin", "20%", cwd=folder)
    assert (done.code, done.errors) == (0, [])
    record = json.loads((folder / "results" / "shared-choice.json").read_text())
    assert (record["criteria"]["margin"]["value"], record["measures"]) == (0.2, [NDCG, "AP"])
    table, index = read_results(again.results).table(), record["variant"]
    # The three lose the same: what they lose is what is expected.
    row = table.position[index]
    losses = [1 - table.mean(name)[row] / table.mean(name)[0] for name in record["measures"]]
    assert record["bounds"] == pytest.approx(losses)
    assert [one["collection"] for one in record["tried"]] == list(names)
    assert {one["variant"] for one in (*record["tried"], *record["left_out"])} == {index}
    lines = done.out.splitlines()
    size = f"{100 * table.bytes_shares[row]:.1f} % of the bytes"
    assert_names(lines[0], f"- Use {index}: {size}", f"({100 * table.shares[row]:.1f} % of the postings)", "on average")
    made = [line for line in lines if line.startswith("thresher ")]
    assert made == record["commands"]
    assert shlex.split(made[0])[:3] == ["thresher", "clean", "PAGES"]
    assert json.loads(call("choose", *files, "--margin", "20%", "--json", cwd=folder).out) == record
    with chdir(folder):
        found = thresher_package.choose(files)
    assert isinstance(found, SharedChoice)
    assert "web" in found.to_pandas()["collection"].tolist()
    for arguments, error in (
        (files[:2], "2 collections are too few"),
        ([*files, "web.toml"], "two experiments are named web"),
        ([*files, "--bytes", "4M"], "leave out `bytes` of [choose]"),
    ):
        assert_names(call("choose", *arguments, cwd=folder).errors[0], "error: ", error)
    with_size = text.replace('name = "web"', 'name = "three"').replace("[choose]", '[choose]\nbytes = "4M"')
    (folder / "three.toml").write_text(with_size)
    assert "three.toml: a size in bytes" in call("choose", *files, cwd=folder).errors[0]
    (folder / "three.toml").write_text(text.replace('name = "web"', 'name = "three"'))
    (folder / "two.toml").write_text(text.replace('name = "web"', 'name = "two"').replace('"qld"', '"bm25"'))
    lacking = "measures: qld, nDCG(dcg='exp-log2')@10 and AP"
    assert_names(call("choose", *files, cwd=folder).errors[0], "two.toml: ", lacking)


def test_nothing_is_chosen_yet(copy: Finished, call: Call) -> None:
    done = call("run", "web.toml", "--chosen", cwd=copy.web.folder)
    (error,) = done.errors
    assert_names(error, f"error: {Path('results/web')}: ", "no choice", "Fix: ", "`thresher choose web.toml` first")


@pytest.mark.slow
def test_terms_of_the_file_and_of_options(again: Decided, call: Call) -> None:
    options = ("--emptied", "1", "--deciding", "P@5", "--families", "none|dcp", "--families", "words", "--alpha", "0.1")
    written = again.results / "choice.json"
    assert call(*CHOOSE, *options, cwd=again.web.folder).code == 0
    by_options = written.read_bytes()
    terms = ChoiceCriteria(Margin(0.2, True), 0.1, 1.0, ("none|dcp", "words"), ("P@5",))
    assert chosen(again.results).criteria == terms
    keys = 'emptied = 1\nalpha = 0.1\nmargin = "20%"\ndeciding = ["P@5"]\nfamilies = ["none|dcp", "words"]'
    again.web.write(sweep=SWEEP, cleaners="", choose=keys)
    assert call(*CHOOSE, cwd=again.web.folder).code == 0
    assert written.read_bytes() == by_options
    # An option goes before the file.
    assert call(*CHOOSE, "--emptied", "0", "--deciding", "AP", cwd=again.web.folder).code == 0
    found = chosen(again.results)
    assert found.criteria == replace(terms, emptied=0.0, deciding=("AP",))
    assert all(index.emptied == 0 for index in found.models[0].named)


@pytest.mark.slow
def test_choosing_again_gives_the_same_bytes(again: Decided, call: Call) -> None:
    def written() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in again.results.glob("*.*") if path.name != ".lock"}

    before = written()
    assert call(*CHOOSE, cwd=again.web.folder).code == 0
    assert written() == before


@pytest.mark.slow
def test_later_reports_have_the_choice_until_it_rests_on_something_else(again: Decided, call: Call) -> None:
    page = again.results / "report.html"
    before = page.read_text(encoding="utf-8")
    first, *_ = answer(chosen(again.results))
    assert call("report", str(again.results), cwd=again.web.folder).code == 0
    assert page.read_text(encoding="utf-8") == before
    done = call("run", "web.toml", cwd=again.web.folder)
    assert done.code == 0
    assert first in " ".join(done.out.split())
    again.web.write(sweep=SWEEP, cleaners="", choose=FAMILIES, evaluation='measures = ["AP"]')
    done = call("run", "web.toml", cwd=again.web.folder)
    assert done.code == 0
    assert first not in " ".join(done.out.split())


def test_few_topics(web: Web, call: Call) -> None:
    web.write()
    assert call("explore", "web.toml", cwd=web.folder).code == 0
    done = call("choose", "web.toml", cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    (model,) = chosen(web.folder / "results" / "web").models
    assert model.too_few
    assert_names(" ".join(done.out.split()), "12 topics are too few", "at least 25")


def test_of_what_was_run_alone(copy: Finished, call: Call) -> None:
    done = call("choose", copy.file.name, "--measure", "AP", cwd=copy.web.folder)
    assert (done.code, done.errors) == (0, [])
    choice = chosen(copy.results)
    assert (choice.measure, choice.models[0].variants) == ("AP", len(read_results(copy.results).table().built) - 1)
    # The families are the file's sweeps.
    assert [(walk.family, walk.steps > 0) for walk in choice.models[0].families] == [("words", True)]


def test_held_out_topics_have_no_part(web: Web, call: Call) -> None:
    more_topics(web)
    topics = (web.folder / "topics.tsv").read_text().splitlines(keepends=True)
    (web.folder / "topics.tsv").write_text("".join(topics[:28]))
    (web.folder / "others.tsv").write_text("".join(topics[28:]))
    web.write(held_out='topics = "others.tsv"\nqrels = "qrels.txt"')
    assert call("explore", "web.toml", cwd=web.folder).code == 0
    assert call("choose", "web.toml", "--margin", "40%", cwd=web.folder).code == 0
    results = web.folder / "results" / "web"
    (model,) = chosen(results).models
    table = read_results(results).table()
    assert (model.topics, len(table.held_out_topics)) == (28, 8)
    pick = model.smallest
    assert pick is not None
    for effect in pick.held_out:
        assert effect.topics == 8
        assert effect.mean == pytest.approx(table.held_out_mean(effect.measure)[table.position[pick.variant]])


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        (("--margin", "5"), ("--margin: '5'", *NO_MARGIN)),
        (("--margin", "100%"), ("--margin: '100%'", *NO_MARGIN)),
        (("--margin", "x"), ("--margin: 'x'", *NO_MARGIN)),
        (("--margin", "-1"), ("--margin: '-1'", *NO_MARGIN)),
        (("--margin", "nan%"), ("--margin: 'nan%'", *NO_MARGIN)),
        (("--measure", "RR"), ("--measure: ", *NO_MEASURE)),
        (("--deciding", "RR"), ("--deciding: ", *NO_MEASURE)),
        (("--emptied", "2"), ("'--emptied': 2.0", "range 0<=x<=1", "Fix: ", "`thresher choose --help`")),
        (("--families", "bte"), ("bte: 'bte' is no sweep", "Fix: ", "without its cutoff", "words or none|dcp")),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(copy: Finished, call: Call, arguments: tuple[str, ...], facts: tuple[str, ...]) -> None:
    done = call("choose", copy.file.name, *arguments, cwd=copy.web.folder)
    assert (done.code, done.errors) == (2, [Message("error: ", *facts)])


def test_what_is_not_there_yet(web: Web, call: Call) -> None:
    web.write()
    done = call("choose", "web.toml", cwd=web.folder)
    assert (done.code, len(done.errors)) == (5, 1)
    assert_names(done.errors[0], "error: results/web: ", "Fix: run `thresher explore web.toml`")
    assert not (web.folder / "results").exists()
    # Results beside the file are not those of another folder.
    (web.folder / "results" / "web").mkdir(parents=True)
    (web.folder / "other").mkdir()
    done = call("choose", "../web.toml", cwd=web.folder / "other")
    assert_names(done.err.splitlines()[0], "../results/web: ", "--results ../results")
    web.write(sweep="", cleaners="")
    assert call("run", "web.toml", cwd=web.folder).code == 0
    done = call("choose", "web.toml", cwd=web.folder)
    assert (done.code, len(done.errors)) == (2, 1)
    assert_names(done.errors[0], "error: sweep: ", "baseline", "Fix: add a sweep")


def test_results_of_something_else_are_refused(copy: Finished, call: Call) -> None:
    topics = copy.web.folder / "topics.tsv"
    topics.write_text(topics.read_text().replace("barley", "wheat"))

    def refused(verb: str) -> Message:
        return Message(
            *("error: results/web/results.json: ", "another collection, other topics or other options"),
            *("Fix: ", f"run `thresher {verb} web.toml` again"),
        )

    done = call("choose", copy.file.name, cwd=copy.web.folder)
    assert (done.code, done.errors) == (5, [refused("run")])
    assert call("explore", copy.file.name, cwd=copy.web.folder).code == 0
    assert call("choose", copy.file.name, cwd=copy.web.folder).code == 0
    topics.write_text(topics.read_text().replace("wheat", "barley"))
    done = call("choose", copy.file.name, cwd=copy.web.folder)
    assert (done.code, done.errors) == (5, [refused("explore")])


def test_a_damaged_choice_is_told(copy: Finished, call: Call) -> None:
    assert call("choose", copy.file.name, cwd=copy.web.folder).code == 0
    path = copy.results / "choice.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 99}))
    done = call("report", str(copy.results), cwd=copy.web.folder)
    assert (done.code, len(done.errors)) == (5, 1)
    assert_names(done.errors[0], f"error: {path}: version 99", "only 9", "Fix: run `thresher choose` again")


def test_running_and_exploring_remove_a_choice_of_another_version(copy: Finished, call: Call) -> None:
    path = copy.results / "choice.json"
    for verb in ("explore", "run"):
        path.write_text(json.dumps({"format": "thresher-choice", "version": 6}))
        done = call(verb, copy.file.name, cwd=copy.web.folder)
        assert (done.code, done.errors) == (0, [])
        assert "version 6 is not known, only 9: the earlier choice is removed" in done.err
        assert not path.exists()
