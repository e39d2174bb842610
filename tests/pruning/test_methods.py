"""Every pruning method against its formula in plain loops, worked examples, and what holds for all pruning methods."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from posting_samples import hash_of, postings_of

from thresher.base.defaults import BM25_B, BM25_K1, QLD_MU
from thresher.base.errors import ConfigError
from thresher.indexes.pruning.method import KEEP_SHARE, PruningMethod, kept_postings, steps, strictest_first
from thresher.indexes.pruning.treatments import methods, parse_pruning

Documents = Mapping[str, Sequence[str]]
Numbers = dict[tuple[str, str], float]

NAMES = (
    "2n2p",
    "dcp",
    "gain",
    "gain(alpha=0)",
    "gain(alpha=1,floor=1)",
    "idf",
    "nucleus",
    "nucleus(mass=bm25)",
    "prp",
    "random",
    "random(seed=7)",
    "ridf",
    "tcp",
    "tcp(k=1)",
    "tcp(k=2,model=qld)",
    "tcp(k=3)",
    "up",
    "up(model=qld)",
)
TOKENS = st.lists(st.sampled_from("abcdefg"), max_size=12)
COLLECTIONS = st.dictionaries(st.sampled_from(["1", "2", "3", "4", "5", "é", "x y"]), TOKENS, max_size=7)
ODD = (
    {},
    {"1": []},
    {"1": ["a"]},
    {"1": ["a", "a", "b"]},
    {"1": ["a"], "2": ["a"], "3": ["a", "a"]},
    {"1": ["a", "b"], "2": ["a", "c"], "3": []},
    {"1": ["a"] * 40, "2": ["a"] * 3, "3": ["a", "b"]},
)


def odd_collections(test: Any) -> Any:
    for documents in ODD:
        test = example(documents=documents)(test)
    return test


def numbers_of(method: str, documents: Documents, block: int | None = None) -> Numbers:
    """Return the number of each posting by document and term."""
    postings, terms = postings_of(documents, block)
    template = parse_pruning(method).method
    found: Numbers = {}
    with np.errstate(all="raise"):
        fitted = template.fit(postings)
        for part in postings.blocks():
            scores = template.scores(part, postings.statistics, fitted)
            assert scores.dtype == np.float64
            assert scores.shape == part.term.shape
            for row, term, score in zip(part.document, part.term, scores.tolist(), strict=True):
                found[part.ids[row], terms[term]] = score
    return found


class Plain:
    """The statistics of a collection, counted one by one."""

    def __init__(self, documents: Documents) -> None:
        self.tf = {id_: Counter(tokens) for id_, tokens in documents.items() if tokens}
        self.size = {id_: len(tokens) for id_, tokens in documents.items() if tokens}
        self.tokens = sum(self.size.values())
        self.cf: Counter[str] = Counter()
        self.df: Counter[str] = Counter()
        for counts in self.tf.values():
            self.cf.update(counts)
            self.df.update(counts.keys())
        self.mean = self.tokens / max(len(self.tf), 1)

    def each(self, formula: Callable[[str, str], float]) -> Numbers:
        return {(id_, term): formula(id_, term) for id_, counts in self.tf.items() for term in counts}

    def bm25(self, id_: str, term: str) -> float:
        tf, df = self.tf[id_][term], self.df[term]
        idf = math.log(1 + (len(self.tf) - df + 0.5) / (df + 0.5))
        return idf * tf / (tf + BM25_K1 * (1 - BM25_B + BM25_B * self.size[id_] / self.mean))

    def qld(self, id_: str, term: str) -> float:
        share = self.cf[term] / self.tokens
        smoothed = (self.tf[id_][term] + QLD_MU * share) / (self.size[id_] + QLD_MU)
        return math.log(smoothed / share)

    def ridf(self, id_: str, term: str) -> float:
        documents = len(self.tf)
        return -math.log(self.df[term] / documents) + math.log(1 - math.exp(-self.cf[term] / documents))

    def prp(self, id_: str, term: str) -> float:
        deviation = math.sqrt(sum((size - self.mean) ** 2 for size in self.size.values()) / len(self.size))
        offset = (self.size[id_] - self.mean) / deviation if deviation > 1e-12 else 0
        prior = 0.5 + 0.1 * math.tanh(offset)
        absent = self.cf[term] / self.tokens
        relevant = 0.4 * self.tf[id_][term] / self.size[id_] + 0.6 * absent
        return relevant / absent * prior / (1 - prior)

    def gain(self, id_: str, term: str, alpha: float) -> float:
        tf, size = self.tf[id_][term], self.size[id_]
        return tf * math.log((tf / size) / (self.cf[term] / self.tokens)) * (self.mean / size) ** alpha

    def two_proportions(self, id_: str, term: str) -> float:
        tf, cf, size = self.tf[id_][term], self.cf[term], self.size[id_]
        pooled = (tf + cf) / (size + self.tokens)
        if pooled == 1:
            return 0
        error = math.sqrt(pooled * (1 - pooled) * (1 / size + 1 / self.tokens))
        return (tf / size - cf / self.tokens) / error

    def term_centric(self, score: Callable[[str, str], float], k: int) -> Numbers:
        scores = {posting: max(value, 0) for posting, value in self.each(score).items()}
        found: Numbers = {}
        for (id_, term), value in scores.items():
            ranked = sorted((other for (_, word), other in scores.items() if word == term), reverse=True)
            if len(ranked) <= k:
                found[id_, term] = math.inf
            elif ranked[k - 1] == 0:
                found[id_, term] = math.inf if value else 0
            else:
                found[id_, term] = value / ranked[k - 1]
        return found


@odd_collections
@given(documents=COLLECTIONS)
def test_numbers_are_those_of_the_formulas(documents: Documents) -> None:
    plain = Plain(documents)
    expected = {
        "up": plain.each(plain.bm25),
        "up(model=qld)": plain.each(plain.qld),
        "2n2p": plain.each(plain.two_proportions),
        "gain(alpha=0)": plain.each(lambda id_, term: plain.gain(id_, term, 0)),
        "gain(alpha=0.35)": plain.each(lambda id_, term: plain.gain(id_, term, 0.35)),
        "gain(alpha=1)": plain.each(lambda id_, term: plain.gain(id_, term, 1)),
        "prp": plain.each(plain.prp),
        "idf": plain.each(lambda _, term: math.log(len(plain.tf) / plain.df[term])),
        "ridf": plain.each(plain.ridf),
        "tcp(k=1)": plain.term_centric(plain.bm25, 1),
        "tcp(k=3)": plain.term_centric(plain.bm25, 3),
    }
    for name, numbers in expected.items():
        assert numbers_of(name, documents) == pytest.approx(numbers, rel=1e-9, abs=1e-12), name


@given(
    documents=st.dictionaries(st.integers(0, 40).map(str), st.lists(st.sampled_from("aab"), max_size=40), max_size=40)
)
def test_term_centric_pruning_with_scores_below_zero(documents: Documents) -> None:
    plain = Plain(documents)
    # A score that is 0 in exact arithmetic may be a little above or below it.
    scores = plain.each(lambda id_, term: value if abs(value := plain.qld(id_, term)) > 1e-12 else 0)
    expected = plain.term_centric(lambda id_, term: scores[id_, term], 2)
    for posting, number in numbers_of("tcp(k=2,model=qld)", documents, 3).items():
        if abs(scores[posting]) > 1e-12 and not math.isinf(expected[posting]):
            assert number == pytest.approx(expected[posting], rel=1e-6)


@odd_collections
@given(documents=COLLECTIONS)
def test_document_centric_pruning_ranks_by_divergence(documents: Documents) -> None:
    plain = Plain(documents)

    def contribution(id_: str, term: str) -> float:
        share = plain.tf[id_][term] / plain.size[id_]
        return share * math.log(share / (plain.cf[term] / plain.tokens))

    check_ranking(numbers_of("dcp", documents), plain, contribution, lambda ranked: [1 / len(ranked)] * len(ranked))


@odd_collections
@given(documents=COLLECTIONS)
def test_a_floor_keeps_the_best_terms_of_each_document(documents: Documents) -> None:
    plain = Plain(documents)
    without, numbers = (numbers_of(f"gain{options}", documents) for options in ("", "(floor=1.5)"))
    for id_, counts in plain.tf.items():
        ranked = sorted(counts, key=lambda term: (-round(without[id_, term], 10), hash_of(term)))
        always = ranked[: math.ceil(1.5 * math.sqrt(len(ranked)))]
        assert {term for term in counts if math.isinf(numbers[id_, term])} == set(always)
        assert all(numbers[id_, term] == without[id_, term] for term in counts if term not in always)


@odd_collections
@given(documents=COLLECTIONS)
def test_nuclei_hold_the_heaviest_terms(documents: Documents) -> None:
    plain = Plain(documents)
    for name, weight in {"mle": lambda id_, term: plain.tf[id_][term], "bm25": plain.bm25}.items():

        def masses(ranked: Sequence[float]) -> list[float]:
            return [value / sum(ranked) for value in ranked]

        check_ranking(numbers_of(f"nucleus(mass={name})", documents), plain, weight, masses)


def check_ranking(
    numbers: Numbers,
    plain: Plain,
    value: Callable[[str, str], float],
    masses: Callable[[Sequence[float]], Sequence[float]],
) -> None:
    """Check that numbers are sums over better terms of the same document; ties in the order of the terms' hashes."""
    assert set(numbers) == set(plain.each(value))
    for id_, counts in plain.tf.items():
        ranked = sorted(counts, key=lambda term, id_=id_: numbers[id_, term])
        values = [value(id_, term) for term in ranked]
        for (first, better), (second, worse) in pairwise(zip(ranked, values, strict=True)):
            assert better >= worse - 1e-9
            if better == worse:
                assert hash_of(first) < hash_of(second)
        shares = masses(values)
        expected = [math.fsum(shares[:place]) for place in range(len(ranked))]
        assert [numbers[id_, term] for term in ranked] == pytest.approx(expected, abs=1e-9)


