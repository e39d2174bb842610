"""Names of cleaners: they parse to what they say, print back, and say what is wrong with them."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_names

from thresher.base.defaults import COLLECTION, REFERENCE
from thresher.base.errors import ConfigError
from thresher.base.number_text import number_text
from thresher.cleaners.cleaner import CUT_PARAMETERS, Cleaner, Cut, parse_cleaner, parse_scorer, parse_sweep
from thresher.cleaners.registry import scorers
from thresher.cleaners.relative_cutoffs import Cutoff, Percentile, Quota
from thresher.cleaners.scorer import (
    BLOCK,
    DECISION,
    KEEP_HIGH,
    Parameter,
    Scorer,
    TextMaker,
    check_range,
    value_text,
    with_values,
)


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
        ("words@p30", "words@p30"),
        ("words @ p30.0", "words@p30"),
        ("words@p.5+density@p99.90", "words@p0.5+density@p99.9"),
        ("perplexity(headings=keep)@r7e1", "perplexity(lm=books,headings=keep)@r70"),
        ("words@p1e-7", "words@p1e-07"),
        ("words @ doc50.0", "words@doc50"),
        ("words(headings=keep)@doc.5+density(floor=9)@doc1e2", "words(headings=keep)@doc0.5+density(floor=9)@doc100"),
        ("words( headings = score )@5", "words@5"),
        ("words(headings=keep)@5", "words(headings=keep)@5"),
        ("words( floor=7, headings = drop )@5", "words(headings=drop,floor=7)@5"),
        ("perplexity@8000", "perplexity(lm=books)@8000"),
        # The paper's cutoff.
        ("words@5+perplexity(headings=keep)", "words@5+perplexity(lm=books,headings=keep)@8000"),
        ("perplexity(lm=books)@8e3", "perplexity(lm=books)@8000"),
        ("words(floor=0)@5", "words@5"),
        ("words( floor = 050 )@5", "words(floor=50)@5"),
        ("perplexity(floor=50, headings=keep)@p70", "perplexity(lm=books,headings=keep,floor=50)@p70"),
        ("boilerpipe(floor=50)", "boilerpipe(rules=words,floor=50)"),
        ("perplexity(headings=keep, lm=books)@8000", "perplexity(lm=books,headings=keep)@8000"),
        ("density@14+words@5", "density@14+words@5"),
        (
            " words@5 + density(headings=keep) @ 10.25 + perplexity@1 ",
            "words@5+density(headings=keep)@10.25+perplexity(lm=books)@1",
        ),
        ("bte", "bte"),
        (" bte ( headings = keep ) ", "bte(headings=keep)"),
        ("boilerpipe", "boilerpipe(rules=words)"),
        ("boilerpipe(filter=none,rules=density)", "boilerpipe(rules=density)"),
        ("boilerpipe(filter=main)+words@5+bte", "boilerpipe(rules=words,filter=main)+words@5+bte"),
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
    assert (words.cutoff, words.headings, words.scorer.values) == (5.0, "keep", {})
    assert (perplexity.cutoff, perplexity.headings) == (8000.5, "score")
    assert perplexity.scorer.values == {"lm": "books", "context": 0.0, "prior": 0, "sentences": "block"}
    # Headings are an affair of the cut: scores are stored under a name without them.
    assert [scorer.canonical_name for scorer in cleaner.scorers] == ["words", "perplexity(lm=books)"]
    assert parse_cleaner("none") == Cleaner()
    assert Cleaner().scorers == ()


def values(parameter: Parameter) -> st.SearchStrategy[str]:
    """Every spelling of every value."""
    if parameter.choices:
        return st.sampled_from(parameter.choices).map(str)
    if parameter.type is bool:
        return st.sampled_from(["true", "false"])
    if parameter.type is str:
        return st.sampled_from([str(parameter.default), "my-models_1.2"])
    if parameter.type is int:
        low, high = parameter.low, parameter.high
        return st.integers(None if low is None else math.ceil(low), None if high is None else math.floor(high)).map(str)
    assert parameter.type is float, "extend this by the values of such parameters"
    floats = st.floats(parameter.low, parameter.high, allow_nan=False, allow_infinity=False)
    return floats.map(lambda value: repr(value).replace("e+", "e"))


@st.composite
def names(draw: st.DrawFn) -> tuple[str, list[tuple[str, Cutoff, bool, int]]]:
    """A name in any spelling that the declarations allow, and what it means."""
    parts, meanings = [], []
    # What makes another text, or scores whole pages, has a place of its own: see the tests of each.
    plain = [kind for kind in scorers().values() if not (issubclass(kind, TextMaker) or kind.page_level)]
    for kind in draw(st.lists(st.sampled_from(plain), min_size=1, max_size=3)):
        chosen = {}
        for parameter in (*kind.parameters, *CUT_PARAMETERS):
            if draw(st.booleans()):
                chosen[parameter.name] = draw(values(parameter))
        space = draw(st.sampled_from(["", " ", "  "]))
        inside = f",{space}".join(f"{key}{space}={value}" for key, value in draw(st.permutations(list(chosen.items()))))
        # A parameter may change the range of cutoffs, as of=share of `repeated` does.
        ranged = kind.variant_for(inside, "")
        floats = st.floats(ranged.low, ranged.high, allow_nan=False, allow_infinity=False)
        cutoff = DECISION if kind.decides else draw(floats | st.sampled_from(ranged.grid or (1,)))
        at = "" if kind.decides else f"@{space}{repr(cutoff).replace('e+', 'e')}"
        if not kind.decides and draw(st.booleans()):
            letters = (COLLECTION, REFERENCE) if kind.name == "perplexity" else (COLLECTION,)
            inner = st.floats(0, 100, exclude_min=True, exclude_max=True)
            cutoff = Percentile(draw(st.sampled_from(letters)), draw(inner))
            if draw(st.booleans()):
                cutoff = Quota(draw(inner | st.just(100.0)))
            at = f"@{space}{cutoff.kind}{cutoff.value!r}"
        brackets = f"({inside})" if inside or draw(st.booleans()) else ""
        parts.append(f"{space}{kind.name}{space}{brackets}{at}")
        meaning = cutoff if isinstance(cutoff, Percentile | Quota) else float(cutoff)
        meanings.append((kind.name, meaning, chosen.get("headings", kind.headings), int(chosen.get("floor", 0))))
    return "+".join(parts), meanings


def place(cut: Cut) -> Cutoff | None:
    """The cutoff as the name has it: a number, a percentile or a quota, never two of them."""
    assert cut.cutoff is None or cut.percentile is None
    if cut.quota:
        assert cut.cutoff is not None
        return Quota(cut.cutoff)
    return cut.percentile or cut.cutoff


@given(names())
def test_names_of_all_scorers_come_back(drawn):
    text, meanings = drawn
    cleaner = parse_cleaner(text)
    assert [(cut.scorer.name, place(cut), cut.headings, cut.floor) for cut in cleaner.cuts] == meanings
    again = parse_cleaner(cleaner.name)
    assert again.name == cleaner.name
    assert [(cut.scorer.name, place(cut), cut.headings, cut.floor) for cut in again.cuts] == meanings
    assert [cut.scorer.values for cut in again.cuts] == [cut.scorer.values for cut in cleaner.cuts]
    assert not set(cleaner.name) & set(" \t\n/")
    for cut in cleaner.cuts:
        if cut.scorer.decides:
            alone = parse_scorer(cut.name)
            assert alone == replace(cut, scorer=alone.scorer)
            continue
        template = parse_scorer(cut.name.split("@")[0])
        assert parse_sweep(cut.name.split("@")[0]).name == template.name
        assert (template.cutoff, template.name) == (None, cut.name.split("@")[0])
        assert template.at(place(cut), "x") == replace(cut, scorer=template.scorer)
        assert template.at(place(cut), "x").name == cut.name


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_cutoffs_are_value_text_whole(value):
    assert float(number_text(value)) == value
    assert set(number_text(value)) <= set("0123456789.-e")
    assert (("." in number_text(value)) or "e-" in number_text(value)) == (value != int(value))


@pytest.mark.parametrize(
    ("value", "text"),
    [(5, "5"), (5.0, "5"), (-0.0, "0"), (0.1, "0.1"), (1e-7, "1e-07"), (1e16, "1" + "0" * 16), (-2.5, "-2.5")],
)
def test_cutoffs_as_they_are_value_text(value, text):
    assert number_text(value) == text


KNOWN = ", ".join(sorted(scorers()))
# Parts of facts: what is wrong with a name, and its fix.
CUTOFF = ("not a number", "Fix: ", "words@p70 for a percentile", "words@doc50 for a quota")
PERCENTILE = ("Fix: ", "above 0 and below 100")
QUOTA = ("Fix: ", "above 0 and up to 100", "each page's words")
SHAPE = ("does not parse", "Fix: ", "like perplexity(lm=books)@8000")
DECIDES = ("decides by itself", "no cutoff", "Fix: ")


def out_of_range(name: str, value: str, low: str) -> tuple[str, ...]:
    """The facts of a value below the lowest, `low`."""
    return (name, f"out of range: {value}.", "Fix: ", f"at least {low}.")


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("", ("name ''", *SHAPE)),
        ("words@", ("name 'words@'", *SHAPE)),
        (
            "none|dcp@0.15",
            ("name 'none|dcp@0.15'", "does not parse", "Fix: ", "cleaner alone", "weighs or prunes", "`thresher run`"),
        ),
        ("words@5@6", ("name 'words@5@6'", *SHAPE)),
        ("words(@5", ("name 'words(@5'", *SHAPE)),
        ("words@5 6", ("name 'words@5 6'", *SHAPE)),
        ("words@5+", ("name 'words@5+'", *SHAPE)),
        ("+words@5", ("name '+words@5'", *SHAPE)),
        ("words(a(b))@5", ("name 'words(a(b))@5'", *SHAPE)),
        ("(5)@words", ("name '(5)@words'", *SHAPE)),
        ("word@5", ("unknown scorer 'word'", "Fix: ", "write words", KNOWN)),
        ("Words@5", ("unknown scorer 'Words'", "Fix: ", "write words", KNOWN)),
        ("words@5+none", ("unknown scorer 'none'", f"Fix: use one of {KNOWN}.")),
        ("none@5", ("unknown scorer 'none'", f"Fix: use one of {KNOWN}.")),
        ("words", ("cleaner 'words'", "no cutoff", "Fix: ", "such as words@11")),
        (
            "words@5+ density(headings=keep)",
            ("cleaner 'density(headings=keep)'", "no cutoff", "Fix: ", "such as density(headings=keep)@11"),
        ),
        ("density", ("cleaner 'density'", "no cutoff", "Fix: ", "such as density@11")),
        ("words@many", ("cutoff 'many'", *CUTOFF)),
        ("words@1,5", ("cutoff '1,5'", *CUTOFF)),
        ("words@p", ("cutoff 'p'", *CUTOFF)),
        ("words@P70", ("cutoff 'P70'", *CUTOFF)),
        ("words@p7 0", ("name 'words@p7 0'", *SHAPE)),
        ("words@doc", ("cutoff 'doc'", *CUTOFF)),
        ("words@docx", ("cutoff 'docx'", *CUTOFF)),
        ("words@doc50%", ("cutoff 'doc50%'", *CUTOFF)),
        ("words@doc-5", ("cutoff 'doc-5'", *CUTOFF)),
        ("words@doc0", ("quota of 'words'", "out of range: 0.", *QUOTA)),
        ("perplexity@doc101", ("quota of 'perplexity'", "out of range: 101.", *QUOTA)),
        ("words@doc1e999", ("quota of 'words'", "out of range: inf.", *QUOTA)),
        ("bte@doc50", ("'bte'", *DECIDES, "write bte.")),
        ("words@p70%", ("cutoff 'p70%'", *CUTOFF)),
        ("words@p0", ("percentile of 'words'", "out of range: 0.", *PERCENTILE)),
        ("words@p100", ("percentile of 'words'", "out of range: 100.", *PERCENTILE)),
        ("words@p1e999", ("percentile of 'words'", "out of range: inf.", *PERCENTILE)),
        ("words@p-5", ("cutoff 'p-5'", *CUTOFF)),
        ("perplexity@r0.0", ("percentile of 'perplexity'", "out of range: 0.", *PERCENTILE)),
        (
            "words@r70",
            ("scorer 'words'", "no reference text", "r70 means nothing", "Fix: ", "write p70", "of the collection"),
        ),
        ("bte@p70", ("'bte'", *DECIDES, "write bte.")),
        ("words@-1", out_of_range("cutoff of 'words'", "-1", "0")),
        ("density@-0.01", out_of_range("cutoff of 'density'", "-0.01", "0")),
        ("perplexity@0.5", out_of_range("cutoff of 'perplexity'", "0.5", "1")),
        ("words@nan", out_of_range("cutoff of 'words'", "nan", "0")),
        ("words@inf", out_of_range("cutoff of 'words'", "inf", "0")),
        ("words@-inf", out_of_range("cutoff of 'words'", "-inf", "0")),
        ("words@1e999", out_of_range("cutoff of 'words'", "inf", "0")),
        ("words(lm=books)@5", ("'words' has no parameter 'lm'", "Fix: ", "headings, floor.")),
        ("words(keep)@5", ("'words' has no parameter 'keep'", "Fix: ", "headings, floor.")),
        ("words(headings)@5", ("parameter 'headings' of 'words'", "no value", "Fix: ", "write headings=score")),
        (
            "perplexity(x=1)@5",
            ("'perplexity' has no parameter 'x'", "Fix: ", "lm, context, prior, sentences, headings, floor."),
        ),
        ("words(floor=-1)@5", out_of_range("'floor'", "-1", "0")),
        ("words(floor=2.5)@5", ("value '2.5' of 'floor'", "not a whole number", "Fix: ", "such as 0")),
        ("words(headings=no)@5", ("'headings' cannot be 'no'", "Fix: ", "score, headline, keep, drop.")),
        ("bte@3", ("'bte'", *DECIDES, "write bte.")),
        (
            "boilerpipe(headings=keep,filter=main)@0.5",
            ("'boilerpipe'", *DECIDES, "write boilerpipe(rules=words,filter=main,headings=keep)."),
        ),
        ("bte@many", ("'bte'", *DECIDES, "write bte.")),
        (
            "boilerpipe(rules=cleanEval)",
            ("'rules' cannot be 'cleanEval'", "Fix: ", "words, density, cleaneval."),
        ),
        ("words(headings=keep,headings=keep)@5", ("parameter 'headings'", "twice", "Fix: ", "once")),
    ],
)
def test_names_that_do_not_parse(text, facts):
    with pytest.raises(ConfigError) as named:
        parse_cleaner(text)
    where = f"{text}: " if text else ""
    assert str(named.value).startswith(where)
    assert_names(named.value, where, *facts)
    with pytest.raises(ConfigError) as in_a_file:
        parse_cleaner(text, "file.toml:3")
    assert str(in_a_file.value) == f"file.toml:3: {str(named.value).removeprefix(where)}"


def test_the_scorer_of_a_sweep():
    cut = parse_scorer("perplexity(headings=keep)")
    assert (cut.name, cut.cutoff, cut.headings) == ("perplexity(lm=books,headings=keep)", None, "keep")
    assert cut.at(8000, "x").name == "perplexity(lm=books,headings=keep)@8000"
    for text, facts in (
        ("words@5", ("scorer 'words@5'", "has a cutoff", "Fix: ", "write words;", "under `cutoffs`")),
        ("words@p30", ("scorer 'words@p30'", "has a cutoff", "Fix: ", "write words;", "under `cutoffs`")),
        ("none", ("unknown scorer 'none'", f"Fix: use one of {KNOWN}.")),
        ("words+density", ("name 'words+density'", *SHAPE)),
    ):
        with pytest.raises(ConfigError) as caught:
            parse_scorer(text)
        assert_names(caught.value, f"{text}: ", *facts)
    with pytest.raises(ConfigError) as caught:
        cut.at(0, "sweep 2")
    assert_names(caught.value, "sweep 2: ", "'perplexity'", "0", "Fix: ", "1")


def test_no_sweep_runs_over_decisions():
    cut = parse_scorer("boilerpipe(filter=main, headings=keep)")
    assert (cut.name, cut.cutoff) == ("boilerpipe(rules=words,filter=main,headings=keep)", DECISION)
    for function in (parse_sweep, parse_cleaner):
        with pytest.raises(ConfigError) as caught:
            function("bte@1")
        assert_names(caught.value, "bte@1: ", "'bte'", "Fix: ", "write bte")
    with pytest.raises(ConfigError) as caught:
        parse_sweep("bte", "file.toml:7")
    assert_names(caught.value, "file.toml:7: ", "'bte'", "Fix: ", "it under [cleaners]")


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
        assert_names(caught.value, "here: ", "'x'", f"{value:g}", "Fix: ", fix)


def test_values_of_other_types():
    whole = Parameter("n", int, 3, "a number", low=1, high=9)
    assert whole.parse("4", "here") == 4
    share = Parameter("q", float, 0.5, "a share", low=0, high=1)
    assert share.parse("1e-1", "here") == 0.1
    listed = Parameter("n", int, 3, "a number", choices=(3, 6))
    assert listed.parse("6", "here") == 6
    switch = Parameter("s", bool, False, "a switch")
    assert (switch.parse("true", "here"), switch.parse("false", "here")) == (True, False)
    spelled = [parameter.spelling for parameter in (whole, share, listed, switch, Parameter("t", str, "", "a text"))]
    assert spelled == ["from 1 to 9", "from 0 to 1", "3 or 6", "true or false", "any text"]
    for parameter, text, facts in (
        (whole, "x", ("value 'x' of 'n'", "not a whole number", "Fix: ", "such as 3")),
        (whole, "1.5", ("value '1.5' of 'n'", "not a whole number", "Fix: ", "such as 3")),
        (whole, "10", ("'n'", "out of range: 10.", "Fix: ", "at least 1 and at most 9")),
        (share, "nan", ("'q'", "out of range: nan.", "Fix: ", "at least 0 and at most 1")),
        (listed, "4", ("'n' cannot be '4'", "Fix: ", "3, 6.")),
        (switch, "1", ("'s' cannot be '1'", "Fix: ", "true, false.")),
        (switch, "True", ("'s' cannot be 'True'", "Fix: ", "true, false.")),
        (whole, "9" * 400, (f"value '{'9' * 400}' of 'n'", "not a whole number", "Fix: ", "such as 3")),
    ):
        with pytest.raises(ConfigError) as caught:
            parameter.parse(text, "here")
        assert_names(caught.value, "here: ", *facts)


def test_printing():
    assert with_values("x", {}) == "x"
    assert with_values("x", {"a": 1, "b": "c", "d": 0.5}) == "x(a=1,b=c,d=0.5)"
    assert with_values("x", {"a": True, "b": False, "c": 1e20, "d": 1e-7, "e": 2.0, "f": -0.0}) == (
        "x(a=true,b=false,c=1e20,d=1e-07,e=2.0,f=0.0)"
    )
    assert Cut(parse_scorer("words").scorer, None).name == "words"


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**12), 10**12) | st.booleans())
def test_values_come_back(value):
    parameter = Parameter("x", type(value), value, "a value")
    assert parameter.parse(value_text(value), "here") == value
    assert "+" not in value_text(value)


class Several(Scorer):
    """A scorer with parameters of all kinds."""

    name = "several"
    segment = BLOCK
    keep = KEEP_HIGH
    unit = "nothing"
    source = "This test"
    parameters = (
        Parameter("always", int, 1, "a number in every name"),
        Parameter("share", float, 0.5, "a share", terse=True),
        Parameter("switch", bool, False, "a switch", terse=True),
    )

    def score(self, segments):
        raise AssertionError("a name needs no scores")


def test_terse_parameters_are_named_where_they_differ():
    assert Several().canonical_name == "several(always=1)"
    assert Several(share=0.5, switch=False).canonical_name == "several(always=1)"
    assert Several(share=0.25, switch=True).canonical_name == "several(always=1,share=0.25,switch=true)"
    assert Cut(Several(switch=True), 2, headings="keep").name == "several(always=1,switch=true,headings=keep)@2"
    assert Cut(Several(), 2, floor=9).name == "several(always=1,floor=9)@2"
