"""What the numbers say, in sentences that a reader could check against the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thresher.choosing.choices import Choice
from thresher.defaults import HOLM, MOST_EMPTIED, MOST_TITLED
from thresher.reports.formatting import change_text, measure_text, percent_text
from thresher.reports.recommendation import headline
from thresher.results.experiment_results import Results, TitleBias, VariantResult
from thresher.results.selection import (
    baseline_row,
    can_be_significant,
    comparisons_made,
    direction,
    front_rows,
    main_measure,
    retrievals,
    significantly_worse,
    twins,
    variant_rows,
    without_a_loss,
)


def summary(results: Results, choice: Choice | None = None) -> tuple[str, ...]:
    """Return the sentences that sum the experiment up, each true by the numbers alone.

    What is recommended comes first, if a cutoff was chosen; nothing else is singled out. They say how many variants are
    significantly better, worse, neither; how far the differences reach; how many smaller indexes show no loss; how many leave
    pages without text; the Pareto front; how many relevant pages repeat their topic in title or headings; what cannot be
    concluded. With several retrieval models each gets its own sentences,
    opened by its name.

    Raises:
        InputError: if there is no measure, or a retrieval model without a baseline.
    """
    models = retrievals(results)
    chosen = {one.retrieval: one for one in choice.recommendations} if choice else {}
    sentences: list[str] = []
    for model in models:
        opening = f"{model}: " if len(models) > 1 else ""
        said = [headline(chosen[model])] if model in chosen else []
        sentences += [opening + sentence for sentence in (*said, *model_summary(results, model))]
    sentences += _title_bias(results.title_bias, "")
    if results.held_out:
        sentences += _title_bias(results.held_out.title_bias, "Of the held-out topics, ")
    if choice is None and len(results.rows) > len(models):
        sentences.append("Which of them to use is a question for `thresher choose`.")
    return tuple(sentences)


def model_summary(results: Results, retrieval: str) -> Iterator[str]:
    """Give what the numbers of one retrieval model say."""
    measure = main_measure(results)
    rows = [row for row in variant_rows(results, retrieval) if measure in row.comparisons]
    if not rows:
        value = measure_text(baseline_row(results, retrieval).measures.get(measure))
        yield f"Only the baseline was run: {measure} is {value}."
        return
    yield _counts(rows, measure)
    yield from _power(results, rows)
    yield _reach(rows, measure)
    yield from _smaller(rows)
    yield from _emptied(rows)
    yield from _without_headings(results, retrieval, measure)
    names = _names([row.variant for row in front_rows(results, retrieval)])
    yield f"The Pareto front of index size and {measure} is {names}, from the smallest index up."


def _counts(rows: Sequence[VariantResult], measure: str) -> str:
    directions = [direction(row.comparisons[measure]) for row in rows]
    better, worse = directions.count("better"), directions.count("worse")
    return (
        f"{worse} of {len(rows)} {_plural(len(rows), 'variant', 'variants')} {_be(worse)} significantly worse than the "
        f"baseline in {measure}. {better} {_be(better)} significantly better."
    )


def _power(results: Results, rows: Sequence[VariantResult]) -> list[str]:
    if can_be_significant(results, rows):
        return []
    if results.correction != HOLM:
        return [f"With {results.topics} topics no difference can be significant, however large: more would be needed."]
    return [
        f"With {results.topics} topics and {comparisons_made(rows)} comparisons no difference can be significant after Holm's "
        "correction, however large: more topics or fewer variants would be needed."
    ]


def _reach(rows: Sequence[VariantResult], measure: str) -> str:
    found = [row.comparisons[measure].difference for row in rows]
    least, most = (change_text(value) for value in (min(found), max(found)))
    if least == most:
        return f"The difference from the baseline in {measure} is {least}."
    return f"Differences from the baseline in {measure} are between {least} and {most}."


def _smaller(rows: Sequence[VariantResult]) -> Iterator[str]:
    smaller = [row for row in rows if row.index_bytes < row.index_bytes_baseline]
    if smaller:
        harmless = without_a_loss(smaller)
        yield (
            f"Of {len(smaller)} smaller {_plural(len(smaller), 'index', 'indexes')}, {harmless} "
            f"{_plural(harmless, 'shows', 'show')} no loss in any measure, neither a significant one nor an interval below "
            "zero; that is not to say that there is none."
        )


def _emptied(rows: Sequence[VariantResult]) -> Iterator[str]:
    many = [row for row in rows if row.emptied > MOST_EMPTIED * row.documents]
    if many:
        yield (
            f"{len(many)} {_plural(len(many), 'variant leaves', 'variants leave')} more than {percent_text(MOST_EMPTIED)} of "
            "the pages without text."
        )


def _without_headings(results: Results, retrieval: str, measure: str) -> Iterator[str]:
    pairs = [pair for pair in twins(results) if pair.variant.retrieval == retrieval and not pair.variant.is_baseline]
    if not pairs:
        return
    kept, dropped = (
        significantly_worse(rows, measure) for rows in zip(*((pair.variant, pair.twin) for pair in pairs), strict=True)
    )
    yield (
        f"Of {len(pairs)} {_plural(len(pairs), 'variant', 'variants')} with `headings=keep`, {kept} {_be(kept)} significantly "
        f"worse than the baseline in {measure}. Without title and headings in any index, {dropped} {_be(dropped)}."
    )


def _title_bias(bias: TitleBias | None, opening: str) -> Iterator[str]:
    if bias is None or not bias.relevant:
        return
    warning = (
        " An index of titles and headings alone finds these, so gains of `headings=keep` are no sign of good cleaning."
    )
    yield (
        f"{opening}{bias.headings:,} of {bias.relevant:,} relevant {_plural(bias.relevant, 'page', 'pages')} "
        f"{_plural(bias.headings, 'has', 'have')} all words of the topic in title or headings. "
        f"{bias.title:,} {_plural(bias.title, 'has', 'have')} them in the title.{warning if bias.share > MOST_TITLED else ''}"
    )


def _names(names: Sequence[str]) -> str:
    if len(names) > 8:
        return f"{', '.join(names[:3])}, {len(names) - 6} more, {', '.join(names[-3:])}"
    return ", ".join(names)


def _plural(count: int, one: str, many: str) -> str:
    return one if count == 1 else many


def _be(count: int) -> str:
    return _plural(count, "is", "are")
