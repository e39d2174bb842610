"""The sentences that sum an experiment up."""

from __future__ import annotations

from dataclasses import replace

from decision_samples import CHOICE
from report_samples import BASELINE, JUSTEXT, NDCG, WORDS, comparison, large, small

from thresher.reports.recommendation import headline
from thresher.reports.summary import summary
from thresher.results.experiment_results import TitleBias

ASK = "Which of them to use is a question for `thresher choose`."


def test_the_small_sample() -> None:
    assert summary(small()) == (
        f"1 of 2 variants is significantly worse than the baseline in {NDCG}. 1 is significantly better.",
        f"Differences from the baseline in {NDCG} are between −0.1000 and +0.0123.",
        "Of 2 smaller indexes, 1 shows no loss in any measure, neither a significant one nor an interval below zero; that is "
        "not to say that there is none.",
        "1 variant leaves more than 1 % of the pages without text.",
        f"The Pareto front of index size and {NDCG} is justext, words@11, from the smallest index up.",
        ASK,
    )


def test_what_was_chosen_comes_first_and_nothing_else_is_singled_out() -> None:
    chosen, *rest = summary(small(), CHOICE)
    assert chosen == headline(CHOICE.recommendations[0])
    assert (*rest, ASK) == summary(small())
    other = replace(CHOICE, recommendations=(replace(CHOICE.recommendations[0], retrieval="bm25"),))
    assert summary(small(), other) == summary(small())[:-1]


def test_where_cleaning_only_hurts_it_says_so() -> None:
    sentences = summary(replace(small(), rows=(BASELINE, JUSTEXT)))
    assert sentences[0] == (
        f"1 of 1 variant is significantly worse than the baseline in {NDCG}. 0 are significantly better."
    )
    assert sentences[1] == f"The difference from the baseline in {NDCG} is −0.1000."
    assert sentences[2].startswith("Of 1 smaller index, 0 show no loss in any measure")


def test_a_loss_by_its_interval_alone_is_a_loss() -> None:
    for difference, count in ((-0.002, "1 shows"), (-0.02, "0 show")):
        row = replace(WORDS, comparisons={NDCG: comparison(NDCG, difference, 3, 2, 3, 0.9)}, measures={NDCG: 0.48})
        assert summary(replace(small(), rows=(BASELINE, row)))[2].startswith(f"Of 1 smaller index, {count} no loss")


def test_too_few_topics_for_any_significance() -> None:
    results = replace(small(), topics=6)
    assert summary(results)[1] == (
        "With 6 topics and 4 comparisons no difference can be significant after Holm's correction, however "
        "large: more topics or fewer variants would be needed."
    )
    free = replace(results, correction="none", topics=5)
    assert summary(free)[1] == "With 5 topics no difference can be significant, however large: more would be needed."
    # 2^(1 - 6) is below 0.05, and 2^(1 - 5) below 0.1.
    for enough in (replace(free, topics=6), replace(free, alpha=0.1)):
        assert "can be significant" not in " ".join(summary(enough))
    assert "can be significant" not in " ".join(summary(replace(results, test="Paired t-test")))


def test_topics_that_repeat_titles() -> None:
    biased = replace(small(), title_bias=TitleBias(1000, 99, 250))
    assert summary(biased) == (
        *summary(small())[:-1],
        "250 of 1,000 relevant pages have all words of the topic in title or headings. 99 have them in the title.",
        ASK,
    )
    many = replace(biased, title_bias=TitleBias(1000, 99, 251), held_out=replace(biased, title_bias=TitleBias(1, 0, 1)))
    warning = (
        " An index of titles and headings alone finds these, so gains of `headings=keep` are no sign of good cleaning."
    )
    assert summary(many)[-3:-1] == (
        "251 of 1,000 relevant pages have all words of the topic in title or headings. 99 have them in the title."
        + warning,
        "Of the held-out topics, 1 of 1 relevant page has all words of the topic in title or headings. 0 have them in the "
        "title." + warning,
    )
    assert summary(replace(small(), title_bias=TitleBias(0, 0, 0))) == summary(small())


def test_only_the_baseline() -> None:
    results = replace(small(), rows=(BASELINE,), measures=("P@10",))
    assert summary(results) == ("Only the baseline was run: P@10 is 0.4000.",)


def test_each_retrieval_model_speaks_for_itself() -> None:
    sentences = summary(large(topics=10, retrievals=("qld", "qld(exact)")))
    openings = [sentence.split(": ")[0] for sentence in sentences[:-1]]
    assert openings == sorted(openings)
    assert set(openings) == {"qld", "qld(exact)"}
