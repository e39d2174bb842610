"""The seven collections of docs/results: scored once, indexed by Lucene, searched and evaluated.

Each page of `web` is scored by a model of `content` that was trained without the page's fold. Missing models are trained,
and missing pages of `pydoc` are rendered. Later runs reuse the results in results/seven; remove the folder to measure again.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

import thresher
from fill import ROOT
from thresher import (
    BASELINE,
    WEIGHTED,
    Experiment,
    IndexReport,
    Searcher,
    Treatment,
    Variant,
    load_experiment,
    parse_cleaner,
    parse_retrieval,
    parse_treatment,
    read_shard,
    score_experiment,
    shards,
)
from thresher.base.defaults import MAIN_MEASURE
from thresher.base.files import safe_name, scratch_folder
from thresher.base.tables import Lists, Table
from thresher.evaluation.evaluating import evaluate
from thresher.experiments.announcements import ignore_announcement
from thresher.experiments.inputs import Scored
from thresher.experiments.measuring import build_variant
from thresher.scores.store import read_report, write_columns
from web_folds import FOLDER as FOLDS
from web_folds import FOLDS_FILE

RESULTS = ROOT / "results" / "seven"
CONTENT = "content(headings=keep)@0.3"
EXTRACTORS: Mapping[str, str] = {
    "Trafilatura": "extractor(trafilatura)",
    "Trafilatura, precision": "extractor(trafilatura,favor=precision)",
    "Resiliparse": "extractor(resiliparse)",
    "readability-lxml": "extractor(readability)",
    "jusText": "extractor(justext)",
    "boilerpy3": "extractor(boilerpy3)",
    "`boilerpipe(rules=words)`": "boilerpipe(rules=words)",
    "`bte`": "bte",
}
"""Treatments of the extractors by label. Labels of Thresher's own cleaners are code."""
TREATMENTS = (WEIGHTED, CONTENT, f"{BASELINE}|weights(anchors=1)", *EXTRACTORS.values())
"""All treatments that docs/results measures on the seven collections. One pass scores them for all pages."""
LINKED = ("ray-docs", "pydoc")
"""Collections whose pages link to each other and whose topics are not link texts. Anchors count only on these."""
ASKED_BY_LINKS = ("sqlite-docs", "postgresql")
"""Collections whose topics are link texts. Anchors would give the answers away."""
QLD, BM25, AP = "qld", "bm25", "AP"
MEASURES = (MAIN_MEASURE, AP)
PYDOC = ROOT / "collections" / "pydoc"
"""The pages that experiments/pydoc.toml reads."""
COMMITS_FILE = "commits.txt"
"""File in a collection's folder with the commits that measured its results."""