def test_document_centric_pruning_by_hand() -> None:
    # x: 1/2 · ln(0.5 / 0.6) < 0; y and z: 1/4 · ln(0.25 / 0.2) > 0, a tie.
    numbers = numbers_of("dcp", {"a": "x x y z".split(), "b": ["x"]})
    assert numbers.pop(("b", "x")) == 0
    assert numbers.pop(("a", "x")) == pytest.approx(2 / 3)
    assert sorted(numbers.values()) == pytest.approx([0, 1 / 3])


def test_document_centric_pruning_keeps_a_share_rounded_up() -> None:
    for size in (1, 3, 7, 10, 30):
        documents = {"a": [f"{number}" for number in range(size) for _ in range(number + 1)], "b": ["0"]}
        values = np.array([value for (id_, _), value in numbers_of("dcp", documents).items() if id_ == "a"])
        for percent in range(1, 101):
            assert kept_postings(parse_pruning("dcp").method, values, percent / 100).sum() == -(
                -size * percent // 100
            ), (
                size,
                percent,
            )


def test_term_centric_pruning_by_hand() -> None:
    # Documents of equal length: a term's scores are as tf / (tf + 0.9), which is 0.7692, 0.6897 and 0.5263.
    documents = {"1": "x x x y".split(), "2": "x x y y".split(), "3": "x y z z".split()}
    numbers = numbers_of("tcp(k=2)", documents)
    assert [numbers[id_, "x"] for id_ in "123"] == pytest.approx([1.115385, 1, 0.763158], abs=1e-6)
    assert numbers["3", "z"] == math.inf
    assert set(numbers_of("tcp(k=3)", documents).values()) == {math.inf}


