"""The sentences that sum an experiment up."""

from __future__ import annotations

from dataclasses import replace

from report_samples import BASELINE, JUSTEXT, NDCG, WORDS, comparison, large, small

from thresher.reports.summary import summary


def test_the_small_sample() -> None:
    assert summary(small()) == (
        f"Of 2 variants, 1 is significantly better than the baseline in {NDCG}, 1 significantly worse, and 0 neither.",
        f"The highest {NDCG} is that of words@11: 0.5123 against 0.5000 of the baseline (difference +0.0123, "
        "interval +0.0023 to +0.0223, significant), with an index of 49.4 % of the baseline's bytes.",
        "The smallest index with no significant loss in any measure, and no interval wholly below zero, "
        f"is that of words@11: 49.4 % of the baseline's bytes, {NDCG} 0.5123 (difference +0.0123, interval "
        "+0.0023 to +0.0223, significant); break-even after 1,234 queries.",
        f"Cleaning hurts most at justext: {NDCG} changes by −0.1000, significantly; 7 topics lost and 1 won; "
        "it leaves 100 of 1,000 documents without text.",
        f"The Pareto front of index size and {NDCG} is justext, words@11, from the smallest index up.",
    )


def test_where_cleaning_only_hurts_it_says_so() -> None:
    sentences = summary(replace(small(), rows=(BASELINE, JUSTEXT)))
    assert sentences[0] == (
        f"Of 1 variant, 0 are significantly better than the baseline in {NDCG}, 1 significantly worse, and 0 neither."
    )
    assert sentences[1] == (
        f"No variant reaches the baseline's {NDCG} of 0.5000; justext comes closest with 0.4000 "
        "(difference −0.1000, interval −0.1100 to −0.0900, significant)."
    )
    assert sentences[2] == ("Every variant with a smaller index loses in some measure, by the test or by its interval.")


def test_a_loss_that_is_not_excluded_is_named_and_not_called_equality() -> None:
    row = replace(WORDS, comparisons={NDCG: comparison(NDCG, -0.002, 3, 2, 3, 0.9)}, measures={NDCG: 0.498})
    third = summary(replace(small(), rows=(BASELINE, row)))[2]
    assert third == (
        f"The smallest index with no significant loss in {NDCG}, and no interval wholly below zero, is that "
        f"of words@11: 49.4 % of the baseline's bytes, {NDCG} 0.4980 (difference −0.0020, interval "
        "−0.0120 to +0.0080, not significant); a loss of up to 0.0120 is not excluded; break-even after "
        "1,234 queries."
    )


def test_a_loss_by_its_interval_alone_is_a_loss() -> None:
    row = replace(WORDS, comparisons={NDCG: comparison(NDCG, -0.02, 3, 2, 3, 0.9)}, measures={NDCG: 0.48})
    assert summary(replace(small(), rows=(BASELINE, row)))[2].startswith("Every variant with a smaller index loses")


def test_too_few_topics_for_any_significance() -> None:
    results = replace(small(), topics=6)
    assert summary(results)[1] == (
        "With 6 topics and 4 comparisons no difference can be significant after Holm's correction, however "
        "large: more topics or fewer variants would be needed."
    )
    assert "can be significant" not in " ".join(summary(replace(results, test="Paired t-test")))


def test_only_the_baseline() -> None:
    results = replace(small(), rows=(BASELINE,), measures=("P@10",))
    assert summary(results) == ("Only the baseline was run: P@10 is 0.4000.",)


def test_each_retrieval_model_speaks_for_itself() -> None:
    sentences = summary(large(topics=10, retrievals=("qld", "qld(exact)")))
    openings = [sentence.split(": ")[0] for sentence in sentences]
    assert openings == sorted(openings)
    assert set(openings) == {"qld", "qld(exact)"}
