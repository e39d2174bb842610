"""Who overtook whom."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from thresher.experiments.explaining.rank_changes import RankChanges, by_rank

rankings = st.permutations("abcdef").flatmap(lambda order: st.integers(0, 6).map(lambda size: tuple(order[:size])))


def test_a_document_falls_behind_two_others_and_one_leaves() -> None:
    ranks = RankChanges(("a", "b", "c", "d"), ("b", "e", "a", "c"))
    assert (ranks.rank_before("a"), ranks.rank_after("a"), ranks.rank_after("d")) == (1, 3, None)
    assert ranks.overtakers("a") == ("b", "e")
    assert ranks.overtaken("b") == ("a",)
    assert ranks.overtakers("d") == ("e",)
    assert ranks.overtaken("e") == ("a", "c", "d")
    assert [ranks.fell(one) for one in "abcde"] == [True, False, True, True, False]
    assert [ranks.rose(one) for one in "abcde"] == [False, True, False, False, True]
    assert ranks.put_back("a") == ("a", "b", "e", "c")
    assert ranks.put_back("d") == ("b", "e", "a", "d", "c")
    assert ranks.put_back("e") == ("b", "a", "c")
    assert ranks.documents == ("a", "b", "c", "d", "e")


def test_equal_scores_are_ordered_as_trec_eval_orders_them() -> None:
    assert by_rank({"a": 1.0, "c": 1.0, "b": 2.0}) == ("b", "c", "a")


@given(rankings, rankings)
def test_overtaking_is_what_two_orders_disagree_in(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    ranks = RankChanges(before, after)

    def place(order: tuple[str, ...], document: str) -> int:
        return order.index(document) if document in order else 99

    for one in ranks.documents:
        passed = {
            other
            for other in ranks.documents
            if place(before, other) > place(before, one) and place(after, other) < place(after, one)
        }
        assert {*ranks.overtakers(one)} == passed
        assert all(one in ranks.overtaken(other) for other in passed)
        if ranks.fell(one):
            assert not ranks.rose(one)
        back = ranks.put_back(one)
        assert [other for other in back if other != one] == [other for other in after if other != one]