def test_two_proportions_by_hand() -> None:
    # (0.2 - 0.04) / √(6/110 · 104/110 · (1/10 + 1/100))
    documents = {"1": ["t"] * 2 + ["u"] * 8, "2": ["t"] * 2 + ["u"] * 88}
    assert numbers_of("2n2p", documents)["1", "t"] == pytest.approx(2.124341, abs=1e-6)


def test_probability_ranking_by_hand() -> None:
    # Lengths 10 and 90 are a deviation from their mean: p(r|d) = 0.5 ∓ 0.0761594; (0.4 · 0.2 + 0.6 · 0.04) / 0.04 = 2.6.
    documents = {"1": ["t"] * 2 + ["u"] * 8, "2": ["t"] * 2 + ["u"] * 88}
    assert numbers_of("prp", documents)["1", "t"] == pytest.approx(2.6 * 0.4238406 / 0.5761594, abs=1e-6)


def test_residual_idf_by_hand() -> None:
    # ln 4 - (-ln(1 - 1/e)); the other term is spread evenly and has less than none left.
    numbers = numbers_of("ridf", {"1": ["t"] * 4 + ["u"], "2": ["u"], "3": ["u"], "4": ["u"]})
    assert numbers["1", "t"] == pytest.approx(1.386294 - 0.458675, abs=1e-6)
    assert numbers["1", "u"] == pytest.approx(-0.458675, abs=1e-6)


