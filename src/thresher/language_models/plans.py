"""What to train: a plan, and whether it can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from thresher.errors import ConfigError, ConfigErrors
from thresher.language_models.interpolated import HISTORY, UNIGRAMS, WEIGHTS
from thresher.language_models.models import CARD
from thresher.language_models.texts import PORTION_BYTES
from thresher.language_models.tokenisers import TOKENISERS, WORDS

INTERPOLATED, MLE, KNESER_NEY = "interpolated", "mle", "kneser-ney"
ESTIMATORS = (INTERPOLATED, MLE, KNESER_NEY)
ORDERS = range(1, 6)


@dataclass(frozen=True)
class Plan:
    """What to train.

    Attributes:
        texts: files and folders, as `texts.portions` reads them.
        output: the model's folder.
        order: the length of the longest n-grams.
        estimator: one of `ESTIMATORS`.
        unigram: whose unigram `interpolated` mixes in.
        tokeniser: the name of the tokeniser.
        language: whose abbreviations end no sentence.
        field: the member of JSON lines that holds the text.
        least_count: rarer words become `<unk>`.
        most_words: so many of the most frequent words are kept, the others become `<unk>`; None keeps all.
        prune: for each order, n-grams that occur so often or less are left out; the last holds for longer ones too.
        hold_out: whether every hundredth sentence is held out to tell the card's perplexities, if there are enough.
        workers: how many processes.
        portion_bytes: how much text is worked on at once.
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
        """Check everything that can be known before the text is read.

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
            ConfigError("it exists and is no language model", "choose another folder", f"--output {plan.output}")
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
