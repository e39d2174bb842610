from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_names

from thresher.base.errors import ConfigError
from thresher.indexes.analysis import RetrievalModel, parse_retrieval

MODELS = "use qld, qld(mu=1000), qld(exact), qld(exact,mu=1000), bm25, bm25(b=0.3,k1=1.2) or classic"
POSITIVE = st.floats(min_value=0, exclude_min=True, allow_infinity=False)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("qld", RetrievalModel("qld")),
        ("qld(mu=1000)", RetrievalModel("qld", mu=1000.0)),
        ("qld(mu=0.5)", RetrievalModel("qld", mu=0.5)),
        ("qld(exact)", RetrievalModel("qld", exact=True)),
        ("qld(exact,mu=500)", RetrievalModel("qld", exact=True, mu=500.0)),
        ("bm25", RetrievalModel("bm25")),
        ("bm25(b=0.3,k1=1.2)", RetrievalModel("bm25", b=0.3, k1=1.2)),
        ("bm25(b=0)", RetrievalModel("bm25", b=0.0)),
        ("classic", RetrievalModel("classic")),
    ],
)
def test_canonical_names_parse_and_print_back(name: str, model: RetrievalModel) -> None:
    assert parse_retrieval(name) == model
    assert model.name == name
    assert str(model) == name


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("qld(mu=2000)", "qld"),
        ("qld( mu = 1e3 )", "qld(mu=1000)"),
        ("qld(mu=500,exact)", "qld(exact,mu=500)"),
        ("bm25(k1=1.2,b=0.3)", "bm25(b=0.3,k1=1.2)"),
        ("bm25(k1=0.9, b=0.4)", "bm25"),
    ],
)
def test_other_spellings_have_the_canonical_name(name: str, canonical: str) -> None:
    assert parse_retrieval(name).name == canonical


@pytest.mark.parametrize("name", ["", "tfidf", "QLD", "qld(", "qld)", "qld(mu=1))", "bm25 qld"])
def test_unknown_models_are_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_retrieval(name)
    where = f"{name}: " if name else ""
    assert_names(caught.value, where, "Fix: ", MODELS)


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("qld()", ""),
        ("qld(k1=1)", "k1=1"),
        ("qld(mu)", "mu"),
        ("qld(mu=)", "mu="),
        ("qld(mu=nan)", "mu=nan"),
        ("qld(mu=1,mu=2)", "mu=2"),
        ("qld(exact,exact)", "exact"),
        ("bm25(exact)", "exact"),
        ("bm25(b=0.1,)", ""),
    ],
)
def test_arguments_a_model_does_not_have_are_refused(name: str, argument: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_retrieval(name)
    assert str(caught.value) == f"{name}: {name[: name.index('(')]} cannot take {argument!r}. Fix: {MODELS}."


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("qld(mu=0)", ("qld: mu=0 ", "out of range", "Fix: ", "above 0.")),
        ("qld(mu=-2.5)", ("qld: mu=-2.5 ", "out of range", "Fix: ", "above 0.")),
        ("qld(mu=1e999)", ("qld: mu=inf ", "out of range", "Fix: ", "above 0.")),
        ("bm25(k1=-1)", ("bm25: k1=-1 ", "out of range", "Fix: ", "0 or more.")),
        ("bm25(b=1.01)", ("bm25: b=1.01 ", "out of range", "Fix: ", "from 0 to 1.")),
    ],
)
def test_values_out_of_range_are_refused(name: str, facts: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_retrieval(name)
    assert_names(caught.value, *facts)


@given(st.booleans(), POSITIVE)
def test_every_query_likelihood_survives_its_name(exact: bool, mu: float) -> None:
    model = RetrievalModel("qld", exact, mu)
    assert parse_retrieval(model.name) == model


@given(st.floats(min_value=0, allow_infinity=False), st.floats(min_value=0, max_value=1))
def test_every_bm25_survives_its_name(k1: float, b: float) -> None:
    model = RetrievalModel("bm25", k1=k1, b=b)
    assert parse_retrieval(model.name) == model


@given(st.text(alphabet="qldbm25exactk1=0.9,() ", max_size=24))
def test_any_text_parses_to_a_stable_name_or_is_refused(text: str) -> None:
    try:
        name = parse_retrieval(text).name
    except ConfigError:
        return
    assert parse_retrieval(name).name == name


def test_the_family_decides_what_is_printed() -> None:
    family: Literal["bm25"] = "bm25"
    assert RetrievalModel(family, mu=5).name == "bm25"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("qld(mu=1500)", ("µ = 1500", "ln(1 + tf / (µ p)) + ln(µ / (µ + length))", "in one byte")),
        ("qld(exact)", ("µ = 2000", "ranks as the published formula")),
        ("bm25(b=0.3)", ("BM25", "k1 = 0.9", "b = 0.3")),
        ("classic", ("TF-IDF",)),
    ],
)
def test_formulas_have_all_parameters(name: str, said: tuple[str, ...]) -> None:
    formula = parse_retrieval(name).formula
    assert [one for one in said if one not in formula] == []