def test_a_nucleus_by_hand() -> None:
    numbers = numbers_of("nucleus", {"1": ["x"] * 5 + ["y"] * 3 + ["z"] * 2})
    assert numbers == {("1", "x"): 0, ("1", "y"): 0.5, ("1", "z"): 0.8}
    for cutoff, terms in {0.01: 1, 0.5: 1, 0.51: 2, 0.8: 2, 0.81: 3, 1.0: 3}.items():
        assert kept_postings(parse_pruning("nucleus").method, np.array([*numbers.values()]), cutoff).sum() == terms


def test_uniform_pruning_by_hand() -> None:
    # ln(1 + 1.5 / 1.5) · 2 / 2.9; ln(3 / 4 / 0.5) less a length that matters little beside µ.
    documents = {"1": ["x", "x"], "2": ["y", "y"]}
    assert numbers_of("up", documents)["1", "x"] == pytest.approx(math.log(2) * 2 / 2.9)
    smoothed = (2 + 1000) / (2 + 2000)
    assert numbers_of("up(model=qld)", documents)["1", "x"] == pytest.approx(math.log(smoothed / 0.5))


def test_random_numbers_are_those_of_the_hashes() -> None:
    def mixed(value: int) -> int:
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
        return value ^ value >> 31

    documents = {"é": ["a", "b"], "2": ["a"]}
    for seed in (0, 7):
        for (id_, term), number in numbers_of(f"random(seed={seed})", documents).items():
            document = blake2b(f"{seed} {id_}".encode(), digest_size=8).digest()
            both = int.from_bytes(document, "little") ^ mixed(hash_of(term))
            assert number == (mixed(both) >> 11) / 2**53


def test_random_numbers_are_uniform_and_independent() -> None:
    documents = {str(row): [f"t{column}" for column in range(100)] for row in range(100)}
    numbers = np.array([*numbers_of("random", documents).values()]).reshape(100, 100)
    other = np.array([*numbers_of("random(seed=1)", documents).values()]).reshape(100, 100)
    shares = (numbers < 0.3).mean()
    # Four standard errors.
    assert abs(shares - 0.3) < 4 * math.sqrt(0.21 / 10_000)
    assert abs((numbers < 0.3).mean(axis=0) - 0.3).max() < 5 * math.sqrt(0.21 / 100)
    assert abs((numbers < 0.3).mean(axis=1) - 0.3).max() < 5 * math.sqrt(0.21 / 100)
    assert abs(np.corrcoef(numbers.ravel(), other.ravel())[0, 1]) < 0.04
    assert abs(np.corrcoef(numbers[:-1].ravel(), numbers[1:].ravel())[0, 1]) < 0.04


