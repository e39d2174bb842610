"""What the numbers say, in sentences that a reader could check against the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thresher.defaults import HOLM, MOST_EMPTIED, MOST_TITLED
from thresher.evaluation.significance import Comparison
from thresher.reports.formatting import change_text, measure_text, percent_text
from thresher.reports.table import measure_header
from thresher.variants.results import Results, TitleBias
from thresher.variants.table import VariantTable


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
        yield _counts(list(found.values()), short)
        smaller = [index for index in found if table.sizes[index] < table.sizes[0]]
        harmless = [index for index in smaller if not any(one.shows_a_loss for one in _compared(table, index).values())]
        if smaller:
            many = f"{len(harmless)} of {len(smaller)} smaller indexes"
            yield f"{many} show no significant loss; this does not prove that there is none."
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
        verb = "variant leaves" if len(emptied) == 1 else "variants leave"
        yield f"{len(emptied):,} {verb} more than {percent_text(MOST_EMPTIED)} of the pages without text."


def warnings(results: Results) -> Iterator[str]:
    """Give what readers must know before the numbers."""
    facts = results.facts
    yield from (f"{notice[:1].upper()}{notice[1:]}." for notice in facts.notices)
    for table in results.tables:
        opening = f"{table.retrieval}: " if len(results.tables) > 1 else ""
        yield from (opening + text for text in _power(results, table))
    yield from _title_bias(facts.title_bias, "")
    yield from _title_bias(facts.held_out_title_bias, "Of the held-out topics, ")


def _counts(found: Sequence[Comparison], short: str) -> str:
    directions = [one.direction for one in found]
    changes = [one.difference for one in found]
    worse, better = directions.count("worse"), directions.count("better")
    return (
        f"Of {len(found)} variants that were run, {worse} {_are(worse)} significantly worse than the baseline in {short} and "
        f"{better} significantly better; differences are between {change_text(min(changes))} and {change_text(max(changes))}."
    )


def _power(results: Results, table: VariantTable) -> Iterator[str]:
    """Say if the largest possible difference would not be significant.

    The smallest p of a two-sided signed-rank test over n differing pairs is 2^(1-n) (all signs alike, out of 2^n), and Holm
    multiplies the smallest of m by m.
    """
    facts, topics = results.facts, len(table.topics)
    tests = [one for index in table.built for one in _compared(table, index)]
    if tests and (len(tests) if facts.correction == HOLM else 1) * 2.0 ** (1 - topics) > facts.alpha:
        many = f" and {len(tests)} comparisons" if facts.correction == HOLM else ""
        yield f"With {topics} topics{many} no difference can be significant, however large."


def _compared(table: VariantTable, index: int) -> dict[str, Comparison]:
    built = table.rows[index].built
    return dict(built.comparisons) if built else {}


def _title_bias(bias: TitleBias | None, opening: str) -> Iterator[str]:
    if bias is not None and bias.share > MOST_TITLED:
        yield (
            f"{opening}{bias.headings:,} of {bias.relevant:,} relevant pages have all words of the topic in title or "
            "headings. An index of these alone finds such pages, so gains of `headings=keep` are no sign of good cleaning."
        )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
