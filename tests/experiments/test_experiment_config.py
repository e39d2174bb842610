"""Experiment files: every problem at once, each on its line, and nothing that is wrong gets through."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import MISSING, asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped import shipped_experiment

from thresher.base.defaults import DEFAULT_MEASURES
from thresher.base.errors import ConfigError, ConfigErrors, InputError
from thresher.base.processes import Backend
from thresher.cleaners.registry import scorers
from thresher.collections.interface import IdRule, JsonFields, ReadOptions
from thresher.evaluation.non_inferiority import Margin
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.config import Experiment, load_experiment
from thresher.experiments.locations import CatalogueId, TopicSource
from thresher.experiments.problems import Problems, read_document
from thresher.experiments.schema import CostsTable, tables
from thresher.experiments.variants import read_cutoffs
from thresher.scores.limits import Limits

ROOT = Path(__file__).parents[2]


def about(table: str, key: str) -> str:
    return tables()[table].keys[key].meaning


HEAD = """[experiment]
name = "small"

[collection]
path = "pages"

[topics]
path = "topics.tsv"

[qrels]
path = "qrels.txt"
"""
# The first line after HEAD.
NEXT = HEAD.count("\n") + 1

Load = Callable[[str], Experiment]
Fail = Callable[[str], list[str]]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    (tmp_path / "pages").mkdir()
    (tmp_path / "topics.tsv").write_text("1\toats\n")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")

    def load(text: str) -> Experiment:
        (tmp_path / "small.toml").write_text(text, encoding="utf-8")
        return load_experiment(tmp_path / "small.toml")

    return load


@pytest.fixture
def fail(load: Load, tmp_path: Path) -> Fail:
    """Return the problems of a file as `line: message`, the line 0 for the file as a whole."""

    def fail(text: str) -> list[str]:
        with pytest.raises(ConfigErrors) as caught:
            load(text)
        file = str(tmp_path / "small.toml")
        shown = []
        for line in caught.value.lines():
            assert line.startswith(file + ":")
            number, colon, rest = line.removeprefix(file + ":").partition(": ")
            shown.append(f"{number}: {rest}" if colon and number.isdigit() else f"0:{line.removeprefix(file + ':')}")
        return shown

    return fail


def test_the_least_file_has_all_defaults(load: Load, tmp_path: Path) -> None:
    found = load(HEAD)
    assert (found.name, found.title) == ("small", "small")
    assert found.collection.location == tmp_path / "pages"
    assert found.topics == TopicSource(tmp_path / "topics.tsv", tmp_path / "qrels.txt", "title")
    assert found.held_out is None
    assert [variant.name for variant in found.variants] == ["none"]
    assert (found.collection.format, found.collection.reading) == ("", ReadOptions(IdRule(), 16 * 2**20, JsonFields()))
    assert found.collection.limits == Limits(30.0, 16.0)
    assert (found.pages.blocks, found.pages.language) == ("join", "en")
    assert (found.index.positions, found.index.stored, found.index.vectors) == (False, False, False)
    assert (found.index.stemmer, found.index.stopwords, found.index.lengths) == ("porter", True, False)
    assert [model.name for model in found.retrieval.models] == ["qld"]
    assert (found.retrieval.depth, found.evaluation.seed, found.evaluation.measures) == (
        1000,
        0,
        tuple(DEFAULT_MEASURES),
    )
    assert found.measure_seconds == 60.0
    assert found.costs == CostsTable(0.341, "", "", 0.0, 0.0, 0, 1, 1.0)
    assert found.backend == Backend("local", os.cpu_count() or 1, "")
    assert found.scorers == ()


def test_a_full_file(load: Load, tmp_path: Path) -> None:
    found = load(
        HEAD.replace('name = "small"', 'name = "small"\ntitle = "Small\u2028 [web]"').replace(
            'path = "pages"',
            'path = "pages"\nids = "stem"\nprefix = "a/b"\nkeep_suffix = true\nescape_ids = true\n'
            "id_pattern = '-0+(\\d)'\nid_replacement = '-\\1'\nmax_page_mib = 2\npage_seconds = 0.5\n"
            "format = 'jsonl'\nid_field = 'docno'\nhtml_field = ['page.html', 'html']",
        )
        + """
[pages]
blocks = "split"
language = "de"
[[sweep]]
scorer = "words"
cutoffs = [3, 5.5, 1e1]
[[sweep]]
scorer = "perplexity(headings=keep)"
cutoffs = { from = 1000, to = 3000, step = 1000 }
[cleaners]
names = ["density@8", "words@5 + density(headings=keep)@10"]
[index]
positions = true
stemmer = "krovetz"
[retrieval]
models = ["qld(exact)", "bm25(k1=1.2)"]
depth = 10
[evaluation]
measures = ["P@5", "AP"]
seed = 7
correction = "none"
alpha = 0.1
[choose]
emptied = 0
deciding = ["P@5"]
margin = "0.02"
alpha = 0.1
families = ["none | dcp", "words"]
[costs]
carbon_intensity = 0
tdp_watts = 15
cores = 2
machines = 15
pue = 1.58
region = "Galicia"
date = "2026-11"
[measure]
seconds = 0.5
[run]
workers = 3
backend = "dask"
scheduler = "tcp://head:8786"
[held_out]
topics = "topics.tsv"
qrels = "pages"
field = "desc"
column = "credibility"
"""
    )
    assert found.title == "Small\u2028 [web]"
    assert found.held_out == TopicSource(tmp_path / "topics.tsv", tmp_path / "pages", "desc", "credibility")
    assert found.backend == Backend("dask", 3, "tcp://head:8786")
    assert found.collection.format == "jsonl"
    assert found.collection.reading.rule == IdRule("stem", "a/b", True, True, "-0+(\\d)", "-\\1")
    assert found.collection.reading.fields == JsonFields(("docno",), ("page.html", "html"), ("contents",), ("url",))
    assert found.collection.reading.max_bytes == 2 * 2**20
    assert found.collection.limits == Limits(0.5, 2.0)
    assert [(variant.name, variant.sweep, variant.cutoff) for variant in found.variants] == [
        ("none", None, None),
        ("words@3", "words", 3.0),
        ("words@5.5", "words", 5.5),
        ("words@10", "words", 10.0),
        ("perplexity(lm=books,headings=keep)@1000", "perplexity(lm=books,headings=keep)", 1000.0),
        ("perplexity(lm=books,headings=keep)@2000", "perplexity(lm=books,headings=keep)", 2000.0),
        ("perplexity(lm=books,headings=keep)@3000", "perplexity(lm=books,headings=keep)", 3000.0),
        ("density@8", None, None),
        ("words@5+density(headings=keep)@10", None, None),
    ]
    assert [scorer.canonical_name for scorer in found.scorers] == ["density", "perplexity(lm=books)", "words"]
    assert (found.index.positions, found.index.stemmer, found.index.lengths) == (True, "krovetz", True)
    assert [model.name for model in found.retrieval.models] == ["qld(exact)", "bm25(k1=1.2)"]
    assert (found.retrieval.depth, found.evaluation.measures, found.evaluation.seed) == (10, ("P@5", "AP"), 7)
    assert (found.evaluation.correction, found.evaluation.alpha) == ("none", 0.1)
    assert found.criteria == ChoiceCriteria(Margin(0.02, relative=False), 0.1, 0.0, ("none|dcp", "words"), ("P@5",))
    assert found.measure_seconds == 0.5
    assert found.costs == CostsTable(0.0, "Galicia", "2026-11", 15.0, 0.0, 2, 15, 1.58)


def test_a_machine_has_a_tdp_or_measured_power(load: Load, fail: Fail) -> None:
    assert load(HEAD + "[costs]\nmeasured_watts = 120\n").costs.measured_watts == 120.0
    assert fail(HEAD + "[costs]\ntdp_watts = 65\nmeasured_watts = 120\n") == [
        f"{NEXT + 2}: a machine has either its TDP or its measured power. Fix: leave one of them out."
    ]


def test_every_wrong_key_is_told_at_once_with_its_line(fail: Fail) -> None:
    text = """[experiment]
