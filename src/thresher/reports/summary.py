"""The findings, warnings and answers of an experiment, in sentences that a reader could check against the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from thresher.base.defaults import HOLM, MAIN_MEASURE, MOST_EMPTIED, MOST_TITLED
from thresher.base.number_text import counted
from thresher.base.numbers import Interval
from thresher.evaluation.non_inferiority import MINIMUM, Margin
from thresher.evaluation.significance import Comparison
from thresher.experiments.adviser import Advice
from thresher.experiments.choosing.choices import AnswerRole, Choice, ChosenIndex, Effect, Gain, ModelChoice
from thresher.experiments.choosing.shared import SharedChoice
from thresher.experiments.results import Results, TitleBias
from thresher.experiments.table import VariantTable
from thresher.reports.formatting import being, change_text, measure_text, percent, percent_text, signed
from thresher.reports.notices import notices
from thresher.reports.table import measure_header


def findings(results: Results) -> Iterator[str]:
    """Give what the numbers say of each retrieval model; nothing is singled out as the one to use."""
    for table in results.tables:
        opening = f"{table.retrieval}: " if len(results.tables) > 1 else ""
        yield from (opening + sentence for sentence in model_findings(table))


def model_findings(table: VariantTable) -> Iterator[str]:
    """Give what the numbers of one retrieval model say."""
    short, means = measure_header(table.main)[0], table.mean(table.main)
    base = f"{short} of the baseline is {measure_text(means[0])}"
    if not table.candidates:
        yield f"Only the baseline was run: {base}."
        return
    found = {index: one for index in table.candidates if (one := _compared(table, index).get(table.main))}
    if found:
        directions, changes = zip(*((one.direction, one.difference) for one in found.values()), strict=True)
        worse, better = being(directions.count("worse")), being(directions.count("better"))
        apart = " (controls apart)" if len(table.candidates) < len(table.rows) - 1 else ""
        yield (
            f"Of {counted(len(found), 'variant')} run{apart}, {worse} significantly worse than the baseline in {short} and "
            f"{better} significantly better; differences are {change_text(min(changes))} to {change_text(max(changes))}."
        )
        smaller = [index for index in found if table.sizes[index] < table.sizes[0]]
        harmless = [index for index in smaller if not any(one.shows_a_loss for one in _compared(table, index).values())]
        if smaller:
            many = f"{len(harmless)} of {len(smaller)} smaller indexes"
            yield f"No significant loss in any measure, nor an interval below zero: {many}; this is no proof of none."
    explored = [index for index in table.candidates if table.rows[index].explored]
    if explored:
        best = table.best(table.main, explored)
        yield (
            f"{len(explored):,} variants were explored without indexes. {base}; the highest mean is "
            f"{measure_text(means[best])}, of {table.rows[best].name}. The best of many on the topics that chose it: expect "
            "less of it on others."
        )
    emptied = [index for index in table.candidates if table.emptied_shares[index] > MOST_EMPTIED]
    if emptied:
        verb = "leaves" if len(emptied) == 1 else "leave"
        many = counted(len(emptied), "variant")
        yield f"{many} {verb} more than {percent_text(MOST_EMPTIED)} of the pages without text."


def warnings(results: Results) -> Iterator[str]:
    """Give what readers must know before the numbers."""
    facts = results.facts
    yield from notices(results)
    for table in results.tables:
        opening = f"{table.retrieval}: " if len(results.tables) > 1 else ""
        yield from (opening + text for text in _power(results, table))
    yield from _title_bias(facts.title_bias, "")
    yield from _title_bias(facts.held_out_title_bias, "Of the held-out topics, ")


def _power(results: Results, table: VariantTable) -> Iterator[str]:
    """Say if the largest possible difference would not be significant.

    The smallest p of a two-sided signed-rank test over n differing pairs is 2^(1-n) (all signs alike, out of 2^n), and Holm
    multiplies the smallest of m by m.
    """
    facts, topics = results.facts, len(table.topics)
    if results.tests and (results.tests if facts.correction == HOLM else 1) * 2.0 ** (1 - topics) > facts.alpha:
        many = f" and {results.tests} comparisons" if facts.correction == HOLM else ""
        yield f"With {counted(topics, 'topic')}{many} no difference can be significant, however large."


def _compared(table: VariantTable, index: int) -> dict[str, Comparison]:
    built = table.rows[index].built
    return dict(built.comparisons) if built else {}


def _title_bias(bias: TitleBias | None, opening: str) -> Iterator[str]:
    if bias is not None and bias.share > MOST_TITLED:
        yield (
            f"{opening}{bias.headings:,} of {bias.relevant:,} relevant pages have all words of the topic in title or "
            "headings. An index of these alone finds such pages, so gains of `headings=keep` are no sign of good cleaning."
        )


STAY = "Stay with no cleaning"


def answer(choice: Choice) -> Iterator[str]:
    """Give at most three lines for each retrieval model, what to use first."""
    for model in choice.models:
        opening = f"{model.retrieval}: " if len(choice.models) > 1 else ""
        yield from (opening + line for line in model_answer(choice, model))


def commands(choice: Choice) -> tuple[str, ...]:
    """Return the lines for a shell that make what is named first, if it is one, and the line that builds and measures all."""
    firsts = {model.first.variant for model in choice.models if model.first}
    made = choice.commands[firsts.pop()] if len(firsts) == 1 else ()
    return (*made, choice.check) if choice.commands else ()


def measured(choice: Choice, results: Results) -> Iterator[str]:
    """Say of each index that an answer names and that was built whether it is what was told."""
    for model in choice.models:
        table = results.table(model.retrieval)
        for pick in model.named:
            same = pick.is_as_measured(table)
            if same is not None:
                index = table.position[pick.variant]
                found = [f"{measure_header(one)[0]} {measure_text(table.mean(one)[index])}" for one in choice.measures]
                size = f"{percent(table.shares[index])} % of the index"
                told = "as explored" if same else "which is not what was explored: run `thresher choose` again"
                yield f"Built and searched, {pick.variant} has {size}, {', '.join(found)}: {told}."


def model_answer(choice: Choice, model: ModelChoice, brief: bool = False) -> Iterator[str]:
    """Give at most three lines for one retrieval model, what to use first; brief ones leave out how much it changes."""
    if model.too_few:
        yield f"{STAY}: {model.topics} topics are too few for a verdict, at least {MINIMUM} are needed."
        return
    for number, (role, index) in enumerate(model.answer):
        opening = "Use " if number == 0 and index else ""
        yield f"{opening}{_answer_line(choice, model, role, index, brief)}"


def _answer_line(choice: Choice, model: ModelChoice, role: AnswerRole, index: ChosenIndex | None, brief: bool) -> str:
    if role is AnswerRole.CONSERVATIVE:
        return _conservative(model, index)
    if role is AnswerRole.SMALLEST:
        return _smallest(choice, model, index, brief)
    assert model.gain is not None
    return _gain(model.gain)


def _smallest(choice: Choice, model: ModelChoice, pick: ChosenIndex | None, brief: bool) -> str:
    loss = f"lose less than {margin_text(choice.criteria.margin)} of {_measures(choice)}"
    count = len([walk for walk in model.families if walk.steps])
    tested = f"{model.topics} topics, {count} {'family' if count == 1 else 'families'} tested, {_sure(choice)}"
    if pick is None:
        needed = [walk.failed.topics_needed for walk in model.families if walk.failed and walk.failed.topics_needed]
        more = f" About {min(needed):,} topics might show it." if needed else ""
        return f"{STAY}: no smaller index is shown to {loss} ({tested}).{more}"
    shown = f"{pick.variant}: {_share(pick)} of the index, shown to {loss} ({tested})."
    return (
        shown if brief else f"{shown} {_short(pick.effects[0])} changes by {_bounded(pick.effects[0])}{_still(model)}."
    )


def _still(model: ModelChoice) -> str:
    """Say what it would take to show the next smaller index of what is recommended."""
    for walk in model.families:
        if walk.last and walk.failed and model.recommended and walk.last.variant == model.recommended.variant:
            if walk.failed.topics_needed is None:
                return ""
            return f"; {percent(walk.failed.share)} % would take {walk.failed.topics_needed:,} topics"
    return ""


def _gain(gain: Gain) -> str:
    effect, sure = gain.held_out, percent_text(1 - gain.alpha)
    least = "" if effect.low is None else f", at least by {change_text(effect.low)} ({sure})"
    return (
        f"{gain.index.variant}: {_share(gain.index)} of the index, the largest gain over no cleaning that is shown: "
        f"{_short(effect)} by {change_text(effect.difference)} on topics without a part in the pick{least}."
    )


def _conservative(model: ModelChoice, pick: ChosenIndex | None) -> str:
    opening = "If kinds of topics that are missing here may lose everything, the conservative choice is "
    if pick is None:
        needed = model.conservative_topics
        more = f": a smaller index takes {needed} topics or more" * (needed > model.topics)
        return f"{opening}no cleaning{more}."
    if any(other and other.variant == pick.variant for _, other in model.answer[:-1]):
        return f"{opening}the same{'' if len(model.answer) == 2 else f', {pick.variant}'}."
    return f"{opening}{pick.variant}: {_share(pick)} of the index."


def margin_text(margin: Margin) -> str:
    """Return the accepted loss as it was stated: `5 %` of the baseline's mean, or `0.01`."""
    return percent_text(margin.value) if margin.relative else measure_text(margin.value)


