"""Training a word model: from text to a folder with the ARPA file, its card and perhaps KenLM's binary."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor

from thresher.errors import InputError
from thresher.files import atomic_path, file_digest
from thresher.language_models.arpa import Kept, Section, write_sections
from thresher.language_models.binaries import write_binary
from thresher.language_models.cards import ModelCard, Training
from thresher.language_models.counts import Corpus, Level, count_levels
from thresher.language_models.encoding import (
    SPECIAL,
    Reading,
    Vocabulary,
    WordCounts,
    encode,
    number_portions,
    sentences_to_score,
    vocabulary,
)
from thresher.language_models.interpolated import FLOOR, HISTORY, WEIGHTS, interpolated, maximum_likelihood
from thresher.language_models.kneser_ney import kneser_ney
from thresher.language_models.models import ARPA, BINARY, CARD, find_model
from thresher.language_models.plans import KNESER_NEY, MLE, Plan
from thresher.language_models.texts import describe, portions
from thresher.language_models.tokenisers import NORMALISATIONS, tokeniser
from thresher.language_models.word_model import WordModel
from thresher.pages import PageOptions
from thresher.pages.plain import Ints, plain_text
from thresher.progress import progress

PERCENTILES = (1, 5, *range(10, 100, 10), 95, 99)
# So many held-out sentences make percentiles worth having.
_ENOUGH_HELD = 100


def train(plan: Plan) -> ModelCard:
    """Train a model and write its folder, whole or not at all; an older model there is replaced.

    The same text gives the same ARPA file, whatever the number of workers. Files for work lie beside the folder.

    Raises:
        ConfigError: if the plan cannot be.
        ThresherError: if the text cannot be read or has no words; for errors of the operating system.
    """
    plan.check()
    files = [describe(path) for path in plan.texts]
    # Starting processes takes longer than a little text.
    workers = max(1, min(plan.workers, sum(file.bytes for file in files) // plan.portion_bytes))
    with atomic_path(plan.output) as folder:
        work = folder / "work"
        work.mkdir(parents=True)
        try:
            found = _read(plan, work, workers)
            hold_out = plan.hold_out and found.held >= _ENOUGH_HELD
            if not hold_out:
                found.train_on_all()
            words = _vocabulary(plan, found)
            number_portions(work, found.portions, words)
            corpus = Corpus(work, found.portions, ends=plan.estimator == KNESER_NEY, hold_out=hold_out)
            levels = count_levels(corpus, words, plan.order, workers)
        finally:
            if workers > 1:
                # Idle workers would keep their memory.
                get_reusable_executor().shutdown(wait=True, kill_workers=True)
        sections, parameters, formula = _estimate(plan, levels)
        arpa = folder / ARPA
        write_sections(arpa, words.words, sections)
        write_binary(arpa, folder / BINARY)
        lines, counted = sentences_to_score(work, range(found.portions), held=hold_out)
        perplexities = _percentiles(find_model(str(folder)), lines, counted)
        training = Training(
            date=datetime.now(UTC).date().isoformat(),
            texts=tuple(asdict(file) for file in files),
            words=found.counts.total(),
            sentences=found.sentences,
            vocabulary=len(words.words) - len(SPECIAL),
            least_count=plan.least_count,
            most_words=plan.most_words,
            cut_words=int(words.counts[0]),
            prune=plan.thresholds,
            estimator=plan.estimator,
            parameters=parameters,
            perplexities=perplexities,
            perplexities_of="held-out sentences" if hold_out else "training sentences",
            perplexity_sentences=len(lines),
        )
        card = _card(plan, training, formula, tuple(section.size for section in sections), file_digest(arpa))
        card.write(folder / CARD)
        shutil.rmtree(work)
    return card


def _read(plan: Plan, work: Path, workers: int) -> WordCounts:
    """Cut the text into words, and count them."""
    found = WordCounts()
    reading = Reading(PageOptions(language=plan.language), plan.field, tokeniser(plan.tokeniser, "--tokeniser"))
    pool = Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1)
    parts = enumerate(portions(plan.texts, plan.portion_bytes))
    jobs = (delayed(encode)(portion, number, work, reading) for number, portion in parts)
    for counts in progress(pool(jobs), "reading text", None, "portions"):
        found.add(counts)
    return found


def _vocabulary(plan: Plan, found: WordCounts) -> Vocabulary:
    if not found.counts:
        raise InputError("the training text has no words", "give text with words", ", ".join(map(str, plan.texts)))
    words = vocabulary(found.counts, found.sentences, plan.least_count, plan.most_words)
    if len(words.words) == len(SPECIAL):
        most = max(found.counts.values())
        raise InputError(
            f"no word occurs {plan.least_count} times, the most frequent one {most} times",
            f"lower --min-count to {most} or less",
            ", ".join(map(str, plan.texts)),
        )
    return words


def _estimate(plan: Plan, levels: Sequence[Level]) -> tuple[list[Section], dict[str, Any], str]:
    """Return the model, the estimator's parameters, and its formula in words."""
    kept: list[Kept | None] = [
        level.counts > threshold if threshold else None
        for level, threshold in zip(levels, plan.thresholds, strict=True)
    ]
    if plan.estimator == KNESER_NEY:
        sections, discounts = kneser_ney(levels, kept)
        return (
            sections,
            {
                "discounts": [list(found.values) for found in discounts],
                "fallback_discounts_at_orders": [order for order, found in enumerate(discounts, 1) if found.fallback],
            },
            "interpolated modified Kneser-Ney (Chen and Goodman 1999), with <s>, </s> and <unk> as in KenLM's lmplz",
        )
    if plan.estimator == MLE:
        return (
            maximum_likelihood(levels, kept),
            {"floor": FLOOR},
            f"C(h w) / C(h) with the {plan.order - 1} words before as history h, and {FLOOR:g} for what was not seen",
        )
    weights = WEIGHTS[plan.order]
    terms = ["P(w | u v)", "P(w | v)"][-plan.order + 1 :]
    shares = " + ".join(f"{weight:g} * {term}" for weight, term in zip(weights[:0:-1], terms, strict=True))
    unigram = "v" if plan.unigram == HISTORY else "w"
    return (
        interpolated(levels, kept, plan.unigram),
        {"weights": list(weights), "unigram": plan.unigram, "floor": FLOOR},
        f"{shares} + {weights[0]:g} * P({unigram}) + {FLOOR:g}, by maximum likelihood",
    )