Values = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Values by retrieval model, measure and topic."""


@dataclass(frozen=True)
class Built:
    """The measurements of an index that was built, searched and removed.

    Args:
        documents: number of documents with text.
        postings: number of postings.
        bytes: size of the index's files.
        work: postings of a query's terms, mean over topics.
        values: values of its topics.
    """

    documents: int
    postings: int
    bytes: int
    work: float
    values: Values

    def means(self, model: str, measure: str) -> float:
        """Return the mean of a measure over topics."""
        return float(np.mean([*self.values[model][measure].values()]))


@dataclass(frozen=True)
class Collection:
    """A collection with its scores and built indexes.

    Args:
        name: name of its experiment.
        treatments: names of the treatments whose scorers one pass measures.
        folder: folder of the results.
    """

    name: str
    treatments: tuple[str, ...]
    folder: Path

    @cached_property
    def experiment(self) -> Experiment:
        """Its experiment, with the treatments as variants; for `web` also with `content` by each fold's model."""
        if self.name == "pydoc" and not PYDOC.exists():
            subprocess.run((sys.executable, ROOT / "scripts" / "pydoc_pages.py", PYDOC), check=True)
        experiment = load_experiment(ROOT / "experiments" / f"{self.name}.toml")
        names = [*self.treatments]
        if self.name == "web":
            names += [f"{scorer}@0.3" for scorer in fold_scorers()]
        treatments = dict.fromkeys([Treatment(), *map(parse_treatment, names)])
        return replace(
            experiment,
            variants=tuple(map(Variant, treatments)),
            families=(),
            criteria=replace(experiment.criteria, families=()),
            held_out=None,
            systems=(),
        )

    @cached_property
    def scored(self) -> Scored:
        """Its scores. On `web`, scores of `content` are by models trained without the page."""
        self.begin("scoring")
        scored = score_experiment(self.experiment, self.folder, False, ignore_announcement)
        if self.name == "web":
            put_out_of_fold(scored.store, fold_scorers())
        return scored

    def begin(self, step: str) -> None:
        """Print the step that begins, and record the commit that measures it."""
        print(f"{self.name}: {step}", file=sys.stderr)
        command = ("git", "-C", str(ROOT), "describe", "--always", "--dirty")
        commit = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        path = self.folder / COMMITS_FILE
        noted = path.read_text(encoding="utf-8").split() if path.exists() else []
        if commit not in noted:
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join([*noted, commit]) + "\n", encoding="utf-8")

    def own(self, name: str) -> str:
        """Return a treatment's name on this collection, with anchors 0 if the collection is not in `LINKED`."""
        if self.name not in LINKED:
            name = re.sub(r"anchors=[\d.]+", "anchors=0", name)
        return parse_treatment(name).name

    def build(self, names: Sequence[str]) -> dict[str, Built]:
        """Return the measurements of treatments' indexes. Indexes without stored measurements are built and searched."""
        built = self.read_built()
        for name in names:
            if name not in built:
                with self.index(name) as (folder, report):
                    built[name] = self.judged(folder, report)
                self.write_built(built)
        return {name: built[name] for name in names}

    @contextmanager
    def index(self, name: str) -> Iterator[tuple[Path, IndexReport]]:
        """Build the index of a treatment, yield its folder and report, and remove it."""
        store = self.scored.store
        self.begin(f"building {name}")
        with scratch_folder(self.folder / "indexes" / safe_name(name)) as scratch:
            folder = scratch / "index"
            yield folder, build_variant(store, parse_treatment(name), folder, self.experiment.index, True).index

    def index_texts(self, texts: Path) -> Built:
        """Return the measurements of an index of texts, a file of JSON lines with `id` and `contents`."""
        with scratch_folder(self.folder / "indexes" / "texts") as scratch:
            folder = scratch / "index"
            return self.judged(folder, thresher.index_json_lines(texts, folder, **asdict(self.experiment.index)))

    def judged(self, folder: Path, report: IndexReport) -> Built:
        """Search an index by both retrieval models and return its measurements."""
        topics = self.scored.inputs.topics
        queries = [(topic, topics.topics[topic].query) for topic in topics.ids]
        values: dict[str, dict[str, dict[str, float]]] = {}
        work = 0.0
        for model in (QLD, BM25):
            with Searcher(folder, parse_retrieval(model), self.experiment.retrieval.depth) as searcher:
                run = {topic: dict(hits) for topic, hits in searcher.search_topics(queries, 0).hits.items()}
                work = searcher.work([query for _, query in queries]).postings
            values[model] = evaluate(topics.qrels, run, list(MEASURES), topics.ids)
        return Built(report.documents, report.statistics.postings, report.bytes, work, values)

    def read_built(self) -> dict[str, Built]:
        """Return the stored measurements of indexes."""
        path = self.folder / "built.json"
        if not path.exists():
            return {}
        return {name: Built(**record) for name, record in json.loads(path.read_text(encoding="utf-8")).items()}

    def write_built(self, built: Mapping[str, Built]) -> None:
        """Store the measurements of indexes."""
        text = json.dumps({name: asdict(index) for name, index in built.items()})
        (self.folder / "built.json").write_text(text + "\n", encoding="utf-8")


def collection_of_seven(name: str) -> Collection:
    """Return one of the seven collections, with all treatments."""
    return Collection(name, TREATMENTS, RESULTS / name)


def fold_scorers() -> list[str]:
    """Return the names of `content` with each model trained without a fold of `web`. Missing models are trained."""
    if not (FOLDS / FOLDS_FILE).exists():
        data = Path(os.environ.get("THRESHER_DATA", ROOT / "collections"))
        print("web: training models without each fold of its pages", file=sys.stderr)
        # One thread, since the matrices are so small that threads would mostly wait for each other.
        one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        subprocess.run(
            (sys.executable, ROOT / "scripts" / "web_folds.py", data / "cleaning"), check=True, env=one_thread
        )
    models = sorted(FOLDS.glob("*.content"))
    return [f"content(model={model.relative_to(ROOT)},headings=keep)" for model in models]


def put_out_of_fold(store: Path, scorers: Sequence[str]) -> None:
    """Replace the shipped model's scores by scores of models trained without the page.

    Pages without gold, which are in no fold, get the scores of the first model.
    """
    fold_of: dict[str, int] = json.loads((FOLDS / FOLDS_FILE).read_text(encoding="utf-8"))
    columns = [f"score:{parse_cleaner(f'{name}@0.5').scorers[0].canonical_name}" for name in scorers]
    for path in shards(store):
        table = read_shard(path)
        folds = np.array([fold_of.get(id_, 0) for id_ in table.texts("id").tolist()])
        of_folds = [table.lists(column) for column in columns]
        rows = of_folds[0].rows
        values = np.stack([lists.values for lists in of_folds])[folds[rows], np.arange(len(rows))]
        scores = Lists(values, of_folds[0].offsets)
        write_columns(path, Table({**table.columns, "score:content": scores}), read_report(path))


def commits() -> str:
    """Return the commits that measured the results in results/seven."""
    noted: dict[str, None] = {}
    for path in sorted(RESULTS.glob(f"*/{COMMITS_FILE}")):
        noted |= dict.fromkeys(path.read_text(encoding="utf-8").split())
    return ", ".join(noted)
