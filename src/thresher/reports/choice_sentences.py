"""What stands beside the recommendation, in sentences that can be checked against the tables: other rules and measures."""

from __future__ import annotations

from collections.abc import Iterator

from thresher.choosing.choices import Choice
from thresher.choosing.decisions import Decision, HeldOutCheck, Pick, RuleName
from thresher.reports.formatting import change_text, measure_text, percent


def choice_sentences(choice: Choice) -> Iterator[str]:
    """Give, for each retrieval model, what other rules pick and are worth elsewhere, and the verdicts by other measures."""
    models = choice.models
    for model in models:
        main = model.main
        opening = f"{main.retrieval}: " if len(models) > 1 else ""
        sentences = [
            _elsewhere(main, pick, pick.check) for pick in main.picks if pick.check and _stands_beside(main, pick)
        ]
        sentences += _other_measures(main, model.others)
        yield from (opening + sentence for sentence in sentences)


def _stands_beside(decision: Decision, pick: Pick) -> bool:
    """Say whether a rule is another than the one recommended by, and picks something else if it differs by guards alone."""
    same = pick.rule is RuleName.SMALLEST and pick.variant == decision.recommended
    return pick.rule is not RuleName.GUARDED and not same


def _elsewhere(decision: Decision, pick: Pick, check: HeldOutCheck) -> str:
    name = "the baseline" if pick.variant is None else pick.variant.name
    result = check.comparison
    worth = (
        f"scores {measure_text(check.mean)} where the baseline has {measure_text(check.mean - result.difference)}. The "
        f"difference is between {change_text(result.ci_low)} and {change_text(result.ci_high)}."
    )
    if decision.held_out_topics:
        return (
            f"The {pick.rule}, {name}, {worth} It was picked on {decision.topics} topics and measured on "
            f"{decision.held_out_topics} held-out ones. A pick made on those topics themselves promises "
            f"{change_text(check.optimism)} beyond that."
        )
    again = ""
    if check.share is not None:
        same, size = percent(check.share), percent(decision.size_share(check.size))
        again = f" {same} % of the training splits pick the same variant. The mean size of their picks is {size} %."
    than = "less than" if check.optimism >= 0 else "more than"
    return (
        f"On held-out topics the {pick.rule}, {name} on all topics, {worth} That is {measure_text(abs(check.optimism))} "
        f"{than} the {measure_text(check.apparent)} on the topics that it was picked on.{again}"
    )


def _other_measures(main: Decision, others: tuple[Decision, ...]) -> Iterator[str]:
    if main.recommended is None or not others:
        return
    name = main.recommended.name
    tests = [(decision.measure, decision.by_name[name].test) for decision in others]
    verdicts = [f"{test.verdict} in {measure}" for measure, test in tests]
    yield f"By its own margin {name} is {', '.join(verdicts)}."