def _measures(choice: Choice | SharedChoice) -> str:
    return " and ".join(measure_header(measure)[0] for measure in choice.measures)


def _short(effect: Effect) -> str:
    return measure_header(effect.measure)[0]


def _share(pick: ChosenIndex) -> str:
    return f"{percent(pick.share)} %"


def _sure(choice: Choice) -> str:
    return percent_text(1 - choice.criteria.alpha)


def assumptions(choice: Choice, model: ModelChoice) -> Iterator[str]:
    """Give what the answer rests on, and what it is worth on topics without a part in it."""
    margin, level = margin_text(choice.criteria.margin), f"{choice.criteria.level:.4g}"
    yield (
        "The topics are a random sample of what users ask. Families and the order of their indexes were fixed before the "
        f"topics were looked at. The mean over {model.topics} topics behaves as Student's t says; it cannot know of kinds of "
        f"topics that are not among these. If none of these lost anything, up to {percent(model.unseen_share)} % of all "
        "topics could still lose everything (95 %, exact). The conservative choice does not rest on this."
    )
    yield (
        f"Each family is tested from its largest index on, in steps of 5 % of the size, at level {level}, until one is not "
        f"shown to lose less than {margin} of {_measures(choice)} or leaves more than "
        f"{percent_text(choice.criteria.emptied)} of the pages without text; what follows it is not looked at. The smallest "
        "of all that are accepted is recommended. So "
        f"the probability of recommending one that loses more is at most {percent_text(choice.criteria.alpha)}."
    )
    for effect in model.recommended.held_out if model.recommended else ():
        yield f"On {effect.topics} held-out topics what is recommended changes {_short(effect)} by {_bounded(effect)}."