def _card(plan: Plan, training: Training, formula: str, ngrams: tuple[int, ...], digest: str) -> ModelCard:
    if training.cut_words:
        unknown = f"{training.cut_words} rare words of the text count as <unk>"
    elif plan.estimator == KNESER_NEY:
        unknown = "<unk> was not seen in training: it has the unigrams' interpolation weight, divided by the vocabulary"
    else:
        unknown = "<unk> was not seen in training: a word of count 0"
    predicted = "predicted, but not scored" if plan.estimator == KNESER_NEY else "neither counted nor scored"
    return ModelCard(
        name=plan.output.name,
        language=plan.language,
        corpus=", ".join(str(text["name"]) for text in training.texts),
        order=plan.order,
        ngrams=ngrams,
        formula=formula,
        tokeniser=plan.tokeniser,
        log_base="log10 in the file; perplexity = 10 ** (-log10 P / words)",
        unknown_words=unknown,
        sentence_ends=f"<s> begins a sentence, </s> is {predicted}",
        digest=digest,
        normalisation=NORMALISATIONS[plan.tokeniser],
        training=training,
    )


def _percentiles(path: Path, lines: Sequence[bytes], counted: Ints) -> dict[str, float]:
    """Return the perplexities of sentences at `PERCENTILES`, as `WordModel.perplexities` has them."""
    model = WordModel(path, lambda *_: ([*lines], counted))
    values = model.perplexities(plain_text(""), counted)
    found = np.percentile(values, PERCENTILES)
    return {str(percentile): round(float(value), 4) for percentile, value in zip(PERCENTILES, found, strict=True)}