name = "no/folder"
titel = "x"

[colection]
path = "x"

[collection]
path = "nowhere"
ids = "stme"
keep_suffix = 1
max_page_mib = 0

[topics]
path = 7

[pages]
blocks = [
  "join",  # a list
]

[[sweep]]
cutoffs = [1, true]

[retrieval]
depth = true

[evaluation]
seed = 1.5

[pruning]
statistics = "guess"

[run]
workers = -1
"""
    assert fail(text) == [
        "0: the table [qrels] is missing. Fix: add [qrels] with path.",
        "3: unknown key 'titel' in [experiment]. Fix: write 'title'.",
        "5: unknown table [colection]. Fix: write 'collection'.",
        "10: 'ids' cannot be 'stme'. Fix: use one of path, stem, address, record.",
        f"11: 'keep_suffix' is a whole number. Fix: give true or false: {about('collection', 'keep_suffix')}.",
        "12: 'max_page_mib' is out of range: 0. Fix: choose a value of at least 0.001.",
        f"15: 'path' is a whole number. Fix: give a text: {about('topics', 'path')}.",
        f"18: 'blocks' is a list. Fix: give a text: {about('pages', 'blocks')}.",
        f"22: [sweep] has no 'scorer'. Fix: add scorer: {about('sweep', 'scorer')}.",
        f"26: 'depth' is true or false. Fix: give a whole number: {about('retrieval', 'depth')}.",
        f"29: 'seed' is a number. Fix: give a whole number: {about('evaluation', 'seed')}.",
        "32: 'statistics' cannot be 'guess'. Fix: use one of original, pruned.",
        "35: 'workers' is out of range: -1. Fix: choose a value of at least 0.",
    ]


def test_a_wrong_key_hides_no_problem_of_others(fail: Fail, tmp_path: Path) -> None:
    text = """experiment = { name = "no/folder", titel = "x" }
collection = { path = "nowhere" }
topics = { path = "x" }
qrels = { path = "y" }
cleaners = { names = ["wrods@2"] }
retrieval = { depth = 0, models = ["qlx"] }
sweep = [ { scorer = "words", cutoffs = "x" } ]
run = { workers = -1 }
"""
    found = fail(text)
    assert [line.partition(". Fix")[0].replace(f"{tmp_path}/", "") for line in found] == [
        "1: unknown key 'titel' in [experiment]",
        "1: the name 'no/folder' cannot name a folder",
        "2: there is no nowhere",
        "3: there is no x",
        "4: there is no y",
        "5: unknown scorer 'wrods'",
        "6: 'depth' is out of range: 0",
        "6: there is no such retrieval model",
        "7: 'cutoffs' is a text",
        "8: 'workers' is out of range: -1",
    ]


def test_what_right_keys_say_is_looked_at_all_at_once(fail: Fail, tmp_path: Path) -> None:
    text = """[experiment]
name = "no/folder"

[collection]
path = "nowhere"
id_pattern = "("

[topics]
path = "topics.tsv"

[qrels]
path = "qrels.txt"

[[sweep]]
scorer = "wrods"
cutoffs = []

[[sweep]]
scorer = "words@3"
cutoffs = { from = 5, to = 1 }

[[sweep]]
scorer = "words"
cutoffs = [1, true]

[[sweep]]
scorer = "words"
cutoffs = [3, -1, 3]

[cleaners]
names = [
    "words@3",
    "words",
]

[retrieval]
models = ["qld", "lm", "qld"]

