"""The findings, warnings and answers of an experiment, in sentences that a reader could check against the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter

from thresher.base.defaults import HOLM, MAIN_MEASURE, MOST_EMPTIED, MOST_TITLED, STUDENT
from thresher.base.number_text import counted
from thresher.base.numbers import Interval
from thresher.evaluation.non_inferiority import MINIMUM, Margin
from thresher.evaluation.significance import Direction
from thresher.experiments.adviser import Advice
from thresher.experiments.choosing.choices import Choice, ChosenIndex, Effect, ModelChoice
from thresher.experiments.choosing.shared import SharedChoice
from thresher.experiments.results import Results, TitleBias
from thresher.experiments.table import VariantTable
from thresher.reports.formatting import (
    being,
    change_text,
    measure_text,
    megabytes,
    percent,
    percent_text,
    signed,
    significant_digits,
    size_mark,
    too_few_topics,
)
from thresher.reports.notices import notices
from thresher.reports.table import measure_header
from thresher.reports.variant_rows import VariantRow

STAY = "Stay with no cleaning"
_WITHOUT_TOPICS = "Without topics, `thresher advise PAGES` names an index and its changes on seven other collections."
_VERDICTS: Mapping[Direction, str] = {
    "better": "significantly better than",
    "worse": "significantly worse than",
    "mixed": "significantly different, by mean and ranks in opposite directions, from",
    "none": "not significantly different from",
}


def findings(results: Results) -> Iterator[str]:
    """Give the findings of each retrieval model; they recommend no variant."""
    for table in results.tables:
        opening = _model_opening(table.retrieval, len(results.tables))
        for sentence in model_findings(table):
            yield opening + sentence


def _model_opening(retrieval: str, models: int) -> str:
    """Return the beginning of sentences about a retrieval model; empty for the only model."""
    if models == 1:
        return ""
    return f"{retrieval}: "


def model_findings(table: VariantTable) -> Iterator[str]:
    """Give the findings of one retrieval model."""
    if not table.candidates:
        yield f"Only the baseline was run: {_baseline_text(table)}."
        return
    yield from _built_findings(table)
    yield from _explored_findings(table)
    emptying = [index for index in table.candidates if table.emptied_shares[index] > MOST_EMPTIED]
    if emptying:
        verb = "empty"
        if len(emptying) == 1:
            verb = "empties"
        yield f"{counted(len(emptying), 'variant')} {verb} more than {percent_text(MOST_EMPTIED)} of the pages."


def _baseline_text(table: VariantTable) -> str:
    return f"{measure_header(table.main).name} of the baseline is {measure_text(table.mean(table.main)[0])}"


def _built_findings(table: VariantTable) -> Iterator[str]:
    """Give the significant differences of the variants that were built, and the smaller indexes without one."""
    compared: list[VariantRow] = []
    directions: list[Direction] = []
    changes: list[float] = []
    for index in table.candidates:
        row = VariantRow(table, index)
        comparison = row.comparison(table.main)
        if comparison:
            compared.append(row)
            directions.append(comparison.direction)
            changes.append(comparison.difference)
    if not compared:
        return
    if len(compared) == 1:
        variant = compared[0].record.name
        verdict = _VERDICTS[directions[0]]
        yield f"{variant} is {verdict} the baseline in {measure_header(table.main).name}: {change_text(changes[0])}."
        return
    worse = being(directions.count("worse"))
    better = being(directions.count("better"))
    apart = ""
    if len(table.candidates) < len(table.rows) - 1:
        apart = " (controls apart)"
    yield (
        f"Of {counted(len(compared), 'variant')} run{apart}, {worse} significantly worse than the baseline in "
        f"{measure_header(table.main).name} and {better} significantly better; differences are "
        f"{change_text(min(changes))} to {change_text(max(changes))}."
    )
    smaller = 0
    harmless = 0
    for row in compared:
        if table.size(row.index) < table.size(0):
            smaller += 1
            if not _shows_a_loss(row):
                harmless += 1
    if smaller:
        yield (
            f"{harmless} of {smaller} smaller indexes show no significant loss in any measure, nor an interval below zero. "
            "This does not prove that they lose nothing."
        )


def _shows_a_loss(row: VariantRow) -> bool:
    if row.built is None:
        return False
    return any(comparison.shows_a_loss for comparison in row.built.comparisons.values())


def _explored_findings(table: VariantTable) -> Iterator[str]:
    best = best_explored(table)
    if best is None:
        return
    explored = [index for index in table.candidates if table.rows[index].explored]
    yield (
        f"{len(explored):,} variants were explored without indexes. {_baseline_text(table)}; the highest mean is "
        f"{measure_text(table.mean(table.main)[best])}, of {table.rows[best].name}. It is the best of many on the topics that "
        "chose it. Expect a smaller gain on new topics."
    )


def best_explored(table: VariantTable) -> int | None:
    """Return the explored variant with the highest mean of the main measure; None if nothing was explored."""
    explored = [index for index in table.candidates if table.rows[index].explored]
    if not explored:
        return None
    return table.best(table.main, explored)


def warnings(results: Results) -> Iterator[str]:
    """Give the warnings that readers need before the numbers."""
    facts = results.facts
    yield from notices(results)
    for table in results.tables:
        opening = _model_opening(table.retrieval, len(results.tables))
        for sentence in _power(results, table):
            yield opening + sentence
    yield from _title_bias(facts.title_bias, "")
    yield from _title_bias(facts.held_out_title_bias, "Of the held-out topics, ")


def _power(results: Results, table: VariantTable) -> Iterator[str]:
    """Say if the largest possible difference would not be significant.

    The smallest p over n differing pairs is 2^(1-n) (all signs alike, out of 2^n) but by Student's t, which has no limit. Holm
    multiplies the smallest of m by m; Benjamini and Hochberg leave it as it is where all are equal.
    """
    facts = results.facts
    topics = len(table.topics)
    if not results.tests or facts.test == STUDENT:
        return
    factor = 1
    comparisons = ""
    if facts.correction == HOLM:
        factor = results.tests
        comparisons = f" and {results.tests} comparisons"
    if factor * 2.0 ** (1 - topics) > facts.alpha:
        yield f"With {counted(topics, 'topic')}{comparisons} no difference can be significant, however large."


def _title_bias(bias: TitleBias | None, opening: str) -> Iterator[str]:
    if bias is not None and bias.share > MOST_TITLED:
        yield (
            f"{opening}{bias.headings:,} of {bias.relevant:,} relevant pages have all words of the topic in title or "
            "headings. An index of titles and headings alone finds these pages, so gains of `headings=keep` are no sign of "
            "good cleaning."
        )


def answer(choice: Choice) -> Iterator[str]:
    """Give at most three lines for each retrieval model, the index to use first."""
    for model in choice.models:
        opening = _model_opening(model.retrieval, len(choice.models))
        for line in model_answer(choice, model):
            yield opening + line


def commands(choice: Choice) -> tuple[str, ...]:
    """Return the commands that make the first index, if all models name one index, and that measure the explored
    indexes.
    """
    if not choice.commands:
        return ()
    firsts: set[str] = set()
    are_measured = True
    for model in choice.models:
        if model.first:
            firsts.add(model.first.variant)
        for index in model.named:
            are_measured = are_measured and index.measured
    lines: list[str] = []
    if len(firsts) == 1:
        lines += choice.commands[firsts.pop()]
    if not are_measured:
        lines.append(choice.check)
    return tuple(lines)


def measured(choice: Choice, results: Results, is_same: bool | None = None) -> Iterator[str]:
    """Say of each named index that was built whether its figures are as explored; `is_same` selects indexes by this
    answer.
    """
    for model in choice.models:
        table = results.table(model.retrieval)
        for named in model.named:
            agrees = named.is_as_measured(table)
            if agrees is not None and is_same in (None, agrees):
                yield _measured_text(choice, table, named, agrees)


def _measured_text(choice: Choice, table: VariantTable, named: ChosenIndex, is_same: bool) -> str:
    index = table.position[named.variant]
    facts = [f"{percent(table.bytes_shares[index])} % of the bytes ({percent(table.shares[index])} % of the postings)"]
    for measure in choice.measures:
        facts.append(f"{measure_header(measure).name} {measure_text(table.mean(measure)[index])}")
    verdict = "as explored"
    if not is_same:
        verdict = "which differs from the exploration: run `thresher choose` again"
    return f"Built and searched, {named.variant} has {', '.join(facts)}: {verdict}."


def model_answer(choice: Choice, model: ModelChoice) -> Iterator[str]:
    """Give the index to use for one retrieval model and why, then the conservative choice; a table has all numbers."""
    if model.too_few:
        yield f"{STAY}: {too_few_topics(model.topics)} for a verdict, at least {MINIMUM} are needed."
        yield f"Next: judge topics until there are {MINIMUM}, then explore and choose again. {_WITHOUT_TOPICS}"
        return
    if model.size is not None:
        yield _within_size(choice, model, model.size)
    elif model.first is None:
        yield _nothing_shown(choice, model)
        yield f"Next: judge more topics, then explore and choose again. {_WITHOUT_TOPICS}"
    else:
        yield f"Use {model.first.variant}: {_size(model.first)}, {_reason(choice, model, model.first)}."
    yield _conservative(model)


def _nothing_shown(choice: Choice, model: ModelChoice) -> str:
    topics_needed: list[int] = []
    for family in model.families:
        if family.failed and family.failed.topics_needed:
            topics_needed.append(family.failed.topics_needed)
    more = ""
    if topics_needed:
        more = f" About {min(topics_needed):,} topics might show it."
    return f"{STAY}: no smaller index is shown to {_little_loss(choice)} ({_test(choice, model)}).{more}"


def _within_size(choice: Choice, model: ModelChoice, size: int) -> str:
    """Return a sentence on the best index within a size; its bound holds for all candidates together."""
    within = f"within {significant_digits(megabytes(size))} MB"
    index = model.within
    if index is None:
        return f"No index of the families is {within}."
    best = f"the highest mean {_short(index.effects[0])} {within}"
    if index.variant == model.no_cleaning.variant:
        return f"{STAY}: it has {best}, {_size(index)}."
    return f"Use {index.variant}: {_size(index)}, {best}: {_bounded(index.effects[0])} ({_test(choice, model)})."


def _reason(choice: Choice, model: ModelChoice, index: ChosenIndex) -> str:
    if index == model.best:
        return f"shown to be better than no cleaning in {_short(index.effects[0])} ({_test(choice, model)})"
    return f"shown to {_little_loss(choice)} ({_test(choice, model)})"


def _little_loss(choice: Choice) -> str:
    return f"lose less than {margin_text(choice.criteria.margin)} of {_measures(choice)}"


def _test(choice: Choice, model: ModelChoice) -> str:
    tested = _tested_families(model)
    noun = "families"
    if tested == 1:
        noun = "family"
    return f"{model.topics} topics, {tested} {noun} tested, {_sure(choice)}"


def _tested_families(model: ModelChoice) -> int:
    """Return the number of families with an index to test."""
    return len([family for family in model.families if family.steps])


def _size(index: ChosenIndex) -> str:
    """Return the size of an index: bytes, measured or estimated, then postings."""
    mark = size_mark(index.measured)
    size = significant_digits(megabytes(index.bytes))
    basis = "measured" if index.measured else "estimated"
    return (
        f"{mark}{size} MB {basis}, {mark}{percent(index.bytes_share)} % of the bytes "
        f"({percent(index.share)} % of the postings)"
    )


def _conservative(model: ModelChoice) -> str:
    index = model.conservative
    if index is None:
        needed = model.conservative_topics
        text = "Conservative choice: no cleaning."
        if needed > model.topics:
            text += (
                f" It allows for kinds of topics that are not among these {model.topics}; a smaller index takes at least "
                f"{needed} topics to pass it."
            )
        return text
    opening = "Conservative choice, which allows for topic types not in this sample"
    if model.first is not None and index.variant == model.first.variant:
        return f"{opening}: the same index, {index.variant}."
    return f"{opening}: {index.variant}, {_size(index)}."


def frontier_caption(measure: str, choice: Choice | None, model: ModelChoice | None) -> str:
    """Return the legend of a chart of a retrieval model's front, and the reason why no smaller index is recommended."""
    text = (
        f"Each dot is an index with a higher {measure} than all smaller ones. The square is the baseline, no cleaning."
    )
    if choice is None or model is None:
        return text
    if model.size is not None:
        return f"{text} The diamond has the highest mean within the size."
    if model.too_few:
        return f"{text} Nothing is recommended: {too_few_topics(model.topics)}."
    smaller = "Smaller indexes"
    if model.first is not None:
        smaller = "Indexes smaller than the diamond"
    return (
        f"{text} {smaller} are not recommended, even with an equal score: these {model.topics} topics do not show that they "
        f"{_little_loss(choice)}."
    )


