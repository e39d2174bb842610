"""Experiment files: every problem at once, each on its line, and nothing that is wrong gets through."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, asdict
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped import shipped_experiment

from thresher.base.defaults import DEFAULT_MEASURES
from thresher.base.errors import ConfigError, ConfigErrors, InputError
from thresher.base.processes import Backend
from thresher.collections.interface import IdRule, JsonFields, ReadOptions
from thresher.evaluation.non_inferiority import Margin
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.config import Experiment, load_experiment, read_labels
from thresher.experiments.locations import CatalogueId, TopicSource
from thresher.experiments.problems import Problems, read_document
from thresher.experiments.schema import CostsTable, tables
from thresher.experiments.variants import read_cutoffs
from thresher.scores.limits import Limits

ROOT = Path(__file__).parents[2]
HEAD = """[experiment]
name = "small"

[collection]
path = "pages"

[topics]
path = "topics.tsv"

[qrels]
path = "qrels.txt"
"""
CATALOGUE = HEAD.partition("[topics]")[0].replace('"pages"', '"ir_datasets:vaswani"')
NEXT = HEAD.count("\n") + 1
"""The first line after HEAD."""
WEIGHTS, TITLE_TWICE = "weights(title=8,headings=2,anchors=1)", "weights(title=2,headings=2,anchors=1)"
SWEEP = "[[sweep]]\nscorer = '{}'\ncutoffs = {}\n"
Load = Callable[[str], Experiment]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    (tmp_path / "pages").mkdir()
    (tmp_path / "topics.tsv").write_text("1\toats\n")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")

    def load(text: str) -> Experiment:
        (tmp_path / "small.toml").write_text(text, encoding="utf-8")
        return load_experiment(tmp_path / "small.toml")

    return load


def problems_of(load: Load, text: str) -> list[tuple[int, str]]:
    """Return the problems of a file, each with its line: 0 for the file as a whole."""
    with pytest.raises(ConfigErrors) as caught:
        load(text)
    assert caught.value.exit_code == ConfigError.exit_code
    found = []
    for problem in caught.value.problems:
        line = re.search(r"\.toml:(\d+)$", problem.where)
        found.append((int(line[1]) if line else 0, f"{problem.what}. Fix: {problem.fix}"))
    return found


def check(load: Load, text: str, expected: Sequence[tuple[int, Sequence[str]]]) -> None:
    """Check that a file has these problems, each with its line and facts, and no others."""
    found = problems_of(load, text)
    assert [line for line, _ in found] == [line for line, _ in expected], found
    for (_, told), (_, facts) in zip(found, expected, strict=True):
        assert [fact for fact in facts if fact not in told] == [], told


def with_key(key: str) -> str:
    """Return HEAD with a key in line 6, in [collection]."""
    return HEAD.replace('path = "pages"', f'path = "pages"\n{key}')


# Files that are right


LEAST: Mapping[str, object] = {
    "name": "small",
    "title": "small",
    "held_out": None,
    "collection.format": "",
    "collection.reading": ReadOptions(IdRule(), 16 * 2**20, JsonFields()),
    "collection.limits": Limits(30.0, 16.0),
    "pages.blocks": "join",
    "pages.language": "en",
    "index.positions": False,
    "index.stored": False,
    "index.vectors": False,
    "index.stemmer": "porter",
    "index.stopwords": True,
    "index.lengths": False,
    "retrieval.depth": 1000,
    "evaluation.seed": 0,
    "evaluation.measures": tuple(DEFAULT_MEASURES),
    "pruning.original_statistics": True,
    "criteria": ChoiceCriteria(deciding=()),
    "measure_seconds": 60.0,
    "costs": CostsTable(0.341, "", "", 0.0, 0.0, 0, 1, 1.0),
    "backend": Backend("local", os.cpu_count() or 1, ""),
    "scorers": (),
    "labels": {},
}
FULL_TEXT = (
    with_key(
        'ids = "stem"\nprefix = "a/b"\nkeep_suffix = true\nescape_ids = true\n'
        "id_pattern = '-0+(\\d)'\nid_replacement = '-\\1'\nmax_page_mib = 2\npage_seconds = 0.5\n"
        "format = 'jsonl'\nid_field = 'docno'\nhtml_field = ['page.html', 'html']"
    ).replace('name = "small"', 'name = "small"\ntitle = "Small\u2028 [web]"')
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
test = "t"
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
FULL: Mapping[str, object] = {
    "title": "Small\u2028 [web]",
    "backend": Backend("dask", 3, "tcp://head:8786"),
    "collection.format": "jsonl",
    "collection.reading.rule": IdRule("stem", "a/b", True, True, "-0+(\\d)", "-\\1"),
    "collection.reading.fields": JsonFields(("docno",), ("page.html", "html"), ("contents",), ("url",)),
    "collection.reading.max_bytes": 2 * 2**20,
    "collection.limits": Limits(0.5, 2.0),
    "index.positions": True,
    "index.stemmer": "krovetz",
    "index.lengths": True,
    "retrieval.depth": 10,
    "evaluation.measures": ("P@5", "AP"),
    "evaluation.seed": 7,
    "evaluation.correction": "none",
    "evaluation.test": "t",
    "evaluation.alpha": 0.1,
    "criteria": ChoiceCriteria(Margin(0.02, relative=False), 0.1, 0.0, ("none|dcp", "words"), ("P@5",)),
    "measure_seconds": 0.5,
    "costs": CostsTable(0.0, "Galicia", "2026-11", 15.0, 0.0, 2, 15, 1.58),
}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (HEAD, LEAST),
        (FULL_TEXT, FULL),
        (HEAD + "[costs]\nmeasured_watts = 120\n", {"costs.measured_watts": 120.0}),
        (HEAD + "column = 'effectiveness'\n", {"topics.column": "effectiveness"}),
        (
            HEAD + "[pruning]\nstatistics = 'pruned'\ncombined = 3\n",
            {"pruning.original_statistics": False, "pruning.combined": 3},
        ),
    ],
    ids=["least", "full", "watts", "column", "pruning"],
)
def test_values_of_a_file(load: Load, text: str, values: Mapping[str, object]) -> None:
    experiment = load(text)
    assert {name: attrgetter(name)(experiment) for name in values} == values


def test_names_in_a_file(load: Load, tmp_path: Path) -> None:
    least, full = load(HEAD), load(FULL_TEXT)
    assert [model.name for model in least.retrieval.models] == ["qld"]
    assert [model.name for model in full.retrieval.models] == ["qld(exact)", "bm25(k1=1.2)"]
    assert [scorer.canonical_name for scorer in full.scorers] == ["density", "perplexity(lm=books)", "words"]
    assert least.collection.location == tmp_path / "pages"
    assert least.topics == TopicSource(tmp_path / "topics.tsv", tmp_path / "qrels.txt", "title")
    assert full.held_out == TopicSource(tmp_path / "topics.tsv", tmp_path / "pages", "desc", "credibility")


PRUNING = """
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
"""


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("[cleaners]\nnames = ['none|weights(anchors=0)']\n", False),
        ("[cleaners]\nnames = ['none|weights(anchors=0.5)|dcp@0.5']\n", True),
        ("[choose]\nfamilies = ['none|weights(anchors=1)|dcp']\n", True),
        ("", False),
    ],
)
def test_links_are_gathered_if_their_texts_count(load: Load, text: str, needed: bool) -> None:
    assert load(HEAD + text).needs_links is needed


@pytest.mark.parametrize(
    ("text", "variants"),
    [
        ("", []),
        (
            FULL_TEXT.removeprefix(HEAD) if FULL_TEXT.startswith(HEAD) else FULL_TEXT,
            [
                ("words@3", "words", 3.0, None),
                ("words@5.5", "words", 5.5, None),
                ("words@10", "words", 10.0, None),
                ("perplexity(lm=books,headings=keep)@1000", "perplexity(lm=books,headings=keep)", 1000.0, None),
                ("perplexity(lm=books,headings=keep)@2000", "perplexity(lm=books,headings=keep)", 2000.0, None),
                ("perplexity(lm=books,headings=keep)@3000", "perplexity(lm=books,headings=keep)", 3000.0, None),
                ("density@8", None, None, None),
                ("words@5+density(headings=keep)@10", None, None, None),
            ],
        ),
        (
            "[cleaners]\nnames = ['bte', 'boilerpipe(filter=main)+words@5']\n",
            [("bte", None, None, None), ("boilerpipe(rules=words,filter=main)+words@5", None, None, None)],
        ),
        (
            SWEEP.format("density", "['p10', 'p2.50', 'p99']") + SWEEP.format("density", "[10, 2.5]"),
            [
                ("density@p10", "density@p", 10.0, None),
                ("density@p2.5", "density@p", 2.5, None),
                ("density@p99", "density@p", 99.0, None),
                ("density@10", "density", 10.0, None),
                ("density@2.5", "density", 2.5, None),
            ],
        ),
        (
            SWEEP.format("density", "['doc25', 'doc12.50', 'doc100']") + SWEEP.format("density", "['p25']"),
            [
                ("density@doc25", "density@doc", 25.0, None),
                ("density@doc12.5", "density@doc", 12.5, None),
                ("density@doc100", "density@doc", 100.0, None),
                ("density@p25", "density@p", 25.0, None),
            ],
        ),
        (
            PRUNING,
            [
                ("none|dcp@0.5", "none|dcp", 0.5, None),
                ("none|dcp@0.25", "none|dcp", 0.25, None),
                ("words@5|tcp(k=3,model=bm25)@0.5", "words@5|tcp(k=3,model=bm25)", 0.5, None),
                ("words@5|tcp(k=3,model=bm25)@1", "words@5|tcp(k=3,model=bm25)", 1, None),
                ("density@10|dcp@0.5", "density|dcp", 0.5, 10),
                ("density@12|dcp@0.5", "density|dcp", 0.5, 12),
                ("words(headings=keep)@11|dcp@0.3", None, None, None),
            ],
        ),
        (
            SWEEP.format("words|weights(title=2)", "[3]")
            + SWEEP.format("none|weights|dcp", "[0.5]")
            + SWEEP.format("words|weights|dcp", "[0.5]\ncleaner_cutoffs = [3]"),
            [
                (f"words@3|{TITLE_TWICE}", f"words|{TITLE_TWICE}", 3.0, None),
                (f"none|{WEIGHTS}|dcp@0.5", f"none|{WEIGHTS}|dcp", 0.5, None),
                (f"words@3|{WEIGHTS}|dcp@0.5", f"words|{WEIGHTS}|dcp", 0.5, 3.0),
            ],
        ),
        (
            "[[sweep]]\nscorer = 'words'\n[sweep.cutoffs]\nfrom = 1\nto = 2\n",
            [("words@1", "words", 1.0, None), ("words@2", "words", 2.0, None)],
        ),
    ],
)
def test_variants_of_a_file(load: Load, text: str, variants: Sequence[tuple[object, ...]]) -> None:
    found = load(text if text.startswith("[experiment]") else HEAD + text).variants
    assert found[0].name == "none"
    assert [(one.name, one.sweep, one.cutoff, one.cleaner_cutoff) for one in found[1:]] == variants


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
    variants = load(HEAD + SWEEP.format("density", cutoffs)).variants
    assert [variant.cutoff for variant in variants[1:]] == values


@given(st.integers(0, 300), st.integers(1, 40), st.integers(1, 60))
def test_ranges_of_tenths_are_tenths(first: int, step: int, count: int) -> None:
    last = first + step * (count - 1)
    value = tomllib.loads(f"x = {{ from = {first / 10}, to = {last / 10}, step = {step / 10} }}")["x"]
    assert read_cutoffs(value) == [(first + step * index) / 10 for index in range(count)]


def test_the_digest_is_of_what_the_file_says_not_how(load: Load) -> None:
    same = HEAD.replace("[experiment]\n", "# a comment\n[experiment]\n\ntitle = ''\n") + "[retrieval]\ndepth = 1000\n"
    assert load(same).digest == load(HEAD).digest
    assert load(HEAD + "[retrieval]\ndepth = 999\n").digest != load(HEAD).digest


# Files that are wrong: the line of each problem, from HEAD's end on, and what it names


@pytest.mark.parametrize(
    ("addition", "line", "facts"),
    [
        ("[zzz]\n", 0, ["unknown table [zzz]", *tables()]),
        ("[sweep]\nscorer = 'words'", 0, ["[sweep] is not an array", "[[sweep]]"]),
        ("[vectors]\n", 0, ["[vectors]", "removed"]),
        ("[run]\nzzz = 1", 1, ["unknown key 'zzz' in [run]", "workers, backend, scheduler"]),
        ("[run]\nworker = 1", 1, ["unknown key 'worker'", "'workers'"]),
        ("[run]\nworkers = 2024-01-01", 1, ["'workers' is date", "a whole number"]),
        ("[run]\nworkers = inf", 1, ["'workers' is a number", "a whole number"]),
        ("[run]\nworkers = 1001", 1, ["'workers'", "1001", "at most 1000"]),
        ("[run]\nworkers = -1", 1, ["'workers'", "-1", "at least 0"]),
        ("[run]\nscheduler = 'tcp://head:8786'", 1, ["scheduler", 'backend = "dask"']),
        ("[run]\nbackend = 'dask'", 1, ["no scheduler", "`scheduler`"]),
        ("[run]\nbackend = 'ray'", 1, ["'backend' cannot be 'ray'", "local, dask"]),
        ("[costs]\ntdp_watts = 65\nmeasured_watts = 120\n", 2, ["TDP", "measured power"]),
        ("[costs]\ntdp_watts = '85'", 1, ["'tdp_watts' is a text", "a whole number or a number"]),
        ("[costs]\ntdp_watts = nan", 1, ["'tdp_watts'", "nan", "at least 0"]),
        ("[costs]\ncarbon_intensity = inf", 1, ["'carbon_intensity'", "inf", "at most 1e+12"]),
        (f"[costs]\ncarbon_intensity = 1{'0' * 400}", 1, ["10000000000000000000.", "at most 1e+12"]),
        ("[retrieval]\ndepth = 0", 1, ["'depth'", "at least 1"]),
        ("[retrieval]\ndepth = true", 1, ["'depth' is true or false", "a whole number"]),
        ("[retrieval]\nmodels = []", 1, ["no retrieval model"]),
        ("[retrieval]\nmodels = ['qld', 7]", 1, ["item of 'models'", "not a text"]),
        ("[retrieval]\nmodels = ['qld', 'qld']", 1, ["'qld' is listed twice"]),
        ("[retrieval]\nmodels = ['lm']", 1, ["no such retrieval model", "qld(exact)", "bm25", "classic"]),
        ("[evaluation]\nmeasures = []", 1, ["no measure"]),
        ("[evaluation]\nmeasures = ['AP', 'AP']", 1, ["'AP' is listed twice"]),
        ("[evaluation]\nseed = 1.5", 1, ["'seed' is a number", "a whole number"]),
        ("[evaluation]\ncorrection = 'bonferroni'", 1, ["'bonferroni'", "holm, bh, none"]),
        ("[evaluation]\ntest = 'sign'", 1, ["'sign'", "wilcoxon, t, randomisation"]),
        ("[evaluation]\nalpha = 0", 1, ["'alpha'", "0", "more than 0 and less than 1"]),
        ("[evaluation]\nalpha = 1.0", 1, ["'alpha'", "1.0", "more than 0 and less than 1"]),
        ("[evaluation]\nalpha = nan", 1, ["'alpha'", "nan", "more than 0 and less than 1"]),
        ("[choose]\ndeciding = ['RR']", 1, ["'RR'", "P@5, P@10, AP, nDCG(dcg='exp-log2')@10"]),
        ("[evaluation]\nmeasures = ['AP', 'Judged@10']\n[choose]\ndeciding = ['Judged@10']", 3, ["'Judged@10'", "AP"]),
        ("[choose]\nemptied = 1.5", 1, ["'emptied'", "1.5", "at most 1"]),
        ("[choose]\nalpha = 0.5", 1, ["'alpha'", "0.5", "less than 0.5"]),
        ("[choose]\nmargin = '100%'", 1, ["'100%' is not a margin", "below 100%"]),
        ("[choose]\nfamilies = ['words@5']", 1, ["'words@5' is no sweep", "none|dcp"]),
        ("[choose]\nfamilies = ['none|tcp(model=bm25)', 'none|tcp']", 1, ["'none|tcp(k=10,model=bm25)'", "twice"]),
        ("[cleaners]\nnames = ['none']", 1, ["'none' occurs twice"]),
        ("[cleaners]\nnames = [\n'words@5',\n'words@5.0']", 1, ["'words@5' occurs twice"]),
        ("[cleaners]\nnames = 'words@5'", 1, ["'names' is a text", "a list"]),
        ("[cleaners]\nnames = ['words']", 1, ["'words' has no cutoff", "words@11"]),
        ("[cleaners]\nnames = ['wrods@2']", 1, ["unknown scorer 'wrods'", "words"]),
        ("[cleaners]\nnames = ['bte@2']", 1, ["'bte' decides by itself"]),
        ("[cleaners]\nnames = ['ncleaner(model=no/such.ncleaner)@0']", 1, ["no/such.ncleaner'", "standard"]),
        ("[index]\nstemmer = 'Porter'", 1, ["'Porter'", "porter, krovetz, none"]),
        ("[index]\nstopwords = 0", 1, ["'stopwords' is a whole number", "true or false"]),
        ("[pages]\nblocks = [\n'join',\n]", 1, ["'blocks' is a list", "a text"]),
        ("[pages]\nlanguage = 'xx'", 1, ["language", "'xx'"]),
        ("[report.labels]\nnone = 5", 0, ["item of 'labels'", "not a text"]),
        ("[report]\nlabels = 'x'", 1, ["'labels' is a text", "a table"]),
        ("[pruning]\nstatistics = 'guess'", 1, ["'guess'", "original, pruned"]),
        ('[[system]]\nname = "s"\npath = "pages"\nbyte = 5', 3, ["unknown key 'byte' in [system]", "'bytes'"]),
        ('[[system]]\nname = "s"', 0, ["[system] has no 'path'", "add path"]),
        ('[[system]]\nname = "s"\npath = "pages"\nbytes = -1', 3, ["'bytes'", "at least 0"]),
        ("[[system]]\nname = ' '\npath = 'pages'\n", 1, ["the name is empty"]),
        ("[[system]]\nname = 'none'\npath = 'pages'\n", 1, ["two rows", "none"]),
        ("[[system]]\nname = 'x'\npath = 'ir_datasets:a'\n", 2, ["ir_datasets has no runs"]),
        ('[[text]]\nname = "s"', 0, ["[text] has no 'path'", "add path"]),
        ("[held_out]\ntopics = './topics.tsv'\nqrels = 'qrels.txt'\n", 1, ["cutoffs are chosen on", "other qrels"]),
        ("[held_out]\ntopics = 'none.txt'\nqrels = 'qrels.txt'\n", 1, ["none.txt", "relative"]),
        ("[[sweep]]\ncutoffs = [1]", 0, ["[sweep] has no 'scorer'"]),
        ("[[sweep]]\nscorer = 'words@3'\ncutoffs = [1]", 1, ["'words@3'", "has a cutoff", "`cutoffs`"]),
        ("[[sweep]]\nscorer = 'bte'\ncutoffs = [1]", 1, ["'bte' of a sweep", "decides by itself", "[cleaners]"]),
        ("[[sweep]]\nscorer = 'wrods'\ncutoffs = [1]", 1, ["unknown scorer 'wrods'"]),
        ("[[sweep]]\nscorer = 'words'\ncutoffs = [3, -1]", 2, ["'words'", "-1", "at least 0"]),
        ("[[sweep]]\nscorer = 'words'\ncutoffs = [3, 3]", 0, ["'words@3' occurs twice"]),
        ("[[sweep]]\nscorer = 'dcp|words'\ncutoffs = [1]", 1, ["'dcp' is a pruning method", "words|dcp"]),
        ("[[sweep]]\nscorer = 'none|dcp@0.5'\ncutoffs = [1]", 1, ["has a cutoff", "`cutoffs`"]),
        ("[[sweep]]\nscorer = 'none|dcp'\ncutoffs = [0.5, 2]", 2, ["'dcp'", "out of range: 2"]),
        ("[[sweep]]\nscorer = 'none|tcp(k=0)'\ncutoffs = [1]", 1, ["'k'", "0"]),
        ("[[sweep]]\nscorer = 'none|tcp'\ncutoffs = [-0.1]", 2, ["'tcp'", "out of range: -0.1"]),
        ("[[sweep]]\nscorer = 'none|dcp'\ncutoffs = ['p50']", 1, ["percentiles", "numbers"]),
        ("[[sweep]]\nscorer = 'words|dcp'\ncutoffs = [1]", 1, ["'words' has no cutoff", "words@"]),
        ("[[sweep]]\nscorer = 'words@3|dcp'\ncutoffs = [1]\ncleaner_cutoffs = [3]", 1, ["'words@3' has a cutoff"]),
        ("[[sweep]]\nscorer = 'words'\ncutoffs = [1]\ncleaner_cutoffs = [3]", 3, ["no pruning method", "words|dcp"]),
        ("[[sweep]]\nscorer = 'none|words'\ncutoffs = [1]", 1, ["unknown pruning method 'words'", "dcp"]),
        ("[[sweep]]\nscorer = 'words'\n[sweep.cutoffs]\nfrom = 1\nto = 2\nstep = 0\n", 2, ["1 to 2 by 0"]),
    ],
)
def test_one_problem(load: Load, addition: str, line: int, facts: Sequence[str]) -> None:
    check(load, HEAD + addition + "\n", [(NEXT + line, facts)])


MIXED = ["mix numbers, percentiles and quotas", "a sweep of each"]
NO_CUTOFF = ["not a finite number", "percentile or quota", '"p70"', '"doc50"']
NO_RANGE = ["not a range of cutoffs", "{ from = 1, to = 100, step = 1 }"]


@pytest.mark.parametrize(
    ("scorer", "cutoffs", "facts"),
    [
        ("density", "[]", ["no cutoff"]),
        ("density", "['p10', 20]", MIXED),
        ("perplexity", "['p10', 'r20']", MIXED),
        ("density", "['doc10', 20]", MIXED),
        ("density", "['doc10', 'p10']", MIXED),
        ("density", "['docx']", NO_CUTOFF),
        ("density", "['doc']", NO_CUTOFF),
        ("density", "['70']", NO_CUTOFF),
        ("density", "['p']", NO_CUTOFF),
        ("density", "['p10', 'ten']", NO_CUTOFF),
        ("density", "['p10', true]", NO_CUTOFF),
        ("density", "[nan]", NO_CUTOFF),
        ("density", "[1, inf]", NO_CUTOFF),
        ("density", f"[1{'0' * 400}]", NO_CUTOFF),
        ("density", "['5']", NO_CUTOFF),
        ("density", "['doc0']", ["quota of 'density'", "0", "above 0 and up to 100"]),
        ("density", "['doc101']", ["quota of 'density'", "101", "above 0 and up to 100"]),
        ("density", "['p0']", ["percentile of 'density'", "0", "above 0 and below 100"]),
        ("density", "['p100']", ["percentile of 'density'", "100", "above 0 and below 100"]),
        ("density", "['r70']", ["'density' has no reference text", "p70"]),
        ("perplexity", "['r70']", ["'books' has no percentiles", "lm train", "p70"]),
        ("density", "{ from = 1 }", NO_RANGE),
        ("density", "{ from = 1, to = 2, stop = 3 }", NO_RANGE),
        ("density", "{ from = 1, to = '2' }", NO_RANGE),
        ("density", "{ from = true, to = 2 }", NO_RANGE),
        ("density", "{ from = nan, to = 2 }", NO_RANGE),
        ("density", "{ from = 1, to = inf }", NO_RANGE),
        ("density", "{ from = 1, to = 2, step = nan }", NO_RANGE),
        ("density", f"{{ from = 1, to = 1{'0' * 400} }}", NO_RANGE),
        ("density", "5", ["'cutoffs' is a whole number", "a list or a table"]),
        ("density", "{ from = 1, to = 2, step = 0 }", ["1 to 2 by 0", "1000"]),
        ("density", "{ from = 5, to = 1 }", ["5 to 1 by 1", "1000"]),
        ("density", "{ from = 1, to = 1001 }", ["1 to 1001 by 1", "1000"]),
    ],
)
def test_cutoffs_that_are_none(load: Load, scorer: str, cutoffs: str, facts: Sequence[str]) -> None:
    check(load, HEAD + SWEEP.format(scorer, cutoffs), [(NEXT + 2, facts)])


@pytest.mark.parametrize(
    ("key", "facts"),
    [
        ("id_field = ''", ["'id_field' names no field"]),
        ("id_field = []", ["'id_field' names no field"]),
        ("id_field = ['id', '']", ["'id_field' names no field"]),
        ("id_field = ['id', 1]", ["item of 'id_field'", "not a text"]),
        ("id_field = 1", ["'id_field' is a whole number", "a text or a list"]),
        ("id_pattern = '('", ["not a regular expression"]),
        ("ids = 'stme'", ["'stme'", "path, stem, address, record"]),
        ("keep_suffix = 1", ["'keep_suffix' is a whole number", "true or false"]),
        ("max_page_mib = 0", ["'max_page_mib'", "at least 0.001"]),
        ("page_seconds = inf", ["'page_seconds'", "out of range"]),
        ("page_seconds = nan", ["'page_seconds'", "out of range"]),
        ("page_seconds = 1e7", ["'page_seconds'", "out of range"]),
    ],
)
def test_wrong_keys_of_the_collection(load: Load, key: str, facts: Sequence[str]) -> None:
    check(load, with_key(key), [(6, facts)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [(0, [f"[{name}] is missing"]) for name in ("experiment", "collection", "topics", "qrels")]),
        ("run = 3\n" + HEAD, [(1, ["'run' is not a table", "[run]"])]),
        ("sweep = [1]\n" + HEAD, [(1, ["[sweep]", "not an array of tables"])]),
        (HEAD.replace("small", "no/folder"), [(2, ["'no/folder' cannot name a folder"])]),
        (HEAD + "column = 'grade'\n", [(NEXT, ["'grade'", "relevance, effectiveness, credibility"])]),
        (HEAD + "[held_out]\n", [(NEXT, ["no 'topics'"]), (NEXT, ["no 'qrels'"])]),
        (
            HEAD + "[held_out]\ntopics = 'none.txt'\nqrel = 'none.txt'\n",
            [(NEXT, ["no 'qrels'"]), (NEXT + 2, ["unknown key 'qrel'", "'qrels'"])],
        ),
        (
            HEAD + "[index]\npositions = true\nstored = true\nvectors = true\n[cleaners]\nnames = ['none|dcp@0.5']\n",
            [(NEXT + line, [f"{name} = true"]) for line, name in enumerate(("positions", "stored", "vectors"), 1)],
        ),
        (
            HEAD + "[index]\nstored = true\n[cleaners]\nnames = ['none|weights']\n",
            [(NEXT + 1, ["several times", "stored", "weights"])],
        ),
        (
            HEAD + "[[sweep]]\nscorer = 'none|dcp|weights'\ncutoffs = [0.5]\n",
            [(NEXT + 1, ["behind the pruning", "none|weights|dcp"])],
        ),
        (CATALOGUE + "[topics]\npath = 'topics.tsv'\n", [(0, ["[qrels] is missing"])]),
        (CATALOGUE.replace("vaswani", " "), [(line, ["'ir_datasets:' has no id"]) for line in (0, 0, 5)]),
        (CATALOGUE + "[qrels]\ncolumn = 'credibility'\n", [(8, ["one grade", "relevance"])]),
        (CATALOGUE + "[topics]\nfields = 'x'\n", [(8, ["unknown key 'fields'", "'field'"])]),
        (
            with_key('format = "text"').replace('"pages"', '"ir_datasets:vaswani"'),
            [(6, ["ir_datasets", "their own format"])],
        ),
        (
            'experiment = { name = "no/folder", titel = "x" }\ncollection = { path = "nowhere" }\n'
            'topics = { path = "x" }\nqrels = { path = "y" }\ncleaners = { names = ["wrods@2"] }\n'
            'retrieval = { depth = 0, models = ["qlx"] }\nsweep = [ { scorer = "words", cutoffs = "x" } ]\n'
            "run = { workers = -1 }\n",
            [
                (1, ["'titel'"]),
                (1, ["'no/folder'"]),
                (2, ["nowhere"]),
                (3, ["x"]),
                (4, ["y"]),
                (5, ["'wrods'"]),
                (6, ["'depth'"]),
                (6, ["retrieval model"]),
                (7, ["'cutoffs' is a text"]),
                (8, ["'workers'"]),
            ],
        ),
        (
            HEAD.replace("small", "no/folder").replace('"pages"', '"nowhere"')
            + "[[sweep]]\nscorer = 'wrods'\ncutoffs = []\n[cleaners]\nnames = ['words@3', 'words', 'words@3']\n",
            [
                (2, ["'no/folder'"]),
                (5, ["nowhere", "relative"]),
                (NEXT + 1, ["'wrods'"]),
                (NEXT + 2, ["no cutoff"]),
                (NEXT + 4, ["'words' has no cutoff"]),
                (NEXT + 4, ["'words@3' occurs twice"]),
            ],
        ),
    ],
)
def test_all_problems_at_once(load: Load, text: str, expected: Sequence[tuple[int, Sequence[str]]]) -> None:
    check(load, text, expected)


@pytest.mark.parametrize("values", ["name = {}\npath = 'pages'", "name = 'x'\npath = []", "name = [1]\npath = 3", ""])
def test_systems_of_wrong_types_are_problems(load: Load, values: str) -> None:
    """Found by fuzzing: the first two ended in a TypeError."""
    found = problems_of(load, HEAD + f"[[system]]\n{values}\n")
    assert found
    assert all(line >= NEXT for line, _ in found)


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1\nb 2\n", 2), ("[a]\n[a]\n", 2), ("a = 1\n\nb = [1,\n", 3), ("a = 'x\n", 1)]
)
def test_broken_toml_has_its_line(load: Load, text: str, line: int) -> None:
    # The parser's words differ from release to release; its own line numbers are left out.
    ((found, told),) = problems_of(load, text)
    assert found == line
    assert "not TOML" in told
    assert "(at " not in told


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 5000 + "]" * 5000, "[" + ".".join("a" * 5000) + "]", "a=" + "{b=" * 5000]
)
def test_tables_and_lists_nested_beyond_reading(load: Load, text: str) -> None:
    check(load, text, [(0, ["nested too deeply"])])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_experiment(tmp_path / "none.toml")
    assert "none.toml" in str(caught.value)
    with (tmp_path / "large.toml").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(InputError) as caught:
        load_experiment(tmp_path / "large.toml")
    assert "1 MiB" in str(caught.value)


# Locations


def test_environment_variables_in_paths(load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def text(path: str) -> str:
        return HEAD.replace('path = "pages"', f'path = "{path}"')

    def location(path: str) -> object:
        return load(text(path)).collection.location

    monkeypatch.setenv("THRESHER_TEST", str(tmp_path))
    assert location("${THRESHER_TEST}/pages") == tmp_path / "pages"
    assert location("${THRESHER_TEST:-/elsewhere}/pages") == tmp_path / "pages"
    monkeypatch.setenv("THRESHER_TEST", "pages")
    assert location("${THRESHER_TEST}") == tmp_path / "pages"
    for unset in (lambda: monkeypatch.setenv("THRESHER_TEST", ""), lambda: monkeypatch.delenv("THRESHER_TEST")):
        unset()
        assert location("${THRESHER_TEST:-pages}") == tmp_path / "pages"
        assert location("${THRESHER_TEST:-}pages") == tmp_path / "pages"
        check(load, text("${THRESHER_TEST}/pages"), [(5, ["THRESHER_TEST is not set", "set THRESHER_TEST"])])
    # A dollar without braces is part of a name.
    check(load, text("$HOME"), [(5, [f"{tmp_path}/$HOME"])])


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


VASWANI, OTHER = CatalogueId("vaswani"), CatalogueId("a/b")


@pytest.mark.parametrize(
    ("addition", "topics"),
    [
        ("", TopicSource(VASWANI, VASWANI, "title")),
        ("[topics]\nfield = 'desc'\n", TopicSource(VASWANI, VASWANI, "desc")),
        ("[topics]\npath = 'ir_datasets:a/b'\n", TopicSource(OTHER, OTHER, "title")),
        ("[qrels]\npath = 'ir_datasets:${THRESHER_TEST:-a}/b'\n", TopicSource(VASWANI, OTHER, "title")),
        (
            "[topics]\npath = 'topics.tsv'\n[qrels]\npath = 'qrels.txt'\n",
            TopicSource(Path("topics.tsv"), Path("qrels.txt"), "title"),
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
    assert (found.collection.location, found.topics) == (VASWANI, topics)
    assert str(found.collection.location) == found.collection.location.name == "ir_datasets:vaswani"


def test_held_out_topics_of_the_catalogue_bring_their_qrels(load: Load, tmp_path: Path) -> None:
    web = "clueweb12/b13/trec-web-2013"
    id = CatalogueId(web)
    held_out = f"[held_out]\ntopics = 'ir_datasets:{web}'\n"
    assert load(HEAD + held_out).held_out == TopicSource(id, id, "title")
    with_qrels = load(HEAD + held_out + "qrels = 'qrels.txt'\n").held_out
    assert with_qrels == TopicSource(id, tmp_path / "qrels.txt", "title")


# Declarations


JUNK = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
SOME = st.recursive(
    JUNK.filter(lambda value: value is not None),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2),
    max_leaves=4,
)
GOOD: dict[str, Any] = {
    name: {"name": "x"} if name == "experiment" else {"path": "x"} for name, table in tables().items() if table.required
}


def test_every_key_is_explained_and_its_default_is_allowed() -> None:
    for table in tables().values():
        assert not table.required or any(key.default is MISSING for key in table.keys.values())
        for key in table.keys.values():
            assert key.meaning
            if key.default is not MISSING:
                assert (list if isinstance(key.default, tuple) else type(key.default)) in key.kinds
                assert not key.choices or key.default in key.choices
                assert key.bounds is None or key.bounds.low <= key.default <= key.bounds.high
    document = read_document(GOOD, Problems(Path("x.toml"), {}))
    assert (document.sweep, document.held_out) == ((), None)
    for name, table in tables().items():
        if not table.many and name != "held_out":
            assert asdict(getattr(document, name)) == {
                key: GOOD[name][key] if declared.default is MISSING else declared.default
                for key, declared in table.keys.items()
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
    fits &= not isinstance(value, dict) or all(isinstance(item, str) for item in value.values())
    assert fits == (not wrong)


# Shipped experiments


def blogs06_topics(folder: Path) -> Path:
    """Files as the Blog Track's, of one topic."""
    (folder / "06.topics.851-900.txt").write_text(
        "<top>\n<num> Number: 851\n<title> March of the Penguins\n<desc> Description:\nOpinions.\n</top>\n"
    )
    (folder / "qrels.opinion.blog06.txt").write_text("851 0 BLOG06-20051206-000-0000000000 4\n")
    return folder


