"""Metadata of a run, parsed back."""

from __future__ import annotations

from typing import Any

import numpy as np
import yaml

from thresher.reports.ir_metadata import run_metadata
from thresher.results.records import Cost

EXPERIMENT: dict[str, Any] = {
    "name": "sweep",
    "title": "Cutoffs: a sweep",
    "measures": ("P@10", "nDCG@10"),
    "baseline": "none.qld",
    "test": "Wilcoxon signed-rank",
    "correction": "Holm",
    "command": "thresher run experiments/sweep.toml",
    "commit": "9548cd6",
    "version": "0.1.0",
    "libraries": {"python": ["lxml==6.1.3"], "java": ["lucene==9.9.1"]},
    "toolkits": ["anserini==1.7.1"],
    "actor": {"name": "日本 太郎", "role": "experimenter", "mail": None},
}
ARGUMENTS: dict[str, Any] = {
    "experiment": EXPERIMENT,
    "variant": {"name": "words@11", "scorer": "words", "cutoff": 11},
    "retrieval": {
        "name": "qld",
        "method": "LMDirichletSimilarity",
        "parameters": {"mu": 2000},
        "ties": "docid ascending",
        "stemmer": "porter",
    },
    "collection": {"name": "sample", "source": "data/sample.warc.gz", "documents": np.int64(120)},
    "topics": {"source": "topics/web.xml", "count": 50},
    "qrels": {"source": "qrels/web.txt"},
    "machine": {"cpu": {"model": "Xeon", "number of cores": 2}, "ram": "24 GB", "kernel": "Linux 6.1"},
    "costs": {"clean": Cost(1.5, 2.0, 120.4, None), "search": Cost(0.25, 0.5, 480.0, 0.125)},
}


def test_all_that_is_known_is_in_its_place() -> None:
    text = run_metadata("words@11.qld", **ARGUMENTS)
    assert text.startswith("# ir_metadata 0.2-beta\nschema version: 0.2\ntag: words@11.qld\n")
    assert yaml.safe_load(text) == {
        "schema version": 0.2,
        "tag": "words@11.qld",
        "actor": {"name": "日本 太郎", "role": "experimenter"},
        "platform": {
            "hardware": {"cpu": {"model": "Xeon", "number of cores": 2}, "ram": "24 GB"},
            "operating system": {"kernel": "Linux 6.1"},
            "software": {
                "libraries": {"python": ["lxml==6.1.3"], "java": ["lucene==9.9.1"]},
                "retrieval toolkit": ["anserini==1.7.1"],
            },
        },
        "implementation": {
            "executable": {"cmd": "thresher run experiments/sweep.toml", "version": "0.1.0"},
            "source": {"lang": ["python"], "commit": "9548cd6"},
        },
        "resources": {
            "runtime": {"wallclock": "1750 ms", "cpu": "2500 ms"},
            "ram": {"used process": {"max": "480 MiB"}},
            "stages": {
                "clean": {
                    "runtime": {"wallclock": "1500 ms", "cpu": "2000 ms"},
                    "ram": {"used process": {"max": "120 MiB"}},
                    "emissions": "below resolution",
                },
                "search": {
                    "runtime": {"wallclock": "250 ms", "cpu": "500 ms"},
                    "ram": {"used process": {"max": "480 MiB"}},
                    "emissions": "0.125 g CO2",
                },
            },
        },
        "research goal": {
            "name": "sweep",
            "title": "Cutoffs: a sweep",
            "evaluation": {
                "reported measures": ["P@10", "nDCG@10"],
                "baseline": ["none.qld"],
                "significance test": [{"name": "Wilcoxon signed-rank", "correction method": "Holm"}],
            },
        },
        "data": {
            "test collection": {
                "name": "sample",
                "source": "data/sample.warc.gz",
                "topics": "topics/web.xml",
                "qrels": "qrels/web.txt",
                "documents": 120,
                "topics count": 50,
            }
        },
        "method": {
            "automatic": True,
            "score ties": "docid ascending",
            "cleaning": {"name": "words@11", "scorer": "words", "cutoff": 11},
            "indexing": {"stemmer": "porter"},
            "retrieval": [{"name": "qld", "method": "LMDirichletSimilarity", "mu": 2000}],
        },
    }


def test_what_is_not_known_is_left_out() -> None:
    empty: dict[str, Any] = {name: {} for name in ARGUMENTS}
    assert yaml.safe_load(run_metadata("x: y\n# z", **empty)) == {
        "schema version": 0.2,
        "tag": "x: y\n# z",
        "implementation": {"source": {"lang": ["python"]}},
        "method": {"automatic": True},
    }