def margin_text(margin: Margin) -> str:
    """Return the accepted loss as it was stated: `5 %` of the baseline's mean, or `0.01`."""
    if margin.relative:
        return percent_text(margin.value)
    return measure_text(margin.value)


def _measures(choice: Choice | SharedChoice) -> str:
    return " and ".join(measure_header(measure).name for measure in choice.measures)


def _short(effect: Effect) -> str:
    return measure_header(effect.measure).name


def _sure(choice: Choice) -> str:
    return percent_text(1 - choice.criteria.alpha)


def assumptions(choice: Choice, model: ModelChoice) -> Iterator[str]:
    """Give the assumptions of the answer, and its effectiveness on topics that it was not chosen on."""
    margin = margin_text(choice.criteria.margin)
    alpha = percent_text(choice.criteria.alpha)
    yield (
        "The topics are a random sample of users' queries. Families and the order of their indexes were fixed before the "
        f"topics were looked at. The mean over {model.topics} topics is close to normally distributed, as Student's t "
        "assumes. Kinds of topics that the sample lacks are not covered: even if no topic of the sample lost "
        f"anything, up to {percent(model.unseen_share)} % of all topics could lose everything (95 %, exact). The "
        "conservative choice allows for these topics."
    )
    yield (
        f"The {_families(model)} of α = {alpha}. Each family is tested from its largest index on, in steps of 5 % of the "
        f"postings, until an index is not shown to lose less than {margin} of {_measures(choice)} or leaves more than "
        f"{percent_text(choice.criteria.emptied)} of the pages without text; later indexes are not tested. If every "
        "index of a family is accepted, its part of α goes to the other families. The probability that the smallest index "
        f"loses more is at most {alpha}, and so is the probability that the best index gains nothing."
    )
    if not model.first:
        return
    for effect in model.first.held_out:
        yield f"On {effect.topics} held-out topics, the index to use changes {_short(effect)} by {_bounded(effect)}."