def _bounded(effect: Effect) -> str:
    if effect.low is None:
        return change_text(effect.difference)
    if effect.high is None:
        return f"{change_text(effect.difference)}, at worst by {change_text(effect.low)}"
    return f"{change_text(effect.difference)} ({change_text(effect.low)} to {change_text(effect.high)})"


def advised(advice: Advice) -> Iterator[str]:
    """Give the index to begin with, what it changed elsewhere, and the pages that the figures are computed from."""
    main = measure_header(MAIN_MEASURE)[0]
    yield f"Begin with {advice.variant}, the default index."
    yield (
        f"On other collections it changed {main} as follows, each time chosen without that collection: "
        f"{_percents(advice.elsewhere)}."
    )
    yield f"On a further collection expect {main} to change by {_percent_interval(advice.change)} (95 %)."
    words = advice.words
    bounds = ""
    if advice.sampled < advice.pages:
        bounds = f" ({percent(words.low)} to {percent(words.high)} %, by the sample)"
    pages = f"{counted(advice.sampled, 'page')} of {advice.pages:,}"
    yield f"Its cleaner keeps {percent(words.value)} % of the words{bounds} of {pages}."
    if advice.failed:
        yield f"{counted(advice.failed, 'page')} could not be scored."
    yield "Queries with their pages choose an index for this collection: thresher advise PAGES --queries FILE."


def signed_percent(share: float) -> str:
    """Return a change as per cent with its sign, without the unit."""
    return signed(100 * share, 1)


def _percents(changes: Mapping[str, float]) -> str:
    return f"{', '.join(f'{name} {signed_percent(change)}' for name, change in changes.items())} %"


def _percent_interval(change: Interval) -> str:
    low, high = signed_percent(change.low), signed_percent(change.high)
    return f"{signed_percent(change.value)} % ({low} to {high})"


def shared_answer(choice: SharedChoice) -> Iterator[str]:
    """Give what to use for several collections, what it lost where, how its rule did, and what to expect on another one."""
    count, margin = len(choice.tried), margin_text(choice.criteria.margin)
    own, without = percent(choice.mean_share), percent(choice.mean_share_left_out)
    if choice.variant is None:
        many = f"of {choice.settings:,} settings that all {count} collections have"
        yield f"{STAY}: {many}, none is expected to lose less than {margin} on another collection."
    else:
        *others, worst = sorted(choice.tried, key=lambda one: one.worst)
        lost = f"lost at most {loss_text(choice, others[-1].worst)} on {len(others)} of {count} collections"
        last = f"{loss_text(choice, worst.worst)} on {worst.collection}"
        yield f"Use {choice.variant}: {own} % of the index on average; it {lost} and {last}, in {_measures(choice)}."
    failed = [f"{one.collection} ({loss_text(choice, one.worst)})" for one in choice.failed]
    where = f": {', '.join(failed)}" if failed else ""
    yield (
        f"Left out in turn, {len(failed)} of {count} collections lost {margin} or more with what the others recommend{where}; "
        f"it has {without} % of the index on average."
    )
    if choice.variant:
        pairs = zip(choice.measures, choice.bounds, strict=True)
        bounds = " and ".join(f"{loss_text(choice, bound)} of {measure_header(name)[0]}" for name, bound in pairs)
        sure = percent_text(1 - choice.criteria.alpha)
        yield (
            f"A further collection like these would lose at most {bounds} (prediction bounds, {sure}). One unlike them may "
            f"lose more, which {count} collections cannot exclude: choose with topics of its own."
        )


def loss_text(choice: SharedChoice, loss: float) -> str:
    """Return a loss in the margin's unit: as a share of the baseline's mean, or as it is."""
    return f"{percent(loss)} %" if choice.criteria.margin.relative else measure_text(loss)