PERPLEXITY = [1000, *range(2000, 14001, 2000)]
CORPORA = [f"models/{order}-{corpus}" for order in ("bigrams", "trigrams") for corpus in ("cord19", "bnc")]


@pytest.mark.parametrize("file", sorted((ROOT / "experiments").glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_experiments_load(
    file: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    grids = {
        "blogs06": [
            *(f"words@{cutoff}" for cutoff in range(1, 101)),
            *(f"density(count=tokens)@{cutoff}" for cutoff in range(1, 21)),
            "bte",
        ],
        "paper-perplexity": [f"perplexity(lm=books)@{cutoff}" for cutoff in PERPLEXITY],
        "paper-words": [f"words@{cutoff}" for cutoff in range(1, 101)],
        "paper-density": [f"density@{cutoff}" for cutoff in range(1, 21)],
        "clueweb12-models": [
            f"perplexity(lm={model}{sentences})@{cutoff}"
            for sentences in (",sentences=page", "")
            for model in CORPORA
            for cutoff in PERPLEXITY
        ],
    }
    monkeypatch.setenv("CLUEWEB12_B13", str(tmp_path))
    if "THRESHER_DATA" in file.read_text(encoding="utf-8"):
        monkeypatch.setenv("THRESHER_DATA", str(request.getfixturevalue("shared_data")))
    monkeypatch.setenv("BLOGS06", str(tmp_path))
    trec = blogs06_topics(tmp_path)
    if "clueweb12" in file.stem:
        trec = request.getfixturevalue("shared_data") / "topics-qrels"
    for variable in ("TREC_TOPICS", "TREC_QRELS"):
        monkeypatch.setenv(variable, str(trec))
    monkeypatch.chdir(tmp_path)
    shipped = shipped_experiment(file.stem, tmp_path)
    for model in re.findall(r"lm=(\.\./models/[\w-]+)", file.read_text(encoding="utf-8")):
        folder = shipped.parent / model
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.arpa").touch()
    found = load_experiment(shipped)
    assert found.name == file.stem
    assert found.variants[0].name == "none"
    if file.stem in grids:
        assert [variant.name for variant in found.variants[1:]] == grids[file.stem]


def test_paths_of_models_are_relative_to_the_file(load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("models/wiki", "here/web"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "model.arpa").touch()
    text = HEAD + SWEEP.format("perplexity(lm=models/wiki)", [5])
    text += '[cleaners]\nnames = ["perplexity(lm=books)@5", "ncleaner(model=standard)@0|up(model=bm25)@0.5"]\n'
    text += '[choose]\nfamilies = ["perplexity(lm=models/wiki)|dcp"]\n'
    text += '[report.labels]\n"perplexity(lm=models/wiki)" = "Wikipedia"\nnone = "all"\n'
    others = ["perplexity(lm=books)@5", "ncleaner@0|up(model=bm25)@0.5"]
    for cwd, model in ((tmp_path, "models/wiki"), (tmp_path / "here", "../models/wiki")):
        monkeypatch.chdir(cwd)
        loaded = load(text)
        names = [variant.name for variant in loaded.variants]
        assert sorted(names) == sorted(["none", f"perplexity(lm={model})@5", *others])
        assert loaded.criteria.families == (f"perplexity(lm={model})|dcp",)
        labels = {"perplexity(lm=models/wiki)": "Wikipedia", f"perplexity(lm={model})": "Wikipedia", "none": "all"}
        assert loaded.labels == read_labels(tmp_path / "small.toml") == labels
    (tmp_path / "models").rename(tmp_path / "here" / "models")
    assert "../models/wiki" in str(problems_of(load, text))


@pytest.mark.parametrize("name", ["cacm", "postgresql", "clueweb12-perplexity", "clueweb12-models", "blogs06"])
def test_what_is_missing_is_told_with_where_to_get_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("THRESHER_DATA", "CLUEWEB12_B13", "BLOGS06", "TREC_TOPICS", "TREC_QRELS"):
        monkeypatch.setenv(variable, str(tmp_path / "nothing"))
    file = ROOT / "experiments" / f"{name}.toml"
    source = tomllib.loads(file.read_text(encoding="utf-8"))["experiment"]["source"]
    with pytest.raises(ConfigErrors) as caught:
        load_experiment(file)
    missing = [error for error in caught.value.problems if error.what.startswith("there is no ")]
    assert len(missing) >= 3
    assert all(error.fix.endswith(f"; {source}") for error in missing)


@pytest.mark.parametrize("file", sorted((ROOT / "experiments").glob("*.toml")), ids=lambda path: path.stem)
def test_default_paths_are_in_the_checkout(file: Path) -> None:
    """Without variables, topics and qrels of TREC are in the folders for them, and nothing is outside."""
    text = file.read_text(encoding="utf-8")
    defaults = re.findall(r"\$\{(\w+):-([^}]*)\}", text)
    assert len(defaults) == text.count("${")
    for variable, default in defaults:
        folder = {"TREC_TOPICS": "topics", "TREC_QRELS": "qrels"}.get(variable, "collections")
        assert default.split("/")[:2] == ["..", folder]
        assert ".." not in default.split("/")[1:]


@pytest.mark.parametrize("name", ["clueweb12-perplexity", "blogs06"])
def test_the_head_of_a_file_names_the_files_of_trec(name: str) -> None:
    text = (ROOT / "experiments" / f"{name}.toml").read_text(encoding="utf-8")
    head, _, tables = text.partition("[experiment]")
    files = re.findall(r"\$\{TREC_(?:TOPICS|QRELS):-\.\./(\w+)\}/([^\"]+)", tables)
    assert len(files) >= 2
    for folder, file in files:
        assert f"{folder}/{file}" in head
    assert "https://trec.nist.gov/data/" in head


def test_a_missing_collection_is_told_with_how_to_make_it(tmp_path: Path) -> None:
    file = shipped_experiment("pydoc", tmp_path)
    (tmp_path / "collections" / "pydoc").rmdir()
    with pytest.raises(ConfigErrors, match="make collections/pydoc"):
        load_experiment(file)