def _families(model: ModelChoice) -> str:
    count = _tested_families(model)
    if count == 1:
        return "only family has all"
    return f"{count} families have equal parts"


def _bounded(effect: Effect) -> str:
    if effect.low is None:
        return change_text(effect.difference)
    if effect.high is None:
        return f"{change_text(effect.difference)}, at worst by {change_text(effect.low)}"
    return f"{change_text(effect.difference)} ({change_text(effect.low)} to {change_text(effect.high)})"


def advised(advice: Advice) -> Iterator[str]:
    """Give the index to begin with, its changes on other collections, and the pages behind the figures."""
    main = measure_header(MAIN_MEASURE).name
    yield f"Begin with {advice.variant}, the default index for search."
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
    if advice.sampled == advice.pages:
        pages = f"all {counted(advice.pages, 'page')}"
    yield f"Its cleaner keeps {percent(words.value)} % of the words{bounds} of {pages}."
    if advice.failed:
        yield f"{counted(advice.failed, 'page')} could not be scored."
    if advice.sampled < advice.pages:
        yield "Text that repeats on its site is found within the sample: the whole collection may have more of it."
    yield "The first command makes the index; the second writes its cleaned text, without weights, for another engine."
    yield "Queries with their pages choose an index for this collection: thresher advise PAGES --queries FILE."


