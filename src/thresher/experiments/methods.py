"""How everything was measured, in words, for the report."""

from __future__ import annotations

from collections.abc import Mapping

from thresher.experiments.config import Experiment
from thresher.experiments.energy import Meter
from thresher.experiments.inputs import Inputs
from thresher.reports.formatting import exact_number
from thresher.scoring.score_pass import ScoreReport


def methods(
    experiment: Experiment,
    inputs: Inputs,
    scores: ScoreReport,
    meter: Meter,
    cutoffs: Mapping[str, float],
    measure: str,
) -> tuple[tuple[str, str], ...]:
    """Return (heading, text) pairs in reading order.

    `cutoffs` are what percentiles came to, by the cuts' names; `measure` is the one that cutoffs are chosen by.
    """
    index = experiment.index
    held = ["postings with frequencies"] + [
        what
        for what, on in (
            ("positions", index.positions),
            ("stored text", index.stored),
            ("document vectors", index.vectors),
        )
        if on
    ]
    stop = "Lucene's English stop words left out" if index.stopwords else "no stop words left out"
    return (
        (
            "Pages",
            f"{scores.documents} pages = {scores.scored} scored + {scores.emptied} without text + {scores.failed} failed. "
            f"{_BLOCKS[experiment.pages.blocks]} Sentences are split by rule (language: {experiment.pages.language}). "
            f"Pages over {experiment.limits.mib:g} MiB or {experiment.limits.seconds:g} s count as failed. "
            "The baseline `none` keeps all text, the title included; scripts, styles and what is not shown are dropped.",
        ),
        (
            "Scorers",
            " ".join(
                f"{scorer.canonical_name}: {(type(scorer).__doc__ or '').strip()} "
                f"({'decides' if scorer.decides else scorer.keep}; {scorer.source})."
                for scorer in experiment.scorers
            )
            or "None.",
        ),
        *((("Percentiles", _percentiles(cutoffs)),) if cutoffs else ()),
        (
            "Index",
            f"Lucene through Pyserini, one thread, merged into one segment; it holds {', '.join(held)}. "
            f"Stemmer: {index.stemmer}; {stop}. Bytes are the sizes of the index's files.",
        ),
        (
            "Retrieval",
            f"{', '.join(model.name for model in experiment.retrieval)}; {experiment.depth} hits a topic; equal scores are "
            "ordered by document id, ascending, and lowered so that trec_eval keeps that order.",
        ),
        (
            "Evaluation",
            f"All {len(inputs.topics.ids)} topics with a judgment; a topic without hits counts as 0. Two-sided Wilcoxon "
            "signed-rank test on per-topic values against the baseline of the same retrieval model: topics without a "
            "difference are dropped, equal differences share their mean rank, p is exact. Holm's correction over all "
            "variants and measures; effect size: matched-pairs rank-biserial correlation; interval: percentile bootstrap "
            f"of the mean difference (seed {experiment.seed}).",
        ),
        *((("Held-out topics", _held_out(measure, len(inputs.held_out.ids))),) if inputs.held_out else ()),
        (
            "Time and memory",
            f"Cleaning: the time that {scores.workers} worker processes spent on decoding, parsing and cutting pages and on "
            "the variant's own scorers, divided by the number of workers, and the time to apply the cutoff. Every page was "
            "parsed and scored once for all variants; a row shows what it would cost alone. Indexing and searching: wall "
            "time of this process after a warm-up; latency is measured query by query. Memory: the largest process.",
        ),
        (
            "CO2",
            f"{meter.method}. Stages under a second are below resolution."
            + (" Cleaning is estimated by Eq. 9 from its wall time." if meter.options.co2 == "codecarbon" else ""),
        ),
        (
            "Break-even",
            "Seconds that cleaning and indexing take beyond the baseline's, divided by the seconds a query saves. Both sides "
            "are wall time on this machine; where a query takes a millisecond, noise decides.",
        ),
    )


def _held_out(measure: str, topics: int) -> str:
    return (
        f"{topics} other topics with a judgment, searched in the same indexes and evaluated by themselves in the same way. Of "
        f"each sweep the cutoff with the best mean {measure} on the experiment's own topics is chosen, of equals the one with "
        "the smallest index; the held-out topics have no part in that. What the chosen cutoffs and the single cleaners are "
        "worth on the held-out topics is tested with Holm's correction over these alone. Optimism is how much more the best "
        "cutoff on the held-out topics would have promised than the chosen one is worth there."
    )


def _percentiles(cutoffs: Mapping[str, float]) -> str:
    found = "; ".join(f"{name} = {exact_number(value)}" for name, value in cutoffs.items())
    return (
        "The cutoff pN is the smallest score such that the segments with this score or a lower one hold at least N % of the "
        "collection's words; rN is the perplexity at that percentile of the sentences of the model's reference text, linear "
        f"between those in its card. Here: {found}. Finding them counts as cleaning."
    )


_BLOCKS = {
    "join": "A block is text between tags other than A and inline tags such as B and SPAN.",
    "split": "A block is text between tags other than A.",
}
