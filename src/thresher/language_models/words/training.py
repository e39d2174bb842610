"""Training word models: the plan, its check, and the estimation of a model from counts."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from thresher.errors import ConfigError, ConfigErrors, InputError
from thresher.files import atomic_path, file_digest
from thresher.language_models.words.arpa import Kept, Section, write_binary, write_sections
from thresher.language_models.words.cards import ModelCard, Training
from thresher.language_models.words.counts import Corpus, Level, count_levels
from thresher.language_models.words.encoding import (
    Reading,
    SentenceCounts,
    encode,
    merge_portions,
    number_portions,
    sentences_to_score,
)
from thresher.language_models.words.estimates import (
    FLOOR,
    HISTORY,
    UNIGRAMS,
    WEIGHTS,
    interpolated,
    kneser_ney,
    maximum_likelihood,
)
from thresher.language_models.words.models import ARPA, BINARY, CARD, find_model
from thresher.language_models.words.texts import PORTION_BYTES, describe, portions
from thresher.language_models.words.tokenisers import NORMALISATIONS, TOKENISERS, WORDS, tokeniser
from thresher.language_models.words.vocabulary import END, SPECIAL, Vocabulary, vocabulary
from thresher.language_models.words.word_files import read_array
from thresher.language_models.words.word_model import Floats, WordModel
from thresher.pages import PageOptions
from thresher.pages.plain import plain_text
from thresher.passes.backends import Backend, end_workers, run_tasks
from thresher.progress import progress

INTERPOLATED, MLE, MLE_OCCURRENCES, KNESER_NEY = "interpolated", "mle", "mle-occurrences", "kneser-ney"
ESTIMATORS = (INTERPOLATED, MLE, MLE_OCCURRENCES, KNESER_NEY)
ORDERS = range(1, 6)


@dataclass(frozen=True)
class Plan:
    """A training configuration.

    Attributes:
        texts: files and folders, as `texts.portions` reads them.
        output: the model's folder.
        order: the length of the longest n-grams.
        estimator: one of `ESTIMATORS`.
        unigram: one of `UNIGRAMS`, for `interpolated`.
        tokeniser: the name of the tokeniser.
        language: whose abbreviations end no sentence.
        field: the member of JSON lines that holds the text.
        least_count: rarer words become `<unk>`.
        most_words: the most frequent words to keep, others become `<unk>`; None keeps all.
        prune: for each order, the count up to which n-grams are left out; the last is also that of longer ones.
        hold_out: whether every hundredth sentence is held out for the card's perplexities, if there are enough.
        workers: the number of processes.
        portion_bytes: text per worker task.
    """

    texts: tuple[Path, ...]
    output: Path
    order: int = 2
    estimator: str = INTERPOLATED
    unigram: str = HISTORY
    tokeniser: str = WORDS
    language: str = "en"
    field: str = "text"
    least_count: int = 1
    most_words: int | None = None
    prune: tuple[int, ...] = (0,)
    hold_out: bool = True
    workers: int = 2
    portion_bytes: int = PORTION_BYTES

    @property
    def thresholds(self) -> tuple[int, ...]:
        """The pruning threshold of each order."""
        return (*self.prune, *[self.prune[-1]] * self.order)[: self.order]

    def check(self) -> None:
        """Validate the plan before reading text.

        Raises:
            ConfigError: for one problem or several.
        """
        problems = _problems(self)
        if problems:
            raise problems[0] if len(problems) == 1 else ConfigErrors(problems)


def _problems(plan: Plan) -> list[ConfigError]:
    problems = [
        ConfigError("there is no such file or folder", "check the path", str(path))
        for path in plan.texts
        if not path.exists()
    ]
    if not plan.texts:
        problems.append(ConfigError("there is no text to train on", "name files of text, or folders of HTML", "TEXT"))
    if plan.output.exists() and not _is_replaceable(plan.output):
        problems.append(
            ConfigError("it exists and is not a language model", "choose another folder", f"--output {plan.output}")
        )
    orders = [*WEIGHTS] if plan.estimator == INTERPOLATED else [*ORDERS]
    if plan.estimator not in ESTIMATORS:
        problems.append(_unknown("estimator", plan.estimator, ESTIMATORS))
    elif plan.order not in orders:
        problems.append(
            ConfigError(
                f"the estimator {plan.estimator} has no models of order {plan.order}",
                f"choose an order from {orders[0]} to {orders[-1]}",
                f"--order {plan.order}",
            )
        )
    if plan.unigram not in UNIGRAMS:
        problems.append(_unknown("unigram", plan.unigram, UNIGRAMS))
    if plan.tokeniser not in TOKENISERS:
        problems.append(_unknown("tokeniser", plan.tokeniser, [*TOKENISERS]))
    where = f"--prune {' '.join(map(str, plan.prune))}"
    if not 0 < len(plan.prune) <= plan.order:
        problems.append(
            ConfigError("there must be a threshold for each order at most", f"give 1 to {plan.order} numbers", where)
        )
    elif plan.prune[0] != 0:
        problems.append(ConfigError("words cannot be pruned", "begin with 0, and cut words by --min-count", where))
    elif [*plan.prune] != sorted(plan.prune):
        problems.append(ConfigError("the thresholds must not fall", "give longer n-grams the higher ones", where))
    for option, value in (("--min-count", plan.least_count), ("--vocabulary", plan.most_words)):
        if value is not None and value < 1:
            problems.append(ConfigError("it must be 1 or more", "give a larger number", f"{option} {value}"))
    return problems


def _unknown(what: str, value: str, known: Sequence[str]) -> ConfigError:
    return ConfigError(f"unknown {what} {value!r}", f"use one of {', '.join(known)}", f"--{what} {value}")


def _is_replaceable(folder: Path) -> bool:
    return folder.is_dir() and ((folder / CARD).exists() or not any(folder.iterdir()))


PERCENTILES = (1, 5, *range(10, 100, 10), 95, 99)
# With fewer held-out sentences, percentiles are unreliable.
_ENOUGH_HELD = 100


def train(plan: Plan) -> ModelCard:
    """Train a model and write its folder atomically; an older model there is replaced.

    The ARPA file does not depend on the number of workers. Temporary files are beside the folder. Memory grows with the model
    alone, once KenLM loads it: neither with the text nor with the vocabulary, but for 8 bytes a scored sentence.

    Raises:
        ConfigError: if the plan is wrong.
        ThresherError: if the text cannot be read or has no words; for errors of the operating system.
    """
    plan.check()
    files = [describe(path) for path in plan.texts]
    # For little text, starting processes takes longer than the work.
    workers = max(1, min(plan.workers, sum(file.bytes for file in files) // plan.portion_bytes))
    with atomic_path(plan.output) as folder:
        work = folder / "work"
        work.mkdir(parents=True)
        try:
            counts = _read(plan, work, workers)
            held, sentences = sum(one.held for one in counts), sum(one.sentences for one in counts)
            hold_out = plan.hold_out and held >= _ENOUGH_HELD
            if not hold_out:
                sentences += held
            merged = merge_portions(work, len(counts), hold_out)
            words = _vocabulary(plan, merged, sentences)
            number_portions(work, len(counts), merged)
            corpus = Corpus(work, len(counts), ends=plan.estimator == KNESER_NEY, hold_out=hold_out)
            levels = count_levels(corpus, words, plan.order, workers)
        finally:
            # Idle workers keep their memory.
            end_workers()
        sections, parameters, formula = _estimate(plan, levels)
        arpa = folder / ARPA
        write_sections(arpa, words.words, sections, work)
        write_binary(arpa, folder / BINARY)
        perplexities = _perplexities(find_model(str(folder)), work, len(counts), hold_out)
        percentiles = np.percentile(perplexities, PERCENTILES)
        training = Training(
            date=datetime.now(UTC).date().isoformat(),
            texts=tuple(files),
            words=int(words.counts.sum() - words.counts[END]),
            sentences=sentences,
            vocabulary=len(words.words) - len(SPECIAL),
            least_count=plan.least_count,
            most_words=plan.most_words,
            cut_words=int(words.counts[0]),
            prune=plan.thresholds,
            estimator=plan.estimator,
            parameters=parameters,
            perplexities={str(at): round(float(value), 4) for at, value in zip(PERCENTILES, percentiles, strict=True)},
            perplexities_of="held-out sentences" if hold_out else "training sentences",
            perplexity_sentences=len(perplexities),
        )
        card = _card(plan, training, formula, tuple(section.size for section in sections), file_digest(arpa))
        card.write(folder / CARD)
        shutil.rmtree(work)
    return card


def _read(plan: Plan, work: Path, workers: int) -> list[SentenceCounts]:
    """Encode the training text; return the counts of its portions."""
    reading = Reading(PageOptions(language=plan.language), plan.field, tokeniser(plan.tokeniser, "--tokeniser"))
    tasks = (
        (portion, number, work, reading) for number, portion in enumerate(portions(plan.texts, plan.portion_bytes))
    )
    results = run_tasks(Backend(workers=workers), encode, tasks, "reading text", str(plan.output), keep=True)
    return list(progress(results, "reading text", None, "portions"))


def _vocabulary(plan: Plan, merged: Path, sentences: int) -> Vocabulary:
    most = read_array(merged.with_suffix(".counts")).max(initial=0)
    if not most:
        raise InputError("the training text has no words", "give text with words", ", ".join(map(str, plan.texts)))
    words = vocabulary(merged, sentences, plan.least_count, plan.most_words)
    if len(words.words) == len(SPECIAL):
        raise InputError(
            f"no word occurs {plan.least_count} times, the most frequent one {most} times",
            f"lower --min-count to {most} or less",
            ", ".join(map(str, plan.texts)),
        )
    return words


def _estimate(plan: Plan, levels: Sequence[Level]) -> tuple[list[Section], dict[str, Any], str]:
    """Return the model, the estimator's parameters, and its formula in words."""
    kept: list[Kept | None] = [
        np.greater(level.counts, threshold, out=level.array(np.bool_)) if threshold else None
        for level, threshold in zip(levels, plan.thresholds, strict=True)
    ]
    if plan.estimator == KNESER_NEY:
        sections, discounts = kneser_ney(levels, kept)
        return (
            sections,
            {
                "discounts": [list(level.values) for level in discounts],
                "fallback_discounts_at_orders": [order for order, level in enumerate(discounts, 1) if level.fallback],
            },
            "interpolated modified Kneser-Ney (Chen and Goodman 1999), with <s>, </s> and <unk> as in KenLM's lmplz",
        )
    if plan.estimator in (MLE, MLE_OCCURRENCES):
        history = "as history h" if plan.estimator == MLE else "as h, also where it ends a sentence"
        return (
            maximum_likelihood(levels, kept, plan.estimator == MLE_OCCURRENCES),
            {"floor": FLOOR},
            f"C(h w) / C(h) with the {plan.order - 1} words before {history}, and {FLOOR:g} for what was not seen",
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
        corpus=", ".join(text.name for text in training.texts),
        order=plan.order,
        ngrams=ngrams,
        formula=formula,
        tokeniser=plan.tokeniser,
        unknown_words=unknown,
        sentence_ends=f"<s> begins a sentence, </s> is {predicted}",
        digest=digest,
        normalisation=NORMALISATIONS[plan.tokeniser],
        training=training,
    )


def _perplexities(path: Path, work: Path, portions: int, held: bool) -> Floats:
    """Return `WordModel.perplexities` of the sentences to score, which are in memory portion by portion."""
    waiting = (sentences_to_score(work, number, held) for number in range(portions))
    model = WordModel(path, lambda *_: next(waiting))
    return np.concatenate([model.perplexities(plain_text(""), np.zeros(0, np.int64)) for _ in range(portions)])