[evaluation]
measures = []
"""
    assert fail(text) == [
        "2: the name 'no/folder' cannot name a folder. Fix: use letters, digits, `.`, `_` and `-`.",
        f"5: there is no {tmp_path}/nowhere. Fix: correct the path, which is relative to the experiment file.",
        "6: this is not a regular expression with its replacement (missing ), unterminated subpattern at position 0). "
        "Fix: correct it.",
        f"15: unknown scorer 'wrods'. Fix: write words, or use one of {', '.join(scorers())}.",
        "16: there is no cutoff. Fix: list at least one.",
        "19: the scorer 'words@3' of a sweep has a cutoff. Fix: list the cutoffs under `cutoffs`.",
        "20: the range 5 to 1 by 1 has no cutoffs or more than 1000. Fix: write { from = 1, to = 100, step = 1 }.",
        f"24: {NONE}",
        "26: the variant 'words@3' occurs twice. Fix: leave one out.",
        "28: the cutoff of 'words' is out of range: -1. Fix: choose a value of at least 0.",
        "31: the cleaner 'words' has no cutoff. Fix: write one, such as words@11.",
        "31: the variant 'words@3' occurs twice. Fix: leave one out.",
        "37: there is no such retrieval model. Fix: use qld, qld(mu=1000), qld(exact), qld(exact,mu=1000), bm25, "
        "bm25(b=0.3,k1=1.2) or classic.",
        "37: the retrieval model 'qld' is listed twice. Fix: list it once.",
        "40: there is no measure. Fix: list at least one.",
    ]


@pytest.mark.parametrize(
    ("addition", "problem"),
    [
        ("[sweep]\nscorer = 'words'", "0: [sweep] is not an array of tables. Fix: write [[sweep]]."),
        ("[zzz]\n", "0: unknown table [zzz]. Fix: use one of " + ", ".join(tables()) + "."),
        ("[run]\nzzz = 1", "1: unknown key 'zzz' in [run]. Fix: use one of workers, backend, scheduler."),
        ("[run]\nworker = 1", "1: unknown key 'worker' in [run]. Fix: write 'workers'."),
        (
            "[run]\nworkers = 2024-01-01",
            f"1: 'workers' is date. Fix: give a whole number: {about('run', 'workers')}.",
        ),
        (
            "[run]\nworkers = inf",
            f"1: 'workers' is a number. Fix: give a whole number: {about('run', 'workers')}.",
        ),
        (
            "[run]\nscheduler = 'tcp://head:8786'",
            '1: only the backend dask has a scheduler. Fix: write backend = "dask".',
        ),
        (
            "[run]\nbackend = 'dask'",
            "1: dask has no scheduler. Fix: give the address of one in `scheduler`.",
        ),
        ("[run]\nbackend = 'ray'", "1: 'backend' cannot be 'ray'. Fix: use one of local, dask."),
        ("[run]\nworkers = 1001", "1: 'workers' is out of range: 1001. Fix: choose a value of at most 1000."),
        (
            "[costs]\ntdp_watts = '85'",
            f"1: 'tdp_watts' is a text. Fix: give a whole number or a number: {about('costs', 'tdp_watts')}.",
        ),
        ("[costs]\ntdp_watts = nan", "1: 'tdp_watts' is out of range: nan. Fix: choose a value of at least 0."),
        (
            "[costs]\ncarbon_intensity = inf",
            "1: 'carbon_intensity' is out of range: inf. Fix: choose a value of at most 1e+12.",
        ),
        (
            f"[costs]\ncarbon_intensity = 1{'0' * 400}",
            "1: 'carbon_intensity' is out of range: 10000000000000000000. Fix: choose a value of at most 1e+12.",
        ),
        ("[retrieval]\ndepth = 0", "1: 'depth' is out of range: 0. Fix: choose a value of at least 1."),
        ("[retrieval]\nmodels = []", "1: there is no retrieval model. Fix: list at least one."),
        (
            "[retrieval]\nmodels = ['qld', 7]",
            f"1: an item of 'models' is not a text. Fix: give a list of {about('retrieval', 'models')}.",
        ),
        ("[evaluation]\nmeasures = ['AP', 'AP']", "1: the measure 'AP' is listed twice. Fix: list it once."),
        (
            "[choose]\ndeciding = ['RR']",
            "1: 'RR' is none of the experiment's measures. Fix: use one of P@5, P@10, AP, nDCG(dcg='exp-log2')@10.",
        ),
        (
            "[evaluation]\nmeasures = ['AP', 'Judged@10']\n[choose]\ndeciding = ['Judged@10']",
            "3: 'Judged@10' is none of the experiment's measures. Fix: use one of AP.",
        ),
        (
            "[evaluation]\ncorrection = 'bonferroni'",
            "1: 'correction' cannot be 'bonferroni'. Fix: use one of holm, none.",
        ),
        (
            "[evaluation]\nalpha = 0",
            "1: 'alpha' is out of range: 0. Fix: choose a value of more than 0 and less than 1.",
        ),
        (
            "[evaluation]\nalpha = 1.0",
            "1: 'alpha' is out of range: 1.0. Fix: choose a value of more than 0 and less than 1.",
        ),
        (
            "[evaluation]\nalpha = nan",
            "1: 'alpha' is out of range: nan. Fix: choose a value of more than 0 and less than 1.",
        ),
        ("[choose]\nemptied = 1.5", "1: 'emptied' is out of range: 1.5. Fix: choose a value of at most 1."),
        (
            "[choose]\nalpha = 0.5",
            "1: 'alpha' is out of range: 0.5. Fix: choose a value of more than 0 and less than 0.5.",
        ),
        (
            "[choose]\nmargin = '100%'",
            "1: '100%' is not a margin. Fix: write a share above 0% and below 100%, such as 5%, or a number between 0 and 1.",
        ),
        ("[choose]\nfamilies = []", "1: there is no family. Fix: list at least one."),
        (
            "[choose]\nfamilies = ['words@5']",
            "1: 'words@5' is no sweep. Fix: name one without its cutoff, such as words or none|dcp.",
        ),
        (
            "[choose]\nfamilies = ['none|tcp(model=bm25)', 'none|tcp']",
            "1: the family 'none|tcp(k=10,model=bm25)' is listed twice. Fix: list it once.",
        ),
        ("[cleaners]\nnames = ['none']", "1: the variant 'none' occurs twice. Fix: leave one out."),
        (
            "[cleaners]\nnames = [\n'words@5',\n'words@5.0']",
            "1: the variant 'words@5' occurs twice. Fix: leave one out.",
        ),
        ("[cleaners]\nnames = 'words@5'", f"1: 'names' is a text. Fix: give a list: {about('cleaners', 'names')}."),
        ("[index]\nstemmer = 'Porter'", "1: 'stemmer' cannot be 'Porter'. Fix: use one of porter, krovetz, none."),
        (
            "[index]\nstopwords = 0",
            f"1: 'stopwords' is a whole number. Fix: give true or false: {about('index', 'stopwords')}.",
        ),
    ],
)
def test_one_problem(fail: Fail, addition: str, problem: str) -> None:
    number, _, message = problem.partition(": ")
    assert fail(HEAD + addition + "\n") == [f"{NEXT + int(number)}: {message}"]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("''", "'id_field' names no field. Fix: give a name or a list of names."),
        ("[]", "'id_field' names no field. Fix: give a name or a list of names."),
        ("['id', '']", "'id_field' names no field. Fix: give a name or a list of names."),
        (
            "['id', 1]",
            f"an item of 'id_field' is not a text. Fix: give a list of {about('collection', 'id_field')}.",
        ),
        (
            "1",
            f"'id_field' is a whole number. Fix: give a text or a list: {about('collection', 'id_field')}.",
        ),
    ],
)
def test_names_of_fields_that_are_none(fail: Fail, value: str, problem: str) -> None:
    assert fail(HEAD.replace('path = "pages"', f'path = "pages"\nid_field = {value}')) == [f"6: {problem}"]


def test_a_page_may_not_take_for_ever(fail: Fail) -> None:
    for value in ("inf", "nan", "1e7"):
        (problem,) = fail(HEAD.replace('path = "pages"', f'path = "pages"\npage_seconds = {value}'))
        assert problem.startswith("6: 'page_seconds' is out of range: ")


def test_a_table_that_is_a_value(fail: Fail) -> None:
    assert fail("run = 3\n" + HEAD) == ["1: 'run' is not a table. Fix: write [run]."]
    assert fail("sweep = [1]\n" + HEAD) == ["1: [sweep] is not an array of tables. Fix: write [[sweep]]."]


@pytest.mark.parametrize(
    ("addition", "facts"),
    [
        ('[[system]]\nname = "s"\npath = "a.trec"\nbyte = 5', ["unknown key 'byte' in [system]", "'bytes'"]),
        ('[[system]]\nname = "s"', ["[system] has no 'path'", "add path"]),
        ('[[system]]\nname = "s"\npath = "a.trec"\nbytes = -1', ["'bytes'"]),
        ('[[text]]\nname = "s"', ["[text] has no 'path'", "add path"]),
        ('[[vectors]]\nname = "s"\npath = "a.npy"', ["the table [vectors] was removed", "leave it out"]),
    ],
)
def test_a_mistake_in_one_table_of_an_array_is_said(fail: Fail, addition: str, facts: list[str]) -> None:
    problem, *_ = fail(HEAD + addition)
    assert [fact for fact in facts if fact not in problem] == []


def test_an_empty_file_lacks_the_tables_that_must_be_there(fail: Fail) -> None:
    assert fail("") == [
        "0: the table [experiment] is missing. Fix: add [experiment] with name.",
        "0: the table [collection] is missing. Fix: add [collection] with path.",
        "0: the table [topics] is missing. Fix: add [topics] with path.",
        "0: the table [qrels] is missing. Fix: add [qrels] with path.",
    ]


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1\nb 2\n", 2), ("[a]\n[a]\n", 2), ("a = 1\n\nb = [1,\n", 3), ("a = 'x\n", 1)]
)
def test_broken_toml_has_its_line(fail: Fail, text: str, line: int) -> None:
    # What Python says of it differs from release to release.
    (problem,) = fail(text)
    assert problem.startswith(f"{line}: this is not TOML: ")
    assert problem.endswith(". Fix: correct the line.")
    assert "(at " not in problem


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_experiment(tmp_path / "none.toml")
    assert str(caught.value) == f"{tmp_path / 'none.toml'}: there is no such file or folder. Fix: check the path."


def test_scorers_that_decide_are_cleaners_and_no_sweeps(load: Load, fail: Fail) -> None:
    found = load(HEAD + "[cleaners]\nnames = ['bte', 'boilerpipe(filter=main)+words@5']\n").variants[1:]
    assert [(variant.name, variant.sweep, variant.cutoff) for variant in found] == [
        ("bte", None, None),
        ("boilerpipe(rules=words,filter=main)+words@5", None, None),
    ]
    text = "[[sweep]]\nscorer = 'bte'\ncutoffs = [1]\n[cleaners]\nnames = ['bte@2', 'bte', 'bte']\n"
    assert fail(HEAD + text) == [
        f"{NEXT + 1}: the scorer 'bte' of a sweep decides by itself and has no cutoffs. Fix: name it under [cleaners].",
        f"{NEXT + 4}: 'bte' decides by itself and has no cutoff. Fix: write bte.",
        f"{NEXT + 4}: the variant 'bte' occurs twice. Fix: leave one out.",
    ]


def test_models_are_looked_for_before_anything_runs(fail: Fail) -> None:
    name = "ncleaner(model=no/such.ncleaner)"
    fix = "Fix: use standard, nonlexical or the path of a file that `thresher ncleaner train` wrote."
    text = f"[[sweep]]\nscorer = '{name}'\ncutoffs = [1]\n[cleaners]\nnames = ['{name}@0']\n"
    assert fail(HEAD + text) == [
        f"{NEXT + 1}: there is no NCleaner model 'no/such.ncleaner'. {fix}",
        f"{NEXT + 4}: there is no NCleaner model 'no/such.ncleaner'. {fix}",
    ]


SWEEP = "[[sweep]]\nscorer = 'density'\ncutoffs = {}\n"


@pytest.mark.parametrize(
    ("cutoffs", "values"),
    [
        ("{ from = 1, to = 5 }", [1, 2, 3, 4, 5]),
        ("{ from = 0.1, to = 1, step = 0.1 }", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        ("{ from = 0.7, to = 2.1, step = 0.7 }", [0.7, 1.4, 2.1]),
        ("{ from = 1, to = 2, step = 0.3 }", [1, 1.3, 1.6, 1.9]),
        ("{ from = 4, to = 4 }", [4]),
        ("{ from = 4, to = 9, step = 10 }", [4]),
        ("{ from = 0, to = 999 }", list(range(1000))),
        ("[10, 2.5, 0]", [10, 2.5, 0]),
    ],
)
def test_cutoffs(load: Load, cutoffs: str, values: list[float]) -> None:
    assert [variant.cutoff for variant in load(HEAD + SWEEP.format(cutoffs)).variants[1:]] == values


@given(st.integers(0, 300), st.integers(1, 40), st.integers(1, 60))
def test_ranges_of_tenths_are_tenths(first: int, step: int, count: int) -> None:
    last = first + step * (count - 1)
    value = tomllib.loads(f"x = {{ from = {first / 10}, to = {last / 10}, step = {step / 10} }}")["x"]
    assert read_cutoffs(value) == [(first + step * index) / 10 for index in range(count)]


def test_percentiles_are_a_sweep_of_their_own(load: Load) -> None:
    sweeps = SWEEP.format("['p10', 'p2.50', 'p99']") + SWEEP.format("[10, 2.5]")
    variants = load(HEAD + sweeps).variants[1:]
    assert [(variant.name, variant.sweep, variant.cutoff) for variant in variants] == [
        ("density@p10", "density@p", 10.0),
        ("density@p2.5", "density@p", 2.5),
        ("density@p99", "density@p", 99.0),
        ("density@10", "density", 10.0),
        ("density@2.5", "density", 2.5),
    ]
    assert [variant.cleaner.cuts[0].cutoff for variant in variants] == [None, None, None, 10.0, 2.5]


def test_quotas_are_a_sweep_of_their_own(load: Load) -> None:
    sweeps = SWEEP.format("['doc25', 'doc12.50', 'doc100']") + SWEEP.format("[25]") + SWEEP.format("['p25']")
    variants = load(HEAD + sweeps).variants[1:]
    assert [(variant.name, variant.sweep, variant.cutoff) for variant in variants] == [
        ("density@doc25", "density@doc", 25.0),
        ("density@doc12.5", "density@doc", 12.5),
        ("density@doc100", "density@doc", 100.0),
        ("density@25", "density", 25.0),
        ("density@p25", "density@p", 25.0),
    ]


QUOTA = "Fix: choose one above 0 and up to 100, the per cent of each page's words to keep."


def test_pruning_methods_have_sweeps_alone_behind_a_cleaner_and_behind_each_cutoff_of_a_scorer(load: Load) -> None:
    text = """
