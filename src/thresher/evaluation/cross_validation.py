"""What a rule is worth on topics without a part in its choice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thresher.defaults import ALPHA
from thresher.evaluation.non_inferiority import check_values
from thresher.evaluation.rules import Rule, outcome
from thresher.evaluation.significance import SEED, TOLERANCE, Comparison, compare

FOLDS = 10
REPEATS = 10


@dataclass(frozen=True)
class Trainings:
    """What a rule picks on all folds of topics but one, for every fold of every repeat.

    Args:
        held_out: for each topic the value of what was picked without it, averaged over repeats.
        shares: of the trainings, those that pick each variant.
        baseline_share: those that pick none.
    """

    held_out: tuple[float, ...]
    shares: tuple[float, ...]
    baseline_share: float


@dataclass(frozen=True)
class CrossValidation:
    """A rule, cross-validated over topics.

    Args:
        choice: index of the variant that is picked on all topics, None for the baseline.
        apparent: its mean on the same topics.
        mean: of what was held out.
        optimism: apparent - mean.
        trainings: what was picked without each topic.
        comparison: of what was held out with the baseline.
    """

    choice: int | None
    apparent: float
    mean: float
    optimism: float
    trainings: Trainings
    comparison: Comparison


@dataclass(frozen=True)
class TransferredChoice:
    """A rule's choice on training topics, measured on held-out ones.

    Args:
        choice, best: indices of the variants that the rule picks on training and on held-out topics, None for the baseline.
        training, mean: of `choice`, on training and on held-out topics.
        apparent: mean of `best` on held-out topics.
        optimism: apparent - mean.
        comparison: of `choice` with the baseline, on held-out topics.
    """

    choice: int | None
    best: int | None
    training: float
    mean: float
    apparent: float
    optimism: float
    comparison: Comparison


def train(
    values: NDArray[np.float64],
    baseline: NDArray[np.float64],
    rule: Rule,
    *,
    folds: int = FOLDS,
    repeats: int = REPEATS,
    seed: int = SEED,
) -> Trainings:
    """Let a rule pick on all folds of topics but one, and measure its pick on that one; for every fold, repeatedly.

    Stone (1974): the whole procedure of choosing runs in every fold, as nothing of it may see the topics it is judged on.
    Trainings have fewer topics than there are, so the held-out mean is slightly pessimistic.

    Args:
        values: of a measure, [variant, topic], finite; or of several, [measure, variant, topic], the first of which is held
            out.
        baseline: [topic], or [measure, topic].
        rule: is called on each training.
        folds: 2 to the number of topics; with as many as topics (leaving one out), there is one repeat.
        repeats: at least 1; each shuffles the topics anew.
        seed: of the shuffles.

    Returns:
        Held-out values in the order of the topics.

    Raises:
        ValueError: if the arrays do not fit each other or are not finite, or folds or repeats are out of range.
    """
    check_values(values, baseline)
    topics = baseline.shape[-1]
    if not 2 <= folds <= topics or repeats < 1:
        raise ValueError(f"2 to {topics} folds, as there are {topics} topics, and at least 1 repeat are needed")
    if folds == topics:
        repeats = 1
    total = np.zeros(topics)
    chosen: list[int | None] = []
    for fold in _folds(topics, folds, repeats, seed):
        training = np.setdiff1d(np.arange(topics), fold)
        pick = rule(values[..., training], baseline[..., training])
        chosen.append(pick)
        total[fold] += outcome(pick, values, baseline)[fold]
    return Trainings(
        held_out=tuple((total / repeats).tolist()),
        shares=tuple(chosen.count(index) / len(chosen) for index in range(values.shape[-2])),
        baseline_share=chosen.count(None) / len(chosen),
    )


def validated(
    trainings: Trainings,
    choice: int | None,
    values: NDArray[np.float64],
    baseline: NDArray[np.float64],
    measure: str,
    *,
    alpha: float = ALPHA,
    seed: int = SEED,
) -> CrossValidation:
    """Set what was picked on all topics against what trainings picked and were worth.

    The comparison's test and interval assume independent held-out values, which those of overlapping trainings are not quite;
    no unbiased estimate of the variance exists (Bengio & Grandvalet 2004).

    Args:
        trainings: of the same values and baseline.
        choice: what was picked on all topics, None for the baseline.
        measure: the name to put into the comparison.
        alpha: of the comparison's interval.
        seed: of the comparison's bootstrap.
    """
    apparent, mean = float(outcome(choice, values, baseline).mean()), float(np.mean(trainings.held_out))
    base = outcome(None, values, baseline).tolist()
    return CrossValidation(
        choice=choice,
        apparent=apparent,
        mean=mean,
        optimism=_difference(apparent, mean),
        trainings=trainings,
        comparison=compare(trainings.held_out, base, measure, alpha=alpha, seed=seed),
    )


def transfer(
    training: tuple[NDArray[np.float64], NDArray[np.float64]],
    held_out: tuple[NDArray[np.float64], NDArray[np.float64]],
    rule: Rule,
    measure: str,
    *,
    on_all: Rule | None = None,
    alpha: float = ALPHA,
    seed: int = SEED,
) -> TransferredChoice:
    """Let a rule pick on one topic set, and measure its pick on another.

    Args:
        training: values [variant, topic] and the baseline's [topic]; or of several measures, as in `train`.
        held_out: the same variants on other topics.
        rule: is called once on each set; its choice on the held-out topics serves the optimism alone.
        measure: the name to put into the comparison.
        on_all: picks on the training topics, instead of `rule`.
        alpha: of the comparison's interval.
        seed: of the comparison's bootstrap.

    Raises:
        ValueError: if the arrays do not fit each other or are not finite.
    """
    check_values(*training)
    check_values(*held_out)
    if training[0].shape[-2] != held_out[0].shape[-2]:
        raise ValueError("the training and the held-out topics need the same variants")
    choice, best = (on_all or rule)(*training), rule(*held_out)
    there = outcome(choice, *held_out)
    apparent, mean = float(outcome(best, *held_out).mean()), float(there.mean())
    return TransferredChoice(
        choice=choice,
        best=best,
        training=float(outcome(choice, *training).mean()),
        mean=mean,
        apparent=apparent,
        optimism=_difference(apparent, mean),
        comparison=compare(there.tolist(), outcome(None, *held_out).tolist(), measure, alpha=alpha, seed=seed),
    )


def _folds(topics: int, folds: int, repeats: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Yield the held-out topics of each fold of each repeat; a repeat's folds differ by at most one topic in size."""
    generator = np.random.default_rng(seed)
    for _ in range(repeats):
        yield from np.array_split(generator.permutation(topics), folds)


def _difference(apparent: float, mean: float) -> float:
    return 0.0 if abs(apparent - mean) < TOLERANCE else apparent - mean