def test_all_pruning_methods_are_covered() -> None:
    assert {parse_pruning(name).method.name for name in NAMES} == set(methods())


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@odd_collections
@given(documents=COLLECTIONS)
@settings(max_examples=20)
def test_numbers_do_not_depend_on_blocks_or_order_and_are_never_nan(name: str, documents: Documents) -> None:
    whole = numbers_of(name, documents)
    assert not any(map(math.isnan, whole.values()))
    assert numbers_of(name, documents, 1) == whole
    assert numbers_of(name, documents, 2) == whole
    assert numbers_of(name, dict(reversed(documents.items())), 3) == whole


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@odd_collections
@given(documents=COLLECTIONS)
@settings(max_examples=20)
def test_looser_cutoffs_keep_more_up_to_everything(name: str, documents: Documents) -> None:
    method = parse_pruning(name).method
    numbers = np.array([*numbers_of(name, documents).values()], dtype=np.float64)
    cutoffs = strictest_first(method, np.array([*method.grid, full(method, numbers)]))
    masks = [kept_postings(method, numbers, cutoff) for cutoff in cutoffs]
    for strict, loose in pairwise(masks):
        assert not (strict & ~loose).any()
    assert masks[-1].all()
    first = np.array([next(place for place, mask in enumerate(masks) if mask[index]) for index in range(len(numbers))])
    assert steps(method, numbers, cutoffs).tolist() == first.tolist()
    assert numbers[numbers == math.inf].size == 0 or method.keep != KEEP_SHARE


def full(method: PruningMethod, numbers: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    """Return a cutoff that keeps everything: the loosest of the range, or the smallest number where there is no bound."""
    kind = type(method)
    if kind.keep == KEEP_SHARE:
        assert kind.high == 1
        return 1.0
    return kind.low if kind.low is not None else min([0.0, *numbers.tolist()])


@pytest.mark.parametrize("name", ["dcp", "nucleus", "nucleus(mass=bm25)"])
@given(documents=COLLECTIONS)
def test_document_centric_pruning_methods_leave_no_document_empty(name: str, documents: Documents) -> None:
    best: dict[str, float] = {}
    for (id_, _), number in numbers_of(name, documents).items():
        best[id_] = min(number, best.get(id_, 1.0))
    assert best == {id_: 0 for id_, tokens in documents.items() if tokens}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("tcp(k=0)@0.5", ("'k'", "0", "at least 1")),
        ("tcp(k=1.5)@0.5", ("'k'", "1.5")),
        ("tcp(model=tfidf)@0.5", ("'model'", "tfidf", "bm25, qld")),
        ("tcp@1.1", ("'tcp'", "1.1", "at most 1")),
        ("tcp@-0.1", ("'tcp'", "-0.1", "at least 0")),
        ("nucleus@0", ("'nucleus'", "0", "above 0")),
        ("nucleus@1.01", ("'nucleus'", "1.01", "at most 1")),
        ("nucleus(mass=tf)@0.5", ("'mass'", "tf", "mle, bm25")),
        ("random@0", ("'random'", "0", "above 0")),
        ("random@2", ("'random'", "2", "at most 1")),
        ("random(seed=-1)@0.5", ("'seed'", "-1", "at least 0")),
        ("prp@-1", ("'prp'", "-1", "at least 0")),
        ("idf@-1", ("'idf'", "-1", "at least 0")),
        ("up@inf", ("'up'", "inf", "finite")),
        ("2n2p@nan", ("'2n2p'", "nan", "finite")),
        ("2n2p(h=1)@0", ("'2n2p'", "'h'")),
    ],
)
def test_values_out_of_range_are_errors_that_say_what_is_allowed(text: str, facts: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_pruning(text)
    for fact in facts:
        assert fact in str(caught.value)
