"""Metadata of a run, parsed back."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from thresher.costs.machine import Machine
from thresher.lucene.analysis import parse_retrieval
from thresher.lucene.indexing import IndexOptions
from thresher.reports.ir_metadata import Goal, InputFile, Software, run_metadata
from thresher.scorers.cleaners import parse_cleaner
from thresher.variants.table import Cost

GOAL = Goal("sweep", "Cutoffs: a sweep in 日本", ("P@10", "nDCG@10"), "none", "Wilcoxon signed-rank", "Holm")
SOFTWARE = Software("thresher run sweep.toml", "0.1.0", "9548cd6", ("lxml==6.1.3", "pyserini==1.6.0"))
MACHINE = Machine("Xeon", 1, 0, 2, 24000, "Linux 6.1", "3.11")
COSTS = {"cleaning": Cost(1.5, 2.0, 120.4, None), "searching": Cost(0.25, 0.5, 480.0, 0.125)}


def metadata(
    software: Software = SOFTWARE, model: str = "qld", tag: str = "words@11", cleaner: str = "words@11"
) -> str:
    return run_metadata(
        tag,
        GOAL,
        software,
        MACHINE,
        "x86_64",
        InputFile("sample", "c", 120),
        InputFile("web.xml", "t", 50),
        InputFile("web.txt", "q"),
        parse_cleaner(cleaner),
        IndexOptions(stemmer="krovetz"),
        parse_retrieval(model),
        COSTS["cleaning"] + COSTS["searching"],
        COSTS,
        "estimated: Eq. 9, wall time × 65 W: all of it",
    )


def test_all_that_is_known_is_in_its_place() -> None:
    text = metadata()
    assert text.startswith("# ir_metadata 0.2-beta\nschema version: 0.2\ntag: words@11\n")
    assert yaml.safe_load(text) == {
        "schema version": 0.2,
        "tag": "words@11",
        "platform": {
            "hardware": {
                "cpu": {"model": "Xeon", "architecture": "x86_64", "number of cores": 2},
                "ram": "24000 MiB",
            },
            "operating system": {"kernel": "Linux 6.1"},
            "software": {"libraries": ["lxml==6.1.3", "pyserini==1.6.0"], "retrieval toolkit": ["pyserini"]},
        },
        "implementation": {
            "executable": {"cmd": "thresher run sweep.toml", "version": "0.1.0"},
            "source": {"lang": ["python"], "commit": "9548cd6"},
        },
        "resources": {
            "runtime": {"wallclock": "1750 ms", "cpu": "2500 ms"},
            "ram": {"used process": {"max": "480 MiB"}},
            "stages": {
                "cleaning": {
                    "runtime": {"wallclock": "1500 ms", "cpu": "2000 ms"},
                    "ram": {"used process": {"max": "120 MiB"}},
                    "emissions": "below resolution",
                },
                "searching": {
                    "runtime": {"wallclock": "250 ms", "cpu": "500 ms"},
                    "ram": {"used process": {"max": "480 MiB"}},
                    "emissions": "0.125 g CO2",
                },
            },
            "emissions method": "estimated: Eq. 9, wall time × 65 W: all of it",
        },
        "research goal": {
            "name": "sweep",
            "title": "Cutoffs: a sweep in 日本",
            "evaluation": {
                "reported measures": ["P@10", "nDCG@10"],
                "baseline": ["none"],
                "significance test": [{"name": "Wilcoxon signed-rank", "correction method": "Holm"}],
            },
        },
        "data": {
            "test collection": {
                "name": "sample",
                "topics": "web.xml",
                "qrels": "web.txt",
                "documents": 120,
                "digest": "c",
                "topics count": 50,
                "topics digest": "t",
                "qrels digest": "q",
            }
        },
        "method": {
            "automatic": True,
            "score ties": "by document id, ascending",
            "cleaning": {"name": "words@11", "scorers": ["words"]},
            "indexing": {"tokenizer": "Lucene's StandardTokenizer", "stemmer": "krovetz", "stopwords": True},
            "retrieval": [{"name": "qld", "method": "qld", "parameters": {"mu": 2000.0}}],
        },
    }


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("qld(exact,mu=500)", {"mu": 500.0}),
        ("bm25", {"b": 0.4, "k1": 0.9}),
        ("bm25(k1=1.2)", {"b": 0.4, "k1": 1.2}),
    ],
)
def test_parameters_are_those_of_the_model(model: str, parameters: dict[str, float]) -> None:
    (retrieval,) = yaml.safe_load(metadata(model=model))["method"]["retrieval"]
    assert retrieval == {"name": model, "method": model.partition("(")[0], "parameters": parameters}


def test_what_is_not_known_is_left_out_and_any_tag_is_kept() -> None:
    data = yaml.safe_load(metadata(replace(SOFTWARE, commit=None), tag="x: y\n# z", cleaner="none"))
    assert (data["tag"], data["implementation"]["source"]) == ("x: y\n# z", {"lang": ["python"]})
    assert data["method"]["cleaning"] == {"name": "none", "scorers": []}
