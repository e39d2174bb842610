"""What `run` and `explore` keep of each other: the results in a folder, where they rest on the same evidence."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

from thresher.costs import read_machine
from thresher.errors import StateError
from thresher.experiments.config import Experiment
from thresher.experiments.energy import power_of
from thresher.experiments.inputs import Scored, TopicSet
from thresher.scoring.lost_pages import failures
from thresher.scoring.store import missing_documents
from thresher.variants.files import RESULTS_FILE, read_results
from thresher.variants.results import Facts, Pages, Results, Setup

# A crawl may have millions, which are in failures.jsonl.
_REASONS_KEPT = 10_000


def kept_results(folder: Path, key: str, say: Callable[[str], None]) -> Results | None:
    """Return the results in a folder; None where there are none, or they rest on other evidence, which is said."""
    if not (folder / RESULTS_FILE).exists():
        return None
    try:
        results = read_results(folder)
    except StateError as error:
        say(f"{error.what}: what was explored or run before is made again")
        return None
    if results.facts.key != key:
        say("what was explored or run before rests on other pages, topics or options: it is left out")
        return None
    return results


def facts_of(experiment: Experiment, scored: Scored, key: str) -> Facts:
    """Return what holds for all variants, before any of them is built."""
    inputs, scores = scored.inputs, scored.report
    index, held_out = experiment.index, inputs.held_out
    held = {"positions": index.positions, "stored text": index.stored, "document vectors": index.vectors}
    reasons = ((failure.name, failure.reason) for failure in islice(failures(scored.store), _REASONS_KEPT))
    return Facts(
        experiment=experiment.name,
        title=experiment.title,
        key=key,
        topics=_queries(inputs.topics),
        held_out_topics=_queries(held_out) if held_out else {},
        pages=Pages(scores.documents, scores.scored, scores.emptied, scores.failed, scores.words, tuple(reasons)),
        setup=Setup(
            blocks=experiment.pages.blocks,
            language=experiment.pages.language,
            mib=experiment.limits.mib,
            seconds=experiment.limits.seconds,
            scorers=tuple(scorer.canonical_name for scorer in experiment.scorers),
            stemmer=index.stemmer,
            stopwords=index.stopwords,
            holds=tuple(name for name, on in held.items() if on),
            depth=experiment.depth,
            seed=experiment.seed,
            workers=scores.workers,
            timed=experiment.measure_seconds,
            power=power_of(experiment.costs, read_machine()),
        ),
        notices=tuple(_notices(scored)),
        alpha=experiment.alpha,
        correction=experiment.correction,
    )


def _queries(topics: TopicSet) -> dict[str, str]:
    return {topic: topics.topics[topic].query for topic in topics.ids}


def _notices(scored: Scored) -> list[str]:
    inputs, scores = scored.inputs, scored.report
    notices = list(inputs.notices)
    for topics, opening in ((inputs.topics, ""), (inputs.held_out, "held-out topics: ")):
        judged = {document for grades in (topics.qrels if topics else {}).values() for document in grades}
        missing = sorted(missing_documents(scored.store, judged)) if judged else []
        if missing:
            listed = ", ".join(missing[:5]) + (", …" if len(missing) > 5 else "")
            notices.append(f"{opening}{len(missing)} judged pages are not in this collection: {listed}")
    if scores.failed:
        notices.append(
            f"{scores.failed} of {scores.documents} pages failed; failures.jsonl lists them with their reasons"
        )
    if scores.emptied:
        notices.append(f"{scores.emptied} of {scores.documents} pages hold no text")
    return notices
