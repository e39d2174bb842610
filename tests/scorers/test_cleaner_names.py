"""Names of cleaners: they parse to what they say, print back, and say what is wrong with them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import ConfigError
from thresher.scorers.base import Parameter, check_range, with_values
from thresher.scorers.cleaners import CUT_PARAMETERS, Cleaner, Cut, number, parse_cleaner, parse_scorer
from thresher.scorers.registry import scorers


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("none", "none"),
        (" none ", "none"),
        ("words@11", "words@11"),
        ("words@11.0", "words@11"),
        ("words @ 1.1e1", "words@11"),
        ("words()@0", "words@0"),
        ("words@-0", "words@0"),
        ("words@0.5", "words@0.5"),
        ("words( headings = score )@5", "words@5"),
        ("words(headings=keep)@5", "words(headings=keep)@5"),
        ("perplexity@8000", "perplexity(lm=books)@8000"),
        ("perplexity(lm=books)@8e3", "perplexity(lm=books)@8000"),
        ("perplexity(headings=keep, lm=books)@8000", "perplexity(lm=books,headings=keep)@8000"),
        ("density@14+words@5", "density@14+words@5"),
        (
            " words@5 + density(headings=keep) @ 10.25 + perplexity@1 ",
            "words@5+density(headings=keep)@10.25+perplexity(lm=books)@1",
        ),
    ],
)
def test_one_canonical_form(text, name):
    cleaner = parse_cleaner(text)
    assert cleaner.name == name
    assert parse_cleaner(name).name == name


def test_what_a_name_means():
    cleaner = parse_cleaner("words(headings=keep)@5+perplexity@8000.5")
    words, perplexity = cleaner.cuts
    assert [type(scorer) for scorer in cleaner.scorers] == [scorers()["words"], scorers()["perplexity"]]
    assert (words.cutoff, words.keep_headings, words.scorer.values) == (5.0, True, {})
    assert (perplexity.cutoff, perplexity.keep_headings, perplexity.scorer.values) == (8000.5, False, {"lm": "books"})
    # Headings are an affair of the cut: scores are stored under a name without them.
    assert [scorer.canonical_name for scorer in cleaner.scorers] == ["words", "perplexity(lm=books)"]
    assert parse_cleaner("none") == Cleaner()
    assert Cleaner().scorers == ()


@st.composite
def names(draw: st.DrawFn) -> tuple[str, list[tuple[str, float, bool]]]:
    """A name in any spelling that the declarations allow, and what it means."""
    parts, meanings = [], []
    for kind in draw(st.lists(st.sampled_from(list(scorers().values())), min_size=1, max_size=3)):
        chosen = {}
        for parameter in (*kind.parameters, *CUT_PARAMETERS):
            if draw(st.booleans()):
                assert parameter.choices, "extend this test by the values of such parameters"
                chosen[parameter.name] = draw(st.sampled_from(parameter.choices))
        space = draw(st.sampled_from(["", " ", "  "]))
        inside = f",{space}".join(f"{key}{space}={value}" for key, value in draw(st.permutations(list(chosen.items()))))
        cutoff = draw(
            st.floats(kind.low, kind.high, allow_nan=False, allow_infinity=False) | st.sampled_from(kind.grid or (1,))
        )
        brackets = f"({inside})" if inside or draw(st.booleans()) else ""
        parts.append(f"{space}{kind.name}{space}{brackets}@{space}{repr(cutoff).replace('e+', 'e')}")
        meanings.append((kind.name, float(cutoff), chosen.get("headings") == "keep"))
    return "+".join(parts), meanings


@given(names())
def test_names_of_all_scorers_come_back(drawn):
    text, meanings = drawn
    cleaner = parse_cleaner(text)
    assert [(cut.scorer.name, cut.cutoff, cut.keep_headings) for cut in cleaner.cuts] == meanings
    again = parse_cleaner(cleaner.name)
    assert again.name == cleaner.name
    assert [(cut.scorer.name, cut.cutoff, cut.keep_headings) for cut in again.cuts] == meanings
    assert [cut.scorer.values for cut in again.cuts] == [cut.scorer.values for cut in cleaner.cuts]
    assert not set(cleaner.name) & set(" \t\n/")
    for cut in cleaner.cuts:
        template = parse_scorer(cut.name.split("@")[0])
        assert (template.cutoff, template.name) == (None, cut.name.split("@")[0])
        assert template.at(cut.cutoff, "x").name == cut.name


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_cutoffs_are_printed_whole(value):
    assert float(number(value)) == value
    assert set(number(value)) <= set("0123456789.-e")
    assert (("." in number(value)) or "e-" in number(value)) == (value != int(value))


@pytest.mark.parametrize(
    ("value", "text"),
    [(5, "5"), (5.0, "5"), (-0.0, "0"), (0.1, "0.1"), (1e-7, "1e-07"), (1e16, "1" + "0" * 16), (-2.5, "-2.5")],
)
def test_cutoffs_as_they_are_printed(value, text):
    assert number(value) == text


KNOWN = ", ".join(sorted(scorers()))
PATTERN = "Fix: write it like perplexity(lm=books)@8000."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the name '' does not parse. " + PATTERN),
        ("words@", "words@: the name 'words@' does not parse. " + PATTERN),
        ("words@5@6", "words@5@6: the name 'words@5@6' does not parse. " + PATTERN),
        ("words(@5", "words(@5: the name 'words(@5' does not parse. " + PATTERN),
        ("words@5 6", "words@5 6: the name 'words@5 6' does not parse. " + PATTERN),
        ("words@5+", "words@5+: the name 'words@5+' does not parse. " + PATTERN),
        ("+words@5", "+words@5: the name '+words@5' does not parse. " + PATTERN),
        ("words(a(b))@5", "words(a(b))@5: the name 'words(a(b))@5' does not parse. " + PATTERN),
        ("5@words", "5@words: the name '5@words' does not parse. " + PATTERN),
        ("word@5", f"word@5: unknown scorer 'word'. Fix: use one of {KNOWN}."),
        ("Words@5", f"Words@5: unknown scorer 'Words'. Fix: use one of {KNOWN}."),
        ("words@5+none", f"words@5+none: unknown scorer 'none'. Fix: use one of {KNOWN}."),
        ("none@5", f"none@5: unknown scorer 'none'. Fix: use one of {KNOWN}."),
        ("words", "words: the cleaner 'words' has no cutoff. Fix: write one, such as words@51."),
        (
            "words@5+ perplexity(headings=keep)",
            "words@5+ perplexity(headings=keep): the cleaner 'perplexity(headings=keep)' has no cutoff. "
            "Fix: write one, such as perplexity(lm=books,headings=keep)@8000.",
        ),
        ("density", "density: the cleaner 'density' has no cutoff. Fix: write one, such as density@11."),
        ("words@many", "words@many: the cutoff 'many' is no number. Fix: write it like words@10."),
        ("words@1,5", "words@1,5: the cutoff '1,5' is no number. Fix: write it like words@10."),
        ("words@-1", "words@-1: the cutoff of 'words' is out of range: -1. Fix: choose a value of at least 0."),
        (
            "density@-0.01",
            "density@-0.01: the cutoff of 'density' is out of range: -0.01. Fix: choose a value of at least 0.",
        ),
        (
            "perplexity@0.5",
            "perplexity@0.5: the cutoff of 'perplexity' is out of range: 0.5. Fix: choose a value of at least 1.",
        ),
        ("words@nan", "words@nan: the cutoff of 'words' is out of range: nan. Fix: choose a value of at least 0."),
        ("words@inf", "words@inf: the cutoff of 'words' is out of range: inf. Fix: choose a value of at least 0."),
        ("words@-inf", "words@-inf: the cutoff of 'words' is out of range: -inf. Fix: choose a value of at least 0."),
        ("words@1e999", "words@1e999: the cutoff of 'words' is out of range: inf. Fix: choose a value of at least 0."),
        ("words(lm=books)@5", "words(lm=books)@5: 'words' has no parameter 'lm'. Fix: use one of headings."),
        ("words(keep)@5", "words(keep)@5: 'words' has no parameter 'keep'. Fix: use one of headings."),
        (
            "words(headings)@5",
            "words(headings)@5: the parameter 'headings' of 'words' has no value. Fix: write headings=score.",
        ),
        ("perplexity(x=1)@5", "perplexity(x=1)@5: 'perplexity' has no parameter 'x'. Fix: use one of lm, headings."),
        ("words(headings=drop)@5", "words(headings=drop)@5: 'headings' cannot be 'drop'. Fix: use one of score, keep."),
        ("perplexity(lm=)@5", "perplexity(lm=)@5: 'lm' cannot be ''. Fix: use one of books."),
        (
            "words(headings=keep,headings=keep)@5",
            "words(headings=keep,headings=keep)@5: the parameter 'headings' is given twice. Fix: give it once.",
        ),
    ],
)
def test_names_that_do_not_parse(text, message):
    with pytest.raises(ConfigError) as caught:
        parse_cleaner(text)
    assert str(caught.value) == message
    with pytest.raises(ConfigError) as caught:
        parse_cleaner(text, "file.toml:3")
    assert str(caught.value) == f"file.toml:3: {message.removeprefix(f'{text}: ')}"


def test_the_scorer_of_a_sweep():
    cut = parse_scorer("perplexity(headings=keep)")
    assert (cut.name, cut.cutoff, cut.keep_headings) == ("perplexity(lm=books,headings=keep)", None, True)
    assert cut.at(8000, "x").name == "perplexity(lm=books,headings=keep)@8000"
    for text, message in (
        ("words@5", "words@5: the scorer 'words@5' of a sweep has a cutoff. Fix: list the cutoffs under `cutoffs`."),
        ("none", f"none: unknown scorer 'none'. Fix: use one of {KNOWN}."),
        ("words+density", "words+density: the name 'words+density' does not parse. " + PATTERN),
    ):
        with pytest.raises(ConfigError) as caught:
            parse_scorer(text)
        assert str(caught.value) == message
    with pytest.raises(ConfigError) as caught:
        cut.at(0, "sweep 2")
    assert (
        str(caught.value)
        == "sweep 2: the cutoff of 'perplexity' is out of range: 0. Fix: choose a value of at least 1."
    )


@given(
    st.text(max_size=20)
    | st.lists(st.sampled_from(["words", "none", "(", ")", "@", "+", "5", "=", ",", "lm", " ", "headings"])).map(
        "".join
    )
)
def test_any_text_parses_or_is_a_config_error(text):
    try:
        cleaner = parse_cleaner(text)
    except ConfigError:
        return
    assert parse_cleaner(cleaner.name).name == cleaner.name


def test_ranges():
    assert check_range(5, 0, 10, "'x'", "here") == 5
    for low, high, value, fix in (
        (0, 10, 11, "at least 0 and at most 10"),
        (None, 10, 11, "at most 10"),
        (None, None, math.nan, "any finite size"),
        (0.5, None, math.inf, "at least 0.5"),
    ):
        with pytest.raises(ConfigError) as caught:
            check_range(value, low, high, "'x'", "here")
        assert str(caught.value) == f"here: 'x' is out of range: {value:g}. Fix: choose a value of {fix}."


def test_values_of_other_types():
    whole = Parameter("n", int, 3, "a number", low=1, high=9)
    assert whole.parse("4", "here") == 4
    share = Parameter("q", float, 0.5, "a share", low=0, high=1)
    assert share.parse("1e-1", "here") == 0.1
    listed = Parameter("n", int, 3, "a number", choices=(3, 6))
    assert listed.parse("6", "here") == 6
    for parameter, text, message in (
        (whole, "x", "here: the value 'x' of 'n' is no int. Fix: give one such as 3."),
        (whole, "1.5", "here: the value '1.5' of 'n' is no int. Fix: give one such as 3."),
        (whole, "10", "here: 'n' is out of range: 10. Fix: choose a value of at least 1 and at most 9."),
        (share, "nan", "here: 'q' is out of range: nan. Fix: choose a value of at least 0 and at most 1."),
        (listed, "4", "here: 'n' cannot be '4'. Fix: use one of 3, 6."),
    ):
        with pytest.raises(ConfigError) as caught:
            parameter.parse(text, "here")
        assert str(caught.value) == message


def test_printing():
    assert with_values("x", {}) == "x"
    assert with_values("x", {"a": 1, "b": "c", "d": 0.5}) == "x(a=1,b=c,d=0.5)"
    assert Cut(parse_scorer("words").scorer, None).name == "words"