def signed_percent(share: float) -> str:
    """Return a change as per cent with its sign, without the unit."""
    return signed(100 * share, 1)


def _percents(changes: Mapping[str, float]) -> str:
    texts: list[str] = []
    for name, change in changes.items():
        texts.append(f"{name} {signed_percent(change)}")
    return f"{', '.join(texts)} %"


def _percent_interval(change: Interval) -> str:
    low = signed_percent(change.low)
    high = signed_percent(change.high)
    return f"{signed_percent(change.value)} % ({low} to {high})"


def shared_answer(choice: SharedChoice) -> Iterator[str]:
    """Give the setting for several collections, its losses, the test of its rule, and the loss to expect on a new
    collection.
    """
    count = len(choice.tried)
    margin = margin_text(choice.criteria.margin)
    size_left_out = _mean_size(choice.mean_bytes_share_left_out, choice.mean_share_left_out)
    if choice.variant is None:
        many = f"of {choice.settings:,} settings that all {count} collections have"
        yield f"{STAY}: {many}, none is expected to lose less than {margin} on another collection."
    else:
        size = _mean_size(choice.mean_bytes_share, choice.mean_share)
        by_loss = sorted(choice.tried, key=attrgetter("worst"))
        worst = by_loss[-1]
        second_worst = by_loss[-2]
        lost = f"lost at most {loss_text(choice, second_worst.worst)} on {count - 1} of {count} collections"
        last = f"{loss_text(choice, worst.worst)} on {worst.collection}"
        yield f"Use {choice.variant}: {size}; it {lost} and {last}, in {_measures(choice)}."
    failed = [f"{setting.collection} ({loss_text(choice, setting.worst)})" for setting in choice.failed]
    where = ""
    if failed:
        where = f": {', '.join(failed)}"
    yield (
        f"Left out in turn, {len(failed)} of {count} collections lost {margin} or more with the setting that the others "
        f"recommend{where}; it has {size_left_out}."
    )
    if choice.variant:
        bounds: list[str] = []
        for measure, bound in zip(choice.measures, choice.bounds, strict=True):
            bounds.append(f"{loss_text(choice, bound)} of {measure_header(measure).name}")
        sure = percent_text(1 - choice.criteria.alpha)
        yield (
            f"A further collection like these would lose at most {' and '.join(bounds)} (prediction bounds, {sure}). A "
            f"collection unlike these {count} may lose more: choose with topics of its own."
        )


def _mean_size(bytes_share: float, share: float) -> str:
    return f"{percent(bytes_share)} % of the bytes ({percent(share)} % of the postings) on average"


def loss_text(choice: SharedChoice, loss: float) -> str:
    """Return a loss in the margin's unit: as a share of the baseline's mean, or as it is."""
    if choice.criteria.margin.relative:
        return f"{percent(loss)} %"
    return measure_text(loss)
