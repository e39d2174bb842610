"""Query views against rankings in plain loops, and what they make of a document's terms."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from posting_samples import hash_of, postings_of

from thresher.defaults import BM25_B, BM25_K1, QLD_MU
from thresher.errors import ConfigError
from thresher.pruning_methods.method import LoggedQuery
from thresher.pruning_methods.treatments import Treatment, methods, parse_pruning, parse_treatment
from thresher.pruning_methods.views import best_documents
from thresher.scorers.cleaners import Cleaner

Documents = Mapping[str, Sequence[str]]
Queries = Sequence[Sequence[str]]

TERMS = "abcdef"
DOCUMENTS = st.dictionaries(
    st.text("12é", min_size=1, max_size=3), st.lists(st.sampled_from(TERMS), max_size=12), max_size=9
)
# One of the terms is in no document.
QUERIES = st.lists(st.lists(st.sampled_from(f"{TERMS}z"), max_size=5), max_size=6)


def logged(queries: Queries) -> list[LoggedQuery]:
    return [{hash_of(term): times for term, times in Counter(query).items()} for query in queries]


def score(documents: Documents, id_: str, query: Sequence[str], model: str) -> float:
    """Return the score of a document: formulas of the models, one token of the query after the other."""
    sizes = [len(tokens) for tokens in documents.values() if tokens]
    tokens, size = documents[id_], len(documents[id_])
    total = 0.0
    for term in query:
        tf = tokens.count(term)
        if not tf:
            continue
        df = sum(term in other for other in documents.values())
        share = sum(other.count(term) for other in documents.values()) / sum(sizes)
        if model == "bm25":
            norm = BM25_K1 * (1 - BM25_B + BM25_B * size / (sum(sizes) / len(sizes)))
            total += math.log(1 + (len(sizes) - df + 0.5) / (df + 0.5)) * tf / (tf + norm)
        else:
            total += max(math.log((tf + QLD_MU * share) / (size + QLD_MU) / share), 0)
    return round(total, 10)


def results(documents: Documents, query: Sequence[str], k: int, model: str, conjunctive: bool) -> list[str]:
    enough = all if conjunctive else any
    found = [id_ for id_, tokens in documents.items() if query and enough(term in tokens for term in query)]
    return sorted(found, key=lambda id_: (-score(documents, id_, query, model), id_))[:k]


def has_near_ties(documents: Documents, queries: Queries, model: str) -> bool:
    """Return whether sums in another order may round to others."""
    for query in queries:
        scores = sorted({score(documents, id_, query, model) for id_ in documents})
        if any(0 < after - before < 1e-9 for before, after in pairwise(scores)):
            return True
    return False


@given(
    documents=DOCUMENTS,
    queries=QUERIES,
    k=st.integers(1, 4),
    model=st.sampled_from(["bm25", "qld"]),
    conjunctive=st.booleans(),
    block=st.integers(1, 4),
)
def test_best_documents_are_those_of_plain_loops_whatever_the_blocks(
    documents: Documents, queries: Queries, k: int, model: str, conjunctive: bool, block: int
) -> None:
    assume(not has_near_ties(documents, queries, model))
    expected = {
        frozenset(Counter(query).items()): results(documents, query, k, model, conjunctive) for query in queries
    }
    postings, terms = postings_of(documents, block)
    found = best_documents(postings, logged(queries), k, model, conjunctive)
    # Equal queries are ranked once; those without a result may be left out.
    names = [tuple(terms[term] for term in query.terms) for query in found]
    counted = Counter(tuple(sorted(query.documents)) for query in found if query.documents)
    assert counted == Counter(tuple(sorted(ids)) for ids in expected.values() if ids)
    for name, query in zip(names, found, strict=True):
        possible = [ids for asked, ids in expected.items() if {term for term, _ in asked} & {*terms} == {*name}]
        assert [*query.documents] in possible


def test_ties_are_won_by_the_smaller_id_and_repeated_terms_count() -> None:
    documents = {"b": ["x"], "a": ["x"], "c": ["x", "y", "y"], "d": ["y", "z", "z"]}
    postings, terms = postings_of(documents, 1)
    once, often = best_documents(postings, logged([["x"], ["y", "x", "x", "x"]]), 2, "bm25", False)
    assert (once.documents, [terms[term] for term in once.terms]) == (("a", "b"), ["x"])
    assert often.documents == ("c", "a")
    assert [terms[term] for term in often.terms] == sorted("xy", key=hash_of)
    assert best_documents(postings, logged([["y", "q"], ["q"], []]), 2, "bm25", True) == []
    assert [query.documents for query in best_documents(postings, logged([["x", "y"]] * 2), 2, "bm25", True)] == [
        ("c",)
    ]


def numbers_of(
    method: str, documents: Documents, queries: Queries, block: int | None = None
) -> dict[tuple[str, str], float]:
    postings, terms = postings_of(documents, block)
    template = parse_pruning(method).method
    fitted = template.fit(postings, {template.log: logged(queries)})
    found = {}
    for part in postings.blocks():
        numbers = template.scores(part, postings.statistics, fitted).tolist()
        for row, term, number in zip(part.document, part.term, numbers, strict=True):
            found[part.ids[row], terms[term]] = number
    return found


@given(
    documents=DOCUMENTS,
    queries=QUERIES,
    k=st.integers(1, 3),
    base=st.sampled_from(["dcp", "2n2p", "random"]),
    match=st.sampled_from(["any", "all"]),
)
@settings(max_examples=60)
def test_terms_with_a_view_come_first_then_the_base_decides(
    documents: Documents, queries: Queries, k: int, base: str, match: str
) -> None:
    assume(not has_near_ties(documents, queries, "bm25"))
    name = f"views(log=log.tsv,k={k},base={base},match={match})"
    numbers = numbers_of(name, documents, queries)
    viewed = {
        (id_, term)
        for query in queries
        for id_ in results(documents, query, k, "bm25", match == "all")
        for term in query
        if term in documents[id_]
    }
    alone = numbers_of(base, documents, [])
    higher_is_better = methods()[base].keep == "keep above"
    postings, _ = postings_of(documents)
    ties = postings.statistics.hashes.tolist()
    assert ties == [hash_of(term) for term in sorted({token for tokens in documents.values() for token in tokens})]
    for id_, tokens in documents.items():
        terms = {*tokens}

        def place(term: str, id_: str = id_) -> tuple[bool, float, int]:
            value = alone[id_, term]
            return (id_, term) not in viewed, round(-value if higher_is_better else value, 10), hash_of(term)

        ranked = sorted(terms, key=place)
        assert {term: numbers[id_, term] for term in terms} == {
            term: rank / len(terms) for rank, term in enumerate(ranked)
        }
    assert numbers_of(name, documents, queries, 2) == numbers
    assert numbers_of(name, dict(reversed(documents.items())), queries, 1) == numbers


def test_views_by_hand() -> None:
    # By dcp alone z is before x in "a", which is the best result for x and y.
    documents = {"a": ["x", "x", "y", "y", "y", "z"], "b": ["x", "w", "v"], "c": ["x", "u"]}
    alone = numbers_of("dcp", documents, [])
    assert sorted("xyz", key=lambda term: alone["a", term]) == ["y", "z", "x"]
    numbers = numbers_of("views(log=q,k=1)", documents, [["x", "y"], ["nowhere"]])
    assert (numbers["a", "y"], numbers["a", "x"], numbers["a", "z"]) == (0, 1 / 3, 2 / 3)
    assert {term: number for (id_, term), number in numbers.items() if id_ == "b"} == {
        term: number for (id_, term), number in alone.items() if id_ == "b"
    }


@given(documents=DOCUMENTS)
@settings(max_examples=20)
def test_without_a_log_the_base_decides_alone(documents: Documents) -> None:
    postings, _ = postings_of(documents)
    views, dcp = parse_pruning("views").method, parse_pruning("dcp").method
    for block in postings.blocks():
        own = views.scores(block, postings.statistics, views.fit(postings))
        assert own.tolist() == dcp.scores(block, postings.statistics, dcp.fit(postings)).tolist()


@pytest.mark.parametrize(
    "path", ["log.tsv", "../logs/2024-01.tsv", "${HOME:-/x}/é~#%.tsv", "ir_datasets:vaswani", "a'b\"c.tsv"]
)
def test_paths_in_names_read_back(path: str) -> None:
    treatment = parse_treatment(f"words@5|views(log={path},k=10)@0.3")
    assert treatment.name == f"words@5|views(log={path},k=10,model=bm25,match=all,base=dcp)@0.3"
    assert parse_treatment(treatment.name).name == treatment.name
    assert treatment.pruning is not None
    assert treatment.pruning.method.log == path


@given(st.text())
def test_any_text_as_a_path_reads_back_or_is_an_error_of_one_line(text: str) -> None:
    try:
        pruning = parse_pruning(f"views(log={text})@0.5")
    except ConfigError as error:
        lines = f"{error.what} {error.fix}".splitlines()
        assert len(lines) == 1
        return
    name = Treatment(Cleaner(), pruning).name
    assert len(name.split()) == 1
    assert parse_treatment(name).name == name


@pytest.mark.parametrize("character", [*",()|@+=", " ", "\t", "\u2028"])
def test_paths_with_characters_of_names_are_refused(character: str) -> None:
    with pytest.raises(ConfigError):
        parse_treatment(f"none|views(log=a{character}b.tsv)@0.5")


def test_a_character_that_names_cannot_hold_is_named_with_the_fix() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_pruning("views(log=a@b.tsv)@0.5", "sweep")
    assert caught.value.where == "sweep"
    for fact in ("'a@b.tsv'", "'log'", "'@'"):
        assert fact in caught.value.what
    assert "rename" in caught.value.fix


def test_a_pruning_method_without_its_log_is_refused_where_it_is_used() -> None:
    parse_pruning("views(log=queries.tsv)").method.check("here")
    with pytest.raises(ConfigError) as caught:
        parse_pruning("views").method.check("here")
    assert (caught.value.where, "'views'" in caught.value.what) == ("here", True)
    assert "log=" in caught.value.fix
    for kind in methods().values():
        kind(**kind.example).check(kind.name)


def test_memory_is_of_results_not_of_postings() -> None:
    documents = {str(number): [f"t{number % 7}", *"abcdef"] for number in range(200)}
    postings, _ = postings_of(documents, 10)
    fitted = parse_pruning("views(log=q,k=3)").method.fit(postings, {"q": logged([["a", "b"], ["t1"], ["a", "b"]])})
    assert len(fitted.number) <= 2 * 3
    assert len(fitted.keys) <= 3 * 2 + 3
    assert np.all(np.diff(fitted.keys) > 0)