[[sweep]]
scorer = "none|dcp"
cutoffs = [0.5, 0.25]
[[sweep]]
scorer = " words@5 | tcp(k=3) "
cutoffs = { from = 0.5, to = 1, step = 0.5 }
[[sweep]]
scorer = "density|dcp"
cleaner_cutoffs = [10, 12]
cutoffs = [0.5]
[cleaners]
names = ["words(headings=keep)@11|dcp@0.3"]
[pruning]
statistics = "pruned"
combined = 3
"""
    experiment = load(HEAD + text)
    assert [(variant.name, variant.sweep, variant.cutoff) for variant in experiment.variants] == [
        ("none", None, None),
        ("none|dcp@0.5", "none|dcp", 0.5),
        ("none|dcp@0.25", "none|dcp", 0.25),
        ("words@5|tcp(k=3,model=bm25)@0.5", "words@5|tcp(k=3,model=bm25)", 0.5),
        ("words@5|tcp(k=3,model=bm25)@1", "words@5|tcp(k=3,model=bm25)", 1),
        ("density@10|dcp@0.5", "density|dcp", 0.5),
        ("density@12|dcp@0.5", "density|dcp", 0.5),
        ("words(headings=keep)@11|dcp@0.3", None, None),
    ]
    combined = [variant.cleaner_cutoff for variant in experiment.variants if variant.cleaner_cutoff is not None]
    assert combined == [10, 12]
    assert [scorer.name for scorer in experiment.scorers] == ["density", "words"]
    assert (experiment.pruning.original_statistics, experiment.pruning.combined) == (False, 3)
    assert load(HEAD).pruning.original_statistics


@pytest.mark.parametrize(
    ("sweep", "line", "facts"),
    [
        ("scorer = 'dcp|words'\ncutoffs = [1]", 1, ["'dcp' is a pruning method", "words|dcp"]),
        ("scorer = 'none|dcp@0.5'\ncutoffs = [1]", 1, ["has a cutoff", "`cutoffs`"]),
        ("scorer = 'none|dcp'\ncutoffs = [0.5, 2]", 2, ["'dcp'", "out of range: 2"]),
        ("scorer = 'none|tcp(k=0)'\ncutoffs = [1]", 1, ["'k'", "0"]),
        ("scorer = 'none|tcp'\ncutoffs = [-0.1]", 2, ["'tcp'", "out of range: -0.1"]),
        ("scorer = 'none|dcp'\ncutoffs = ['p50']", 1, ["percentiles", "numbers"]),
        ("scorer = 'words|dcp'\ncutoffs = [1]", 1, ["'words' has no cutoff", "words@"]),
        ("scorer = 'words@3|dcp'\ncutoffs = [1]\ncleaner_cutoffs = [3]", 1, ["'words@3' of a sweep has a cutoff"]),
        ("scorer = 'words'\ncutoffs = [1]\ncleaner_cutoffs = [3]", 3, ["no pruning method", "words|dcp"]),
        ("scorer = 'none|words'\ncutoffs = [1]", 1, ["unknown pruning method 'words'", "dcp"]),
        ("scorer = 'none|pca'\ncutoffs = [64]", 1, ["'pca' was removed", "leave it out"]),
    ],
)
def test_wrong_sweeps_over_pruning_methods_are_problems(fail: Fail, sweep: str, line: int, facts: list[str]) -> None:
    (problem,) = fail(HEAD + f"[[sweep]]\n{sweep}\n")
    assert problem.startswith(f"{NEXT + line}: ")
    for fact in facts:
        assert fact in problem


def test_unknown_languages_and_formats_of_datasets_are_problems_at_once(fail: Fail) -> None:
    text = HEAD.replace('"pages"', '"ir_datasets:vaswani"\nformat = "text"') + '[pages]\nlanguage = "xx"\n'
    first, second = fail(text)
    assert first.startswith("6: documents of ir_datasets have their own format")
    assert second.startswith(f"{NEXT + 2}: there is no language code 'xx'")


@pytest.mark.parametrize("values", ["name = {}\npath = 'pages'", "name = 'x'\npath = []", "name = [1]\npath = 3", ""])
def test_systems_of_wrong_types_are_problems(fail: Fail, values: str) -> None:
    """Found by fuzzing: the first two ended in a TypeError."""
    problems = fail(HEAD + f"[[system]]\n{values}\n")
    assert problems
    assert all(int(problem.split(":")[0]) >= NEXT for problem in problems)


def test_systems_without_names_are_problems(fail: Fail) -> None:
    (problem,) = fail(HEAD + "[[system]]\nname = ' '\npath = 'pages'\n")
    assert problem == f"{NEXT + 1}: the name is empty. Fix: name the system."


def test_pruned_indexes_hold_no_positions_texts_or_vectors(fail: Fail) -> None:
    options = "[index]\npositions = true\nstored = true\nvectors = true\n"
    problems = fail(HEAD + options + "[cleaners]\nnames = ['none|dcp@0.5']\n")
    assert [problem.split(":")[0] for problem in problems] == [str(NEXT + line) for line in (1, 2, 3)]
    for problem, option in zip(problems, ("positions", "stored", "vectors"), strict=True):
        assert f"{option} = true" in problem


MIXED = "the cutoffs mix numbers, percentiles and quotas, or two kinds of percentiles. Fix: make a sweep of each kind."
NONE = (
    "a cutoff is not a finite number, percentile or quota. "
    'Fix: list numbers, percentiles such as "p70" or quotas such as "doc50".'
)


@pytest.mark.parametrize(
    ("scorer", "cutoffs", "problem"),
    [
        ("density", "['p10', 20]", MIXED),
        ("perplexity", "['p10', 'r20']", MIXED),
        ("density", "['doc10', 20]", MIXED),
        ("density", "['doc10', 'p10']", MIXED),
        ("density", "['docx']", NONE),
        ("density", "['doc']", NONE),
        ("density", "['doc0']", f"the quota of 'density' is out of range: 0. {QUOTA}"),
        ("density", "['doc101']", f"the quota of 'density' is out of range: 101. {QUOTA}"),
        ("density", "['70']", NONE),
        ("density", "['p']", NONE),
        ("density", "['p10', 'ten']", NONE),
        ("density", "['p10', true]", NONE),
        ("density", "['p0']", "the percentile of 'density' is out of range: 0. Fix: choose one above 0 and below 100."),
        (
            "density",
            "['p100']",
            "the percentile of 'density' is out of range: 100. Fix: choose one above 0 and below 100.",
        ),
        (
            "density",
            "['r70']",
            "the scorer 'density' has no reference text, so r70 means nothing. "
            "Fix: write p70, a percentile of the collection.",
        ),
        (
            "perplexity",
            "['r70']",
            "the language model 'books' has no percentiles of a reference text. Fix: take one that "
            "`thresher lm train` wrote, "
            "or a percentile of the collection, such as p70.",
        ),
    ],
)
def test_percentiles_that_are_none(fail: Fail, scorer: str, cutoffs: str, problem: str) -> None:
    text = SWEEP.format(cutoffs).replace("'density'", f"'{scorer}'")
    assert fail(HEAD + text) == [f"{NEXT + 2}: {problem}"]


RANGE = "this is not a range of cutoffs. Fix: write { from = 1, to = 100, step = 1 }."


@pytest.mark.parametrize(
    ("cutoffs", "problem"),
    [
        ("{ from = 1 }", RANGE),
        ("{ from = 1, to = 2, stop = 3 }", RANGE),
        ("{ from = 1, to = '2' }", RANGE),
        ("{ from = true, to = 2 }", RANGE),
        ("{ from = nan, to = 2 }", RANGE),
        ("{ from = 1, to = inf }", RANGE),
        ("{ from = 1, to = 2, step = nan }", RANGE),
        (f"{{ from = 1, to = 1{'0' * 400} }}", RANGE),
        ("[nan]", NONE),
        ("[1, inf]", NONE),
        (f"[1{'0' * 400}]", NONE),
        ("['5']", NONE),
        (
            "5",
            "'cutoffs' is a whole number. Fix: give a list or a table: "
            'a list of numbers, of percentiles such as "p70" or of quotas such as "doc50", '
            "or { from = 1, to = 100, step = 1 }.",
        ),
        (
            "{ from = 1, to = 2, step = 0 }",
            "the range 1 to 2 by 0 has no cutoffs or more than 1000. Fix: write { from = 1, to = 100, step = 1 }.",
        ),
        (
            "{ from = 1, to = 1001 }",
            "the range 1 to 1001 by 1 has no cutoffs or more than 1000. Fix: write { from = 1, to = 100, step = 1 }.",
        ),
    ],
)
def test_cutoffs_that_are_none(fail: Fail, cutoffs: str, problem: str) -> None:
    assert fail(HEAD + SWEEP.format(cutoffs)) == [f"{NEXT + 2}: {problem}"]


def test_the_column_of_qrels(load: Load, fail: Fail) -> None:
    assert load(HEAD + "column = 'effectiveness'\n").topics.column == "effectiveness"
    assert fail(HEAD + "column = 'grade'\n") == [
        f"{NEXT}: 'column' cannot be 'grade'. Fix: use one of relevance, effectiveness, credibility."
    ]


def test_a_range_may_be_a_table_of_its_own(load: Load, fail: Fail) -> None:
    text = HEAD + "[[sweep]]\nscorer = 'words'\n[sweep.cutoffs]\nfrom = 1\nto = 2\n"
    assert [variant.name for variant in load(text).variants] == ["none", "words@1", "words@2"]
    assert fail(text + "step = 0\n")[0].startswith(f"{NEXT + 2}: the range 1 to 2 by 0 ")


def test_environment_variables_in_paths(
    load: Load, fail: Fail, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def text(path: str) -> str:
        return HEAD.replace('path = "pages"', f'path = "{path}"')

    monkeypatch.setenv("THRESHER_TEST", str(tmp_path))
    assert load(text("${THRESHER_TEST}/pages")).collection.location == tmp_path / "pages"
    assert load(text("${THRESHER_TEST:-/elsewhere}/pages")).collection.location == tmp_path / "pages"
    monkeypatch.setenv("THRESHER_TEST", "pages")
    assert load(text("${THRESHER_TEST}")).collection.location == tmp_path / "pages"
    for unset in (lambda: monkeypatch.setenv("THRESHER_TEST", ""), lambda: monkeypatch.delenv("THRESHER_TEST")):
        unset()
        assert load(text("${THRESHER_TEST:-pages}")).collection.location == tmp_path / "pages"
        assert load(text("${THRESHER_TEST:-}pages")).collection.location == tmp_path / "pages"
        assert fail(text("${THRESHER_TEST}/pages")) == [
            "5: the environment variable THRESHER_TEST is not set. Fix: set THRESHER_TEST to the folder it stands for."
        ]
    # A dollar without braces is part of a name.
    assert fail(text("$HOME")) == [
        f"5: there is no {tmp_path}/$HOME. Fix: correct the path, which is relative to the experiment file."
    ]


def test_paths_are_relative_to_the_file(load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(HEAD)
    (tmp_path / "deep").mkdir()
    text = (tmp_path / "small.toml").read_text().replace('path = "', 'path = "../')
    (tmp_path / "deep" / "small.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    found = load_experiment(Path("deep/small.toml"))
    assert found.collection.location == Path("pages")
    assert found.topics == TopicSource(Path("topics.tsv"), Path("qrels.txt"), "title")
    absolute = load(HEAD.replace('"topics.tsv"', f'"{tmp_path}/topics.tsv"'))
    assert absolute.topics.file == tmp_path / "topics.tsv"


CATALOGUE = HEAD.partition("[topics]")[0].replace('"pages"', '"ir_datasets:vaswani"')
FILES = TopicSource(Path("topics.tsv"), Path("qrels.txt"), "title")


@pytest.mark.parametrize(
    ("addition", "topics"),
    [
        ("", TopicSource(CatalogueId("vaswani"), CatalogueId("vaswani"), "title")),
        ("[topics]\nfield = 'desc'\n", TopicSource(CatalogueId("vaswani"), CatalogueId("vaswani"), "desc")),
        (
            "[topics]\npath = 'ir_datasets:a/b'\n",
            TopicSource(CatalogueId("a/b"), CatalogueId("a/b"), "title"),
        ),
        (
            "[qrels]\npath = 'ir_datasets:${THRESHER_TEST:-a}/b'\n",
            TopicSource(CatalogueId("vaswani"), CatalogueId("a/b"), "title"),
        ),
        (
            "[topics]\npath = 'topics.tsv'\n[qrels]\npath = 'qrels.txt'\n",
            FILES,
        ),
    ],
)
def test_the_catalogue_gives_what_is_left_out(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, addition: str, topics: TopicSource
) -> None:
    load(HEAD)
    monkeypatch.chdir(tmp_path)
    Path("catalogue.toml").write_text(CATALOGUE + addition)
    found = load_experiment(Path("catalogue.toml"))
    assert (found.collection.location, found.topics) == (CatalogueId("vaswani"), topics)
    assert str(found.collection.location) == found.collection.location.name == "ir_datasets:vaswani"


def test_what_the_catalogue_cannot_give(fail: Fail) -> None:
    qrels = "0: the table [qrels] is missing. Fix: add [qrels] with path."
    assert fail(CATALOGUE + "[topics]\npath = 'topics.tsv'\n") == [qrels]
    assert fail(CATALOGUE.replace("vaswani", " ")) == [
        f"{line}: 'ir_datasets:' has no id behind it. Fix: write one, such as ir_datasets:vaswani."
        for line in (0, 0, 5)
    ]
    assert fail(CATALOGUE + "[qrels]\ncolumn = 'credibility'\n") == [
        "8: qrels of ir_datasets have one grade here. Fix: use the column relevance."
    ]
    assert fail(CATALOGUE + "[topics]\nfields = 'x'\n") == ["8: unknown key 'fields' in [topics]. Fix: write 'field'."]


def test_held_out_topics_of_the_catalogue_bring_their_qrels(load: Load, fail: Fail, tmp_path: Path) -> None:
    web = "ir_datasets:clueweb12/b13/trec-web-2013"
    id = CatalogueId("clueweb12/b13/trec-web-2013")
    assert load(HEAD + f"[held_out]\ntopics = '{web}'\n").held_out == TopicSource(id, id, "title")
    assert load(HEAD + f"[held_out]\ntopics = '{web}'\nqrels = 'qrels.txt'\n").held_out == TopicSource(
        id, tmp_path / "qrels.txt", "title"
    )
    assert fail(HEAD + "[held_out]\ntopics = 'none.txt'\nqrel = 'none.txt'\n") == [
        f"{NEXT}: [held_out] has no 'qrels'. Fix: add qrels: {about('held_out', 'qrels')}.",
        f"{NEXT + 2}: unknown key 'qrel' in [held_out]. Fix: write 'qrels'.",
    ]
    assert fail(HEAD + "[held_out]\ntopics = 'none.txt'\nqrels = 'qrels.txt'\n") == [
        f"{NEXT + 1}: there is no {tmp_path}/none.txt. Fix: correct the path, which is relative to the experiment file.",
    ]
    assert fail(HEAD + "[held_out]\ntopics = './topics.tsv'\nqrels = 'qrels.txt'\nfield = 'query'\n") == [
        f"{NEXT + 1}: these are the topics that cutoffs are chosen on. Fix: give other topics or other qrels."
    ]
    assert fail(HEAD + "[held_out]\n") == [
        f"{NEXT}: [held_out] has no 'topics'. Fix: add topics: {about('held_out', 'topics')}.",
        f"{NEXT}: [held_out] has no 'qrels'. Fix: add qrels: {about('held_out', 'qrels')}.",
    ]


def test_the_error_for_a_missing_collection_says_how_to_make_it(tmp_path: Path) -> None:
    file = shipped_experiment("pydoc", tmp_path)
    (tmp_path / "collections" / "pydoc").rmdir()
    with pytest.raises(ConfigErrors, match=r"there is no .*/collections/pydoc. Fix: .*; make collections/pydoc."):
        load_experiment(file)


def test_the_digest_is_of_what_the_file_says_not_how(load: Load) -> None:
    same = HEAD.replace("[experiment]\n", "# a comment\n[experiment]\n\ntitle = ''\n") + "[retrieval]\ndepth = 1000\n"
    assert load(same).digest == load(HEAD).digest
    assert load(HEAD + "[retrieval]\ndepth = 999\n").digest != load(HEAD).digest


def test_every_key_is_explained_and_its_default_is_allowed() -> None:
    for table in tables().values():
        assert not table.required or any(key.default is MISSING for key in table.keys.values())
        for key in table.keys.values():
            assert key.meaning
            if key.default is not MISSING:
                assert (list if isinstance(key.default, tuple) else type(key.default)) in key.kinds
                assert not key.choices or key.default in key.choices
                assert key.bounds is None or key.bounds.low <= key.default <= key.bounds.high
    with pytest.raises(ConfigErrors) as caught:
        read_document({}, Problems(Path("x.toml"), {}))
    assert len(caught.value.problems) == sum(table.required for table in tables().values())
    document = read_document(GOOD, Problems(Path("x.toml"), {}))
    assert (document.sweep, document.held_out) == ((), None)
    for name, table in tables().items():
        if not table.many and name != "held_out":
            assert asdict(getattr(document, name)) == {
                key: GOOD[name][key] if declared.default is MISSING else declared.default
                for key, declared in table.keys.items()
            }


JUNK = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
SOME = st.recursive(
    JUNK.filter(lambda value: value is not None),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2),
    max_leaves=4,
)
GOOD = {
    name: {"name": "x"} if name == "experiment" else {"path": "x"} for name, table in tables().items() if table.required
}


@given(st.data())
def test_no_value_crashes_the_check(data: st.DataObject) -> None:
    """Any value at any key is taken or is a problem there, and never more."""
    name = data.draw(st.sampled_from([name for name, table in tables().items() if not table.many]))
    key = data.draw(st.sampled_from(list(tables()[name].keys)))
    value = data.draw(SOME)
    base = {"topics": "x", "qrels": "y"} if name == "held_out" else GOOD.get(name, {})
    declared = tables()[name].keys[key]
    wrong: Sequence[ConfigError] = ()
    problems = Problems(Path("x.toml"), {(name, key): 7})
    try:
        document = read_document({**GOOD, name: {**base, key: value}}, problems)
        problems.check()
    except ConfigErrors as error:
        wrong = error.problems
        assert [problem.where for problem in wrong] == ["x.toml:7"]
    else:
        json.dumps(asdict(document))
        assert getattr(getattr(document, name), key) == (tuple(value) if isinstance(value, list) else value)
    kind = type(value)
    fits = kind in declared.kinds and (not declared.choices or value in declared.choices)
    if (bounds := declared.bounds) and kind in (int, float):
        fits &= bounds.low < value < bounds.high if bounds.open else bounds.low <= value <= bounds.high
    fits &= not declared.of_texts or not isinstance(value, list) or all(isinstance(item, str) for item in value)
    assert fits == (not wrong)


def blogs06_topics(folder: Path) -> Path:
    """Files as the Blog Track's, of one topic."""
    (folder / "06.topics.851-900.txt").write_text(
        "<top>\n<num> Number: 851\n<title> March of the Penguins\n<desc> Description:\nOpinions.\n</top>\n"
    )
    (folder / "qrels.opinion.blog06.txt").write_text("851 0 BLOG06-20051206-000-0000000000 4\n")
    return folder


