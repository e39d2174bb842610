#!/usr/bin/env python3
"""Compare headings, models, statistics and judgments on the web collection and on Ray's documentation, for scripts/pages.

usage: scripts/comparisons.py titles|bm25|statistics|judgments|all

First run `thresher explore` on experiments/web.toml and experiments/ray-docs.toml; the script uses the scores in results/. It
builds and searches each index that a comparison needs, and stores the runs in results/comparisons/NAME. Later calls reuse a
run unless the scores are newer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from arguments import parser_of
from fill import JUDGE, ROOT, interval, put
from fill import table as markdown
from thresher import (
    BASELINE,
    Experiment,
    Searcher,
    TopicSet,
    compare,
    load_experiment,
    measure_header,
    parse_retrieval,
    parse_treatment,
    read_run,
    read_topic_set,
    shards,
    write_run,
)
from thresher.base.files import safe_name, scratch_folder
from thresher.evaluation.evaluating import evaluate
from thresher.experiments.measuring import build_variant

NAMES = ("web", "ray-docs")
RESULTS = ROOT / "results"
PAGES = ROOT / "scripts" / "pages"
CONTENT = "content(headings=keep)@0.3"
QLD, BM25 = "qld", "bm25"
NDCG, AP = "nDCG(dcg='exp-log2')@10", "AP"
BOILERPIPE = "boilerpipe(rules=words,headings=keep)"
COMBINED = f"{CONTENT}|dcp@0.5"
PRUNED = "none|dcp@0.3"

Run = Mapping[str, Mapping[str, float]]
Qrels = Mapping[str, Mapping[str, int]]
Values = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Collection:
    """A collection with its scores in results/."""

    name: str

    @cached_property
    def experiment(self) -> Experiment:
        """Its experiment."""
        return load_experiment(ROOT / "experiments" / f"{self.name}.toml")

    @cached_property
    def topics(self) -> TopicSet:
        """Its topics and qrels."""
        return read_topic_set(self.experiment.topics)

    def run(self, variant: str, model: str = QLD, original: bool = True) -> Run:
        """Return the run of a variant. If its runs are missing or older than the scores, build and search its index."""
        folder = RESULTS / "comparisons" / self.name
        stem = f"{safe_name(variant)}{'' if original else '.own-statistics'}"
        path = folder / f"{stem}.{model}.trec"
        store = RESULTS / self.name / "scores"
        newest = max(shard.stat().st_mtime for shard in shards(store))
        if not path.exists() or path.stat().st_mtime < newest:
            print(f"{self.name}: building {variant}", file=sys.stderr)
            queries = [(topic.id, topic.query) for topic in self.topics.topics.values()]
            folder.mkdir(parents=True, exist_ok=True)
            with scratch_folder(folder / "index") as scratch:
                index = scratch / "index"
                build_variant(store, parse_treatment(variant), index, self.experiment.index, original)
                for name in (QLD, BM25):
                    with Searcher(index, parse_retrieval(name), self.experiment.retrieval.depth) as searcher:
                        hits = searcher.search_topics(queries, warm_up=0).hits
                    write_run(folder / f"{stem}.{name}.trec", hits, "thresher")
        return read_run(path)

    def values(self, run: Run, qrels: Qrels | None = None, measures: Sequence[str] = (NDCG, AP)) -> Values:
        """Return values by measure and topic."""
        judged = self.topics.qrels if qrels is None else qrels
        return evaluate(judged, run, list(measures), self.topics.ids)


def mean(values: Mapping[str, float]) -> str:
    """Return a mean over topics."""
    return f"{sum(values.values()) / len(values):.3f}"


def difference(values: Values, others: Values, measure: str) -> str:
    """Return the mean difference of two runs with its interval."""
    ids = list(others[measure])
    return interval(compare([values[measure][id] for id in ids], [others[measure][id] for id in ids], measure))


def titles() -> Iterator[tuple[str, ...]]:
    """Yield a line for each variant: with title and headings kept, and with both dropped."""
    for collection in map(Collection, NAMES):
        pairs = {
            BASELINE: "words(headings=drop)@0",
            **{name: name.replace("keep", "drop") for name in (CONTENT, BOILERPIPE)},
        }
        baselines = [collection.values(collection.run(name)) for name in (BASELINE, pairs[BASELINE])]
        for name, dropped in pairs.items():
            with_headings, without = (collection.values(collection.run(variant)) for variant in (name, dropped))
            means = mean(with_headings[NDCG]), mean(without[NDCG])
            cells = [collection.name, f"`{name}`", *means, difference(without, with_headings, NDCG)]
            against = (
                ("", "")
                if name == BASELINE
                else (
                    difference(with_headings, baselines[0], NDCG),
                    difference(without, baselines[1], NDCG),
                )
            )
            yield *cells, *against


def models() -> Iterator[tuple[str, ...]]:
    """Yield a line for each variant: its means by both retrieval models."""
    for collection in map(Collection, NAMES):
        for name in (BASELINE, CONTENT, BOILERPIPE, PRUNED, COMBINED):
            cells = [collection.name, f"`{name}`"]
            for model in (QLD, BM25):
                values = collection.values(collection.run(name, model))
                base = collection.values(collection.run(BASELINE, model))
                cells += [mean(values[NDCG]), "" if name == BASELINE else difference(values, base, NDCG)]
            yield tuple(cells)


def statistics() -> Iterator[tuple[str, ...]]:
    """Yield a line for each pruned index: its means with the statistics from before and after pruning."""
    for collection in map(Collection, NAMES):
        base = {model: collection.values(collection.run(BASELINE, model)) for model in (QLD, BM25)}
        for name in (PRUNED, "none|dcp@0.15", COMBINED):
            for model in (QLD, BM25):
                first, second = (collection.values(collection.run(name, model, original)) for original in (True, False))
                yield (
                    collection.name,
                    f"`{name}`",
                    {QLD: "query likelihood", BM25: "BM25"}[model],
                    mean(base[model][NDCG]),
                    mean(first[NDCG]),
                    mean(second[NDCG]),
                    difference(second, first, NDCG),
                )


def condensed(run: Run, qrels: Qrels) -> dict[str, dict[str, float]]:
    """Return a run without unjudged pages (Sakai, SIGIR 2007)."""
    return {
        topic: {document: score for document, score in hits.items() if document in qrels.get(topic, {})}
        for topic, hits in run.items()
    }


def at_least(qrels: Qrels, grade: int) -> dict[str, dict[str, int]]:
    """Return binary judgments: pages with at least a grade are relevant."""
    return {topic: {document: int(own >= grade) for document, own in of.items()} for topic, of in qrels.items()}


JUDGED_VARIANTS = (CONTENT, BOILERPIPE, "justext", PRUNED, COMBINED)


def judgments() -> Iterator[tuple[str, ...]]:
    """Yield a line for each variant: judged share of its first ten pages, and means with and without unjudged pages."""
    for collection in map(Collection, NAMES):
        qrels = collection.topics.qrels
        base = collection.run(BASELINE)
        for name in (BASELINE, *JUDGED_VARIANTS):
            run = collection.run(name)
            cells = [collection.name, f"`{name}`", mean(collection.values(run, None, ["Judged@10"])["Judged@10"])]
            for change in (lambda run, _: run, condensed):
                values, others = (collection.values(change(each, qrels)) for each in (run, base))
                cells += [mean(values[NDCG]), "" if name == BASELINE else difference(values, others, NDCG)]
            yield tuple(cells)


def grades() -> Iterator[tuple[str, ...]]:
    """Yield the differences on the web collection by stricter and laxer judges: relevant from grade 1, 2 or 3."""
    collection = Collection("web")
    measure = "nDCG@10"
    base = collection.run(BASELINE)
    for name in JUDGED_VARIANTS:
        run = collection.run(name)
        cells = [f"`{name}`", difference(collection.values(run), collection.values(base), NDCG)]
        for grade in (1, 2, 3):
            qrels = at_least(collection.topics.qrels, grade)
            values, others = (collection.values(each, qrels, [measure]) for each in (run, base))
            cells.append(difference(values, others, measure))
        yield tuple(cells)


def ranks() -> Iterator[tuple[str, ...]]:
    """Yield a line for each variant: measures of the ranks of answering pages in Ray's documentation."""
    collection = Collection("ray-docs")
    measures = ("Success@1", "Success@10", "RR", "R@1000")
    for name in (BASELINE, *JUDGED_VARIANTS):
        values = collection.values(collection.run(name), None, measures)
        yield f"`{name}`", *(mean(values[measure]) for measure in measures)


