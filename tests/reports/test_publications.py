"""Every method names its publications, or says that it has none; the bibliography has them all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import get_args

import pytest
import yaml

from thresher.base.defaults import CORRECTIONS, DEFAULT_MEASURES, TESTS
from thresher.cleaners.registry import scorers
from thresher.cleaners.scorers import extractor
from thresher.indexes.analysis import FamilyName
from thresher.indexes.pruning.treatments import methods
from thresher.reports import references
from thresher.reports.references import Keys, bibliography, entries
from thresher.reports.table import measure_header

ROOT = Path(__file__).parents[2]
ACCENTS = {r"{\"u}": "ü", r"{\'a}": "á", r"{\"e}": "ë", r"{\'A}": "Á", r"{\c{c}}": "ç"}
TABLES: Mapping[str, Mapping[str, Keys]] = {
    "scorers": references.SCORERS,
    "extractors": references.EXTRACTORS,
    "pruning": references.PRUNING,
    "models": references.MODELS,
    "tests": references.TESTS,
    "corrections": references.CORRECTIONS,
    "measures": references.MEASURES,
}


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("scorers", scorers()),
        ("extractors", extractor.packages()),
        ("pruning", methods()),
        ("models", get_args(FamilyName)),
        ("tests", TESTS),
        ("corrections", CORRECTIONS),
    ],
)
def test_every_method_has_its_sources_or_says_that_there_are_none(table: str, names: Iterable[str]) -> None:
    assert sorted(TABLES[table]) == sorted(names), "add it to src/thresher/reports/references.py"


def test_the_default_measures_are_there() -> None:
    for measure in DEFAULT_MEASURES:
        assert measure_header(measure).name.partition("@")[0] in references.MEASURES


def test_the_bibliography_has_what_is_named_and_nothing_else() -> None:
    named = {*references.WEIGHTS, *references.ANCHORS, *references.INTERVALS, *references.NON_INFERIORITY}
    for table in (*TABLES.values(), references.SOFTWARE):
        for keys in table.values():
            named.update(keys)
    assert named == set(entries())


@pytest.mark.parametrize("key", entries())
def test_an_entry_is_sound(key: str) -> None:
    entry = entries()[key]
    kind = re.match(r"@(\w+)\{", entry)
    assert kind
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.MULTILINE))
    needed = {"article": "journal", "inproceedings": "booktitle", "phdthesis": "school", "book": "publisher"}
    assert {"author", "title", "year", needed.get(kind[1], "title")} <= set(fields)
    assert len(entry.splitlines()) == len(fields) + 2
    assert re.fullmatch(r"(1[89]|20)\d\d", fields["year"])
    assert fields["year"] in key or key == "thresher"
    assert entry.isascii()
    assert entry.count("{") == entry.count("}")


def test_citation_and_bibliography_agree() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    plain = "\n".join(entries().values())
    for letters, letter in ACCENTS.items():
        plain = plain.replace(letters, letter)
    by_title: dict[str, str] = {}
    for entry in re.split(r"\n(?=@)", plain):
        title = re.search(r"  title = \{(.*)\},", entry)
        assert title
        by_title[re.sub(r"[{}]", "", title[1]).lower()] = entry
    for reference in cited["references"]:
        entry = by_title[reference["title"].lower()]
        assert f"year = {{{reference['year']}}}" in entry
        for author in reference["authors"]:
            assert author["family-names"] in entry


def test_a_bibliography_has_each_entry_once_in_the_order_of_the_file() -> None:
    text = bibliography(["holm1979multiple", "finn2001bte", "holm1979multiple"])
    assert re.findall(r"^@\w+\{(\w+),", text, re.MULTILINE) == ["finn2001bte", "holm1979multiple"]
    assert text.endswith("}\n")
