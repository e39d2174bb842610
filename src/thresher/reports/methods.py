"""How everything was measured, in words: headings with their sentences, from the facts of an experiment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from thresher.base.defaults import RANDOMISATION, STUDENT, WILCOXON
from thresher.base.number_text import exact_number
from thresher.cleaners.cleaner import parse_scorer
from thresher.cleaners.scorer import Declared, Scorer
from thresher.evaluation.mean_tests import DRAWS, MOST_EXACT
from thresher.evaluation.significance import TEST_NAMES
from thresher.experiments.manifest import Software
from thresher.experiments.results import Facts, Results
from thresher.indexes.analysis import Analysis, formula_of
from thresher.indexes.pruning.treatments import Treatment, method_class
from thresher.reports.formatting import correction_text
from thresher.reports.software import origin, program
from thresher.reports.table import measure_header
from thresher.scores.weighting import Weights

_BLOCKS = {
    "join": "A block is text between tags other than A and inline tags such as B and SPAN.",
    "split": "A block is text between tags other than A.",
}
_QUOTAS = (
    "The cutoff docN keeps of each page the best-scored segments until they hold at least N % of its words. Only words "
    "that earlier cuts keep are counted. Kept headings are taken first; dropped headings are not counted."
)
_TIMING = (
    "Queries are timed in all indexes together, all open and warm, in rounds of random order; all are opened anew every "
    "few rounds (a restart). A figure is the median over all rounds, and its mean over topics. A ratio is the geometric "
    "mean over topics of a variant's time by the baseline's, with a 95 % interval by a bootstrap over restarts and "
    "topics. A copy of the baseline's index is timed like a variant: a ratio within the noise of the copy's ratio is not "
    "measurable here. Indexing is timed alike in repeated rounds, or once if a round takes too long. CPU seconds are "
    "those of the thread that searches, or of the process that indexes without the thread that cuts pages."
)

_BREAK_EVEN = (
    "The additional seconds of cleaning and indexing over the baseline, divided by the seconds that a query saves, if these "
    "exceed noise. If several machines clean, CO₂ has a break-even of its own: cleaning counts on each of them."
)
_TESTS = {
    WILCOXON: "topics without a difference are dropped, equal differences share their mean rank, p is exact",
    STUDENT: "the mean difference by its standard error (Student 1908)",
    RANDOMISATION: (
        "each difference may have either sign (Fisher 1935; Smucker, Allan and Carterette 2007); p is exact with at most "
        f"{MOST_EXACT} topics that differ, else from {DRAWS:,} random draws of the signs"
    ),
}


class Method(NamedTuple):
    """A heading and the sentences below it, a line each."""

    heading: str
    lines: tuple[str, ...]


def methods(results: Results, software: Software | None = None) -> tuple[Method, ...]:
    """Return how values, sizes and costs came about, in reading order; None for software that is not known."""
    facts = results.facts
    setup = facts.setup
    formulas = [formula_of(model) for model in results.retrievals]
    treatments = [row.variant.treatment for row in results.tables[0].rows]
    sections = [
        Method("Pages", tuple(_pages(facts))),
        Method("Scorers", tuple(_scorers(setup.scorers))),
        Method("Weights", tuple(_weights(treatments))),
        Method("Pruning", tuple(_prunings(treatments))),
        Method("Percentiles and quotas", tuple(_relative_cutoffs(results, treatments))),
        Method("Index", tuple(_index(results))),
        Method("Retrieval", (*formulas, _hits(setup.depth))),
        Method("Evaluation", tuple(_evaluation(results))),
    ]
    if results.was_run:
        sections += _costs(facts)
    if software is not None:
        sections.append(Method("Software", tuple(_software(software))))
    return tuple(section for section in sections if section.lines)


def _software(software: Software) -> Iterator[str]:
    thresher = program(software, "thresher")
    where_from = origin(software)
    if where_from:
        thresher += f" ({where_from})"
    yield f"{thresher}."
    lucene = program(software, "lucene")
    anserini = program(software, "anserini")
    pyserini = program(software, "pyserini")
    yield f"{lucene} through {anserini} and {pyserini}; {program(software, 'ir-measures')}."


def _weights(treatments: list[Treatment]) -> Iterator[str]:
    names: list[str] = []
    for treatment in treatments:
        if treatment.weights and treatment.weights.canonical_name not in names:
            names.append(treatment.weights.canonical_name)
    if names:
        yield f"{', '.join(names)}: {_description(Weights)}"


def _prunings(treatments: list[Treatment]) -> Iterator[str]:
    names: list[str] = []
    for treatment in treatments:
        if treatment.pruning and treatment.pruning.method.canonical_name not in names:
            names.append(treatment.pruning.method.canonical_name)
    for name in names:
        yield f"{name}: {_description(method_class(name.partition('(')[0], name))}"


def _hits(depth: int) -> str:
    return (
        f"{depth} hits per topic; equal scores are ordered by document id, ascending, and lowered so that trec_eval keeps "
        "that order."
    )


def _pages(facts: Facts) -> Iterator[str]:
    pages = facts.pages
    setup = facts.setup
    yield (
        f"{pages.documents} pages = {pages.scored} scored + {pages.emptied} without text + {pages.failed} failed. Pages over "
        f"{setup.mib:g} MiB or {setup.seconds:g} s count as failed."
    )
    yield f"{_BLOCKS[setup.blocks]} Sentences are split by rule (language: {setup.language})."
    yield "The baseline `none` keeps all text, the title included; scripts, styles and what is not shown are dropped."


def _scorers(names: tuple[str, ...]) -> Iterator[str]:
    by_class: dict[type[Scorer], list[str]] = {}
    for name in names:
        by_class.setdefault(type(parse_scorer(name).scorer), []).append(name)
    for kind, members in by_class.items():
        yield f"{', '.join(members)}: {_description(kind)}"


def _description(kind: type[Declared]) -> str:
    first = (kind.__doc__ or "").split("\n\n")[0]
    return f"{' '.join(first.split())} Source: {kind.source}."


def _relative_cutoffs(results: Results, treatments: list[Treatment]) -> Iterator[str]:
    cutoffs: dict[str, float] = {}
    for row in results.tables[0].rows:
        if row.built:
            cutoffs.update(row.built.cutoffs)
    if cutoffs:
        values: list[str] = []
        for name, value in cutoffs.items():
            values.append(f"{name} = {exact_number(value)}")
        yield (
            "The cutoff pN is the smallest score such that the segments with this score or a lower one hold at least N % of "
            "the collection's words; rN is the perplexity at that percentile of the sentences of the model's reference text, "
            f"linear between those in its card. Here: {'; '.join(values)}. Finding them counts as cleaning."
        )
    if any(map(_has_quota, treatments)):
        yield _QUOTAS


def _has_quota(treatment: Treatment) -> bool:
    return any(cut.quota for cut in treatment.cleaner.cuts)


def _index(results: Results) -> Iterator[str]:
    setup = results.facts.setup
    contents = ["postings with frequencies"]
    contents += setup.holds
    analysis = Analysis(setup.index_language, setup.stemmer, setup.stopwords)
    yield (
        f"Lucene through Pyserini, one thread, merged into one segment; it holds {', '.join(contents)}. "
        f"{analysis.description}."
    )
    yield "Sizes are postings, pairs of a document and a term. Bytes are the sizes of all files that a search reads."
    if results.was_explored:
        yield (
            "Variants that were explored were ranked without an index, with the scores that Lucene would give. Their postings "
            "are exact; their bytes (≈) are estimated from postings, terms, documents and ids."
        )


def _evaluation(results: Results) -> Iterator[str]:
    facts = results.facts
    yield f"All {len(facts.topics)} topics with a judgment; a topic without hits counts as 0."
    full: list[str] = []
    for measure in results.measures:
        name = measure_header(measure).name
        if name != measure:
            full.append(f"{name} is {measure}")
    if full:
        yield f"Measures as ir-measures names them: {'; '.join(full)}."
    if not results.was_run:
        return
    if results.tests:
        correction = correction_text(facts.correction, "all variants and measures")
        yield (
            f"{TEST_NAMES[facts.test]} on per-topic values against the baseline of the same retrieval model: "
            f"{_TESTS[facts.test]}. {correction[:1].upper()}{correction[1:]}; significance level {facts.alpha:g}."
        )
    yield (
        "Effect size: matched-pairs rank-biserial correlation. Interval: percentile bootstrap of the mean difference, of "
        f"level {1 - facts.alpha:g} (seed {facts.setup.seed})."
    )
    if facts.held_out_topics:
        yield (
            f"{len(facts.held_out_topics)} held-out topics are searched in the same indexes and evaluated by themselves in "
            "the same way; they have no part in choosing cutoffs."
        )


def _costs(facts: Facts) -> Iterator[Method]:
    cleaning = (
        f"Cleaning: the time that {facts.setup.workers} worker processes spent on decoding, parsing and cutting pages and on "
        "the variant's own scorers, divided by the number of workers, and the time to apply the cutoff. Every page was parsed "
        "and scored once for all variants; a row shows what it would cost alone."
    )
    timing = "Nothing else was timed."
    if facts.noise:
        timing = _TIMING
    yield Method("Time and memory", (cleaning, timing))
    yield Method("CO₂", (f"{facts.setup.power}. Stages under a second are below resolution.",))
    if facts.noise:
        yield Method("Break-even", (_BREAK_EVEN,))
