"""What an experiment file may say: every table and key, its type, default and meaning, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thresher.collections import FORMATS, ID_RULES
from thresher.evaluation import DEFAULT_MEASURES, GRADES
from thresher.pages import BLOCK_RULES
from thresher.passes.backends import BACKENDS

REQUIRED = object()
CO2_METHODS = ("estimated", "codecarbon")
STEMMERS = ("porter", "krovetz", "none")


@dataclass(frozen=True)
class Key:
    """A key of a table. `kinds` are the Python types that TOML may give; `default` is `REQUIRED` if it must be there.

    A number is within `low` and `high`, inclusive; TOML knows infinity, NaN and whole numbers of any length.
    """

    name: str
    kinds: tuple[type, ...]
    default: Any
    meaning: str
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float = 1e12
    items: type | None = None


@dataclass(frozen=True)
class Table:
    """A table of an experiment file; `many` for an array of tables."""

    name: str
    keys: tuple[Key, ...]
    required: bool = False
    many: bool = False


_NUMBER = (int, float)
_NAMES = (str, list)

SCHEMA: tuple[Table, ...] = (
    Table(
        "experiment",
        (
            Key("name", (str,), REQUIRED, "names the folders of results and indexes"),
            Key("title", (str,), "", "heads the report"),
        ),
        required=True,
    ),
    Table(
        "collection",
        (
            Key("path", (str,), REQUIRED, "folder or file, relative to the experiment file, or ir_datasets:ID"),
            Key(
                "format",
                (str,),
                "",
                "what its files are; empty to tell by their names and content",
                choices=("", *FORMATS),
            ),
            Key(
                "generate",
                (str,),
                "",
                "make the collection at `path` if it is not there",
                choices=("", "pydoc"),
            ),
            Key(
                "ids",
                (str,),
                "path",
                "ids from the path below `prefix`, or from the file's stem",
                choices=ID_RULES,
            ),
            Key("prefix", (str,), "", "folder that ids do not show"),
            Key("keep_suffix", (bool,), False, "whether ids keep `.html`"),
            Key("escape_ids", (bool,), False, "write characters that a run cannot hold as %XX"),
            Key("id_pattern", (str,), "", "a regular expression; what it matches in ids is replaced"),
            Key("id_replacement", (str,), "", "by this; \\1 is the first group"),
            Key(
                "id_field", _NAMES, "id", "names of JSON members that hold the id; dots go down into objects", items=str
            ),
            Key("html_field", _NAMES, "html", "the HTML; of several names the first that is there counts", items=str),
            Key("text_field", _NAMES, "contents", "plain text, where there is no HTML", items=str),
            Key("url_field", _NAMES, "url", "the URL", items=str),
            Key("max_page_mib", _NUMBER, 16.0, "larger pages are listed as failed", low=0.001, high=1e6),
            Key("page_seconds", _NUMBER, 30.0, "pages that take longer are listed as failed", low=0.01, high=1e6),
        ),
        required=True,
    ),
    Table(
        "topics",
        (
            Key("path", (str,), REQUIRED, "TSV, TREC or XML, or ir_datasets:ID (as the collection's if not given)"),
            Key("field", (str,), "title", "which field of TREC or XML topics is the query"),
        ),
        required=True,
    ),
    Table(
        "qrels",
        (
            Key("path", (str,), REQUIRED, "TREC qrels, or ir_datasets:ID (as the topics' if not given)"),
            Key("column", (str,), GRADES[0], "which grade counts, where there are three", choices=GRADES),
        ),
        required=True,
    ),
    Table(
        "held_out",
        (
            Key("topics", (str,), REQUIRED, "other topics, on which cutoffs chosen on [topics] are tested"),
            Key("qrels", (str,), REQUIRED, "their qrels"),
            Key("field", (str,), "title", "as in [topics]"),
            Key("column", (str,), GRADES[0], "as in [qrels]", choices=GRADES),
        ),
    ),
    Table(
        "pages",
        (
            Key(
                "blocks",
                (str,),
                BLOCK_RULES[0],
                "whether inline tags pass within a block",
                choices=BLOCK_RULES,
            ),
            Key("language", (str,), "en", "whose abbreviations the sentence splitter knows"),
        ),
    ),
    Table(
        "sweep",
        (
            Key("scorer", (str,), REQUIRED, "a scorer's name, such as perplexity(lm=books)"),
            Key(
                "cutoffs",
                (list, dict),
                REQUIRED,
                'a list of numbers or of percentiles such as "p70", or { from = 1, to = 100, step = 1 }',
            ),
        ),
        many=True,
    ),
    Table("cleaners", (Key("names", (list,), [], "single cleaners, such as words@11", items=str),)),
    Table(
        "index",
        (
            Key("positions", (bool,), False, "store positions"),
            Key("stored", (bool,), False, "store the text"),
            Key("vectors", (bool,), False, "store document vectors"),
            Key("stemmer", (str,), "porter", "as in Anserini", choices=STEMMERS),
            Key("stopwords", (bool,), True, "leave out Lucene's English stop words"),
        ),
    ),
    Table(
        "retrieval",
        (
            Key("models", (list,), ["qld"], "qld, qld(exact), bm25 and their parameters", items=str),
            Key("depth", (int,), 1000, "hits a topic", low=1, high=1e9),
        ),
    ),
    Table(
        "evaluation",
        (
            Key("measures", (list,), list(DEFAULT_MEASURES), "ir-measures names", items=str),
            Key("seed", (int,), 0, "of the bootstrap", low=0),
        ),
    ),
    Table(
        "costs",
        (
            Key("carbon_intensity", _NUMBER, 0.341, "kg CO2 a kWh", low=0.0),
            Key("tdp_watts", _NUMBER, 0.0, "the CPUs' thermal design power; 0 to look it up", low=0.0),
            Key("co2", (str,), CO2_METHODS[0], "how CO2 is had", choices=CO2_METHODS),
        ),
    ),
    Table(
        "run",
        (
            Key("workers", (int,), 0, "processes for the scoring pass; 0 for one a core", low=0, high=1000),
            Key(
                "backend",
                (str,),
                BACKENDS[0],
                "processes of this machine, or a Dask cluster's workers",
                choices=BACKENDS,
            ),
            Key("scheduler", (str,), "", "address of the Dask scheduler, such as tcp://head:8786"),
        ),
    ),
)

# `{ from, to, step }` in place of a list of cutoffs.
RANGE_KEYS = ("from", "to", "step")