CAPTION = "Differences with 95 % intervals over topics (percentile bootstrap), in bold type if they exclude zero."
SHORT = measure_header(NDCG)[0]
TABLES: Mapping[str, Sequence[tuple[str, Callable[[], Iterator[tuple[str, ...]]], tuple[str, ...], str]]] = {
    "titles": [
        (
            "titles",
            titles,
            (
                "collection",
                "variant",
                f"{SHORT} with headings",
                "without",
                "difference",
                "against no cleaning, with",
                "against no cleaning, both without",
            ),
            "ll",
        )
    ],
    "bm25": [
        (
            "bm25",
            models,
            (
                "collection",
                "variant",
                f"query likelihood, {SHORT}",
                "against no cleaning",
                f"BM25, {SHORT}",
                "against no cleaning",
            ),
            "ll",
        )
    ],
    "statistics": [
        (
            "statistics",
            statistics,
            (
                "collection",
                "variant",
                "model",
                f"unpruned {SHORT}",
                "original statistics",
                "its own",
                "own less original",
            ),
            "lll",
        )
    ],
    "judgments": [
        (
            "judgments",
            judgments,
            (
                "collection",
                "variant",
                "Judged@10",
                SHORT,
                "against no cleaning",
                f"condensed {SHORT}",
                "against no cleaning",
            ),
            "ll",
        ),
        ("grades", grades, ("variant", "graded", "relevant from 1", "from 2", "from 3"), "l"),
        ("ranks", ranks, ("variant", "Success@1", "Success@10", "RR", "R@1000"), "l"),
    ],
}


def main(names: Sequence[str]) -> None:
    """Fill the pages."""
    for name in names:
        for place, rows, heads, align in TABLES[name]:
            caption = CAPTION if place != "ranks" else "172 questions; means."
            caption += f" {JUDGE}" if place != "ranks" else ""
            put(PAGES / f"{name}.md", place, f"{markdown(heads, rows(), align)}\n{caption}\n")


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("table", choices=(*TABLES, "all"))
    table_name = parser.parse_args().table
    main([*TABLES] if table_name == "all" else [table_name])