def test_the_grid_of_fig_7(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BLOGS06", str(tmp_path))
    monkeypatch.setenv("BLOGS06_TREC", str(blogs06_topics(tmp_path)))
    found = load_experiment(ROOT / "experiments" / "blogs06.toml")
    assert [variant.name for variant in found.variants] == [
        "none",
        *(f"words@{cutoff}" for cutoff in range(1, 101)),
        *(f"density(count=tokens)@{cutoff}" for cutoff in range(1, 21)),
        "bte",
    ]
    assert [model.name for model in found.retrieval.models] == ["classic"]


@pytest.mark.parametrize("file", sorted((ROOT / "experiments").glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_experiments_load(
    file: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CLUEWEB12_B13", str(tmp_path))
    if "THRESHER_DATA" in file.read_text(encoding="utf-8"):
        monkeypatch.setenv("THRESHER_DATA", str(request.getfixturevalue("shared_data")))
    monkeypatch.setenv("BLOGS06", str(tmp_path))
    monkeypatch.setenv("BLOGS06_TREC", str(blogs06_topics(tmp_path)))
    monkeypatch.chdir(tmp_path)
    for model in re.findall(r"lm=(models/[\w-]+)", file.read_text(encoding="utf-8")):
        Path(model).mkdir(parents=True)
        Path(model, "model.arpa").touch()
    found = load_experiment(shipped_experiment(file.stem, tmp_path))
    assert found.name == file.stem
    assert found.variants[0].name == "none"


def test_the_paper_grids(tmp_path: Path) -> None:
    def cutoffs(name: str) -> list[float | None]:
        return [variant.cutoff for variant in load_experiment(shipped_experiment(name, tmp_path)).variants[1:]]

    assert cutoffs("paper-perplexity") == [1000, *range(2000, 14001, 2000)]
    assert cutoffs("paper-words") == list(range(1, 101))
    assert cutoffs("paper-density") == list(range(1, 21))


def test_the_four_models_of_tables_2_and_3(shared_data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("THRESHER_DATA", str(shared_data))
    monkeypatch.setenv("CLUEWEB12_B13", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    models = [f"models/{order}-{corpus}" for order in ("bigrams", "trigrams") for corpus in ("cord19", "bnc")]
    for model in models:
        Path(model).mkdir(parents=True)
        Path(model, "model.arpa").touch()
    found = load_experiment(ROOT / "experiments" / "clueweb12-models.toml")
    assert [variant.name for variant in found.variants[1:]] == [
        f"perplexity(lm={model})@{cutoff}" for model in models for cutoff in (1000, *range(2000, 14001, 2000))
    ]
    assert found.held_out is not None


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 5000 + "]" * 5000, "[" + ".".join("a" * 5000) + "]", "a=" + "{b=" * 5000]
)
def test_tables_and_lists_nested_beyond_reading(tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep.toml"
    path.write_text(text)
    with pytest.raises(ConfigErrors) as caught:
        load_experiment(path)
    (line,) = caught.value.lines()
    assert line.startswith(f"{path}: tables or lists are nested too deeply. Fix: ")


@pytest.mark.parametrize("name", ["cacm", "postgresql", "clueweb12-perplexity", "clueweb12-models", "blogs06"])
def test_what_is_missing_is_told_with_where_to_get_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("THRESHER_DATA", "CLUEWEB12_B13", "BLOGS06", "BLOGS06_TREC"):
        monkeypatch.setenv(variable, str(tmp_path / "nothing"))
    file = Path(__file__).parents[2] / "experiments" / f"{name}.toml"
    source = tomllib.loads(file.read_text(encoding="utf-8"))["experiment"]["source"]
    with pytest.raises(ConfigErrors) as caught:
        load_experiment(file)
    missing = [error for error in caught.value.problems if error.what.startswith("there is no ")]
    assert len(missing) >= 3
    assert all(error.fix.endswith(f"; {source}") for error in missing)


def test_a_file_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(InputError) as error:
        load_experiment(path)
    assert str(error.value) == f"{path}: it has more than 1 MiB. Fix: check the path."
