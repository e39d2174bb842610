"""Percentiles in place of numbers: those of a reference text are the card's, and what has none says so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from messages import assert_names

from thresher.base.errors import ConfigError
from thresher.cleaners.cleaner import Cut, parse_cleaner, parse_sweep, sweep_name
from thresher.cleaners.relative_cutoffs import Percentile, Quota, reference_cutoff, same_kind
from thresher.cleaners.scorers.perplexity import Perplexity
from thresher.cleaners.scorers.shallow_features import Words
from thresher.cleaners.words.text_training import train


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    (folder / "text.txt").write_text(
        "".join(f"barley and rye number {n} stand in field {n % 7}.\n" for n in range(60)), encoding="utf-8"
    )
    train(texts=(folder / "text.txt",), output=folder / "m")
    return folder / "m"


def card(model: Path) -> dict[str, float]:
    result: dict[str, float] = json.loads((model / "card.json").read_text(encoding="utf-8"))["training"]["perplexities"]
    return result


def test_percentiles_of_a_reference_text_are_linear_between_the_cards(model: Path) -> None:
    table = card(model)
    (cut,) = parse_cleaner(f"perplexity(lm={model})@r70").checked().cuts
    assert reference_cutoff(cut.scorer, Percentile("r", 70.0), "x") == table["70"]
    half = reference_cutoff(cut.scorer, Percentile("r", 72.5), "x")
    assert half == pytest.approx(table["70"] + (table["80"] - table["70"]) / 4, rel=1e-12)
    assert cut.scorer.reference_percentiles() == {float(at): value for at, value in table.items()}
    assert list(cut.scorer.reference_percentiles()) == sorted(map(float, table))


def test_what_lies_outside_the_cards_percentiles_is_unknown(model: Path) -> None:
    low, high = min(map(float, card(model))), max(map(float, card(model)))
    for name in (f"r{low / 2:g}", f"r{(high + 100) / 2:g}"):
        with pytest.raises(ConfigError) as caught:
            parse_cleaner(f"perplexity(lm={model})@{name}").checked()
        assert_names(
            caught.value,
            f"perplexity(lm={model})@{name}: ",
            f"{low:g}",
            f"{high:g}",
            name,
            "Fix: ",
            f"{low:g}",
            f"{high:g}",
        )


def test_a_model_without_a_reference_text(model: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.arpa"
    bare.write_bytes((model / "model.arpa").read_bytes())
    for name in ("books", str(bare)):
        with pytest.raises(ConfigError) as caught:
            parse_cleaner(f"perplexity(lm={name})@r70").checked()
        assert_names(caught.value, f"perplexity(lm={name})@r70: ", f"{name!r}", "Fix: ", "`thresher lm train`", "p70")
        assert Perplexity(lm=name).reference_percentiles() == {}
    assert Words().reference_percentiles() == {}
    # The collection's percentiles need none.
    assert parse_cleaner("perplexity@p70").checked().name == "perplexity(lm=books)@p70"


def test_sweeps_have_one_kind_of_cutoffs_in_their_name() -> None:
    p10, p20, r10 = Percentile("p", 10.0), Percentile("p", 20.0), Percentile("r", 10.0)
    doc10, doc20 = Quota(10.0), Quota(20.0)
    assert [same_kind(cutoffs) for cutoffs in ([], [1.0, 2.0], [p10, p20], [r10], [doc10, doc20])] == [True] * 5
    assert [same_kind(cutoffs) for cutoffs in ([1.0, p10], [p10, r10], [doc10, p10], [doc10, 10.0])] == [False] * 4
    template = parse_sweep("perplexity")
    names = [sweep_name(template, cutoff) for cutoff in (8000.0, p10, r10, doc10)]
    assert names == ["perplexity(lm=books)", *(f"perplexity(lm=books)@{kind}" for kind in ("p", "r", "doc"))]


def test_a_percentile_is_no_number_before_it_is_found() -> None:
    cut = Cut(Words(), None, percentile=Percentile("p", 70.0))
    with pytest.raises(ConfigError) as caught:
        _ = cut.threshold
    assert_names(caught.value, "words@p70: ", "p70", "Fix: ", "give a number")
    result = Cut(Words(), 4.0, percentile=Percentile("p", 70.0))
    assert (result.threshold, result.name) == (4.0, "words@p70")
    assert parse_cleaner("words@5+density@p50").resolved_cutoffs == {}


def test_a_quota_needs_no_collection() -> None:
    (cut,) = parse_cleaner("perplexity@doc12.50").cuts
    assert (cut.quota, cut.threshold, cut.percentile, cut.name) == (True, 12.5, None, "perplexity(lm=books)@doc12.5")
    # A sweep's template has the sweep's name.
    assert replace(cut, cutoff=None).name == sweep_name(parse_sweep("perplexity"), Quota(1.0))
    # Another cutoff of the same cut is of its own kind.
    assert [cut.at(cutoff, "").name.partition("@")[2] for cutoff in (9.0, Percentile("p", 9.0), Quota(9.0))] == [
        "9",
        "p9",
        "doc9",
    ]
    high, low = parse_sweep("words"), parse_sweep("perplexity")
    assert [cut.at(cutoff, "").higher_is_stricter for cut in (high, low) for cutoff in (9.0, Quota(9.0))] == [
        True,
        False,
        False,
        False,
    ]
