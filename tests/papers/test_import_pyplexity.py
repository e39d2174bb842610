"""PyPlexity's `.st` models: Perl writes them, and what is imported gives PyPlexity's perplexities.

The formulas are computed here as PyPlexity 0.2.12 does, in dictionaries, on the tokens that it would have.
"""

import math
import shutil
import subprocess
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from messages import assert_names
from small_models import perplexity_of
from token_oracles import pyplexity

from import_pyplexity import import_pyplexity
from thresher.base.errors import InputError
from thresher.cleaners.words.models import load_model
from thresher.pages import read_text_page

# Lines `table <tab> key <tab> value` become the hashes of an array; `plain` leaves keys as bytes.
WRITE = r"""
use Storable qw(store nstore);
my ($path, $how) = @ARGV;
binmode STDIN, ":utf8" unless $how eq "plain";
my @tables;
while (<STDIN>) {
    chomp;
    my ($table, $key, $value) = split /\t/;
    $tables[$table]{$key} = $how eq "text" ? $value : $value + 0;
}
$how eq "network" ? nstore(\@tables, $path) : store(\@tables, $path);
"""
Table = dict[str, float]


@pytest.fixture(scope="module")
def perl():
    if shutil.which("perl") is None or subprocess.run(["perl", "-MStorable", "-e", "1"], check=False).returncode:
        pytest.skip("no Perl with Storable, which writes the models")
    pytest.importorskip("storable", reason="the package storable is not installed")


def write(path: Path, tables: list[Table], how: str = "numbers") -> Path:
    lines = "".join(
        f"{number}\t{key}\t{value!r}\n" for number, table in enumerate(tables) for key, value in table.items()
    )
    subprocess.run(["perl", "-e", WRITE, str(path), how], input=lines.encode(), check=True)
    return path


def tables_of(sentences: list[list[str]], longest: int) -> list[Table]:
    """Probabilities by maximum likelihood, # before each sentence, the longest n-grams first."""
    counts = [
        Counter(
            " ".join(["#", *sentence][start : start + n])
            for sentence in sentences
            for start in range(len(sentence) + 2 - n)
        )
        for n in range(1, longest + 1)
    ]
    total = sum(counts[0].values())
    tables = [{word: count / total for word, count in counts[0].items()}]
    for shorter, longer in pairwise(counts):
        tables.append({key: count / shorter[key.rpartition(" ")[0]] for key, count in longer.items()})
    return tables[::-1]


def bigram_perplexity(tables: list[Table], tokens: list[str]) -> float:
    bigrams, unigrams = tables
    bits = 0.0
    if not tokens:
        return math.inf
    for first, second in zip(["#", *tokens[:-1]], tokens, strict=True):
        bits += math.log2(bigrams.get(f"{first} {second}", 0) * 0.8 + unigrams.get(first, 0) * 0.2 + 1 / 1000000)
    return 2 ** (-bits / len(tokens))


def trigram_perplexity(tables: list[Table], tokens: list[str]) -> float:
    trigrams, bigrams, unigrams = tables
    bits = 0.0
    # The three lists are of different lengths, and begin where they do, in PyPlexity too.
    for first, second, third in zip(["#", *tokens[:-2]], tokens[:-1], tokens, strict=False):
        bits += math.log2(
            trigrams.get(f"{first} {second} {third}", 0) * 0.6
            + bigrams.get(f"{first} {second}", 0) * 0.3
            + unigrams.get(first, 0) * 0.1
            + 1 / 1000000
        )
    return 2 ** (-bits / len(tokens)) if tokens else math.inf


FORMULAS = {2: bigram_perplexity, 3: trigram_perplexity}
TRAINING = (
    "The cat sat on the mat. The cat, the dog and the cow had had enough (of that that is). Is it 1984? It is 007!\n"
    'He said: "no, no, no". A # is a sign, and # comes first. # the # the.\n'
    "Yes. Yes. The the the end."
)
TESTS = (
    "The cat sat on the mat. The dog had had enough. # the cat # # no, no, no had had had that that that.\n"
    "Unknown words: zyx zyx 1984 007. Yes\nThe\n!\n—\nthe the the the the"
)


@pytest.mark.parametrize("how", ["numbers", "text", "network", "plain"])
@pytest.mark.parametrize("longest", [2, 3])
def test_perplexities_are_pyplexitys(perl, tmp_path, longest, how):
    tables = tables_of(list(map(pyplexity, read_text_page(TRAINING).sentences)), longest)
    if how == "plain":
        # Without its flag the package reads 007 as a number.
        tables = [{key: p for key, p in table.items() if "007" not in key} for table in tables]
    import_pyplexity(write(tmp_path / "model.st", tables, how), tmp_path / "out")
    model = load_model(str(tmp_path / "out"))
    segments = read_text_page(TESTS + "\n" + TRAINING)
    expected = [FORMULAS[longest](tables, pyplexity(sentence)) for sentence in segments.sentences]
    result = model.perplexities(segments.plain, segments.sentence_ends)
    np.testing.assert_allclose(result, expected, rtol=5e-6)
    assert np.isinf(result).sum() == 1
    assert (result == 1).any() == (longest == 3)


def test_what_the_cards_say(perl, tmp_path):
    tables = tables_of([["a", "b", "b"], ["b"]], 3)
    bigrams = import_pyplexity(write(tmp_path / "two.st", tables[1:]), tmp_path / "two")
    assert (bigrams.name, bigrams.corpus, bigrams.order, bigrams.tokeniser) == (
        "two",
        "unknown: imported from two.st",
        2,
        "pyplexity",
    )
    assert bigrams.formula == "0.8 * P(w | previous) + 0.2 * P(previous) + 1e-6 (PyPlexity's bigram model, exactly)"
    trigrams = import_pyplexity(write(tmp_path / "three.st", tables), tmp_path / "three", name="mine")
    assert (trigrams.name, trigrams.order, trigrams.tokeniser) == ("mine", 2, "pyplexity-trigrams")
    formula = "0.6 * P(w | previous w) + 0.3 * P(w | previous) + 0.1 * P(previous) + 1e-6"
    assert_names(trigrams.formula, formula, "last token", "PyPlexity 0.2.12")


def test_keys_that_no_text_matches_are_counted(perl, tmp_path):
    """Perl stores é as one byte of Latin-1, which is not what PyPlexity looks for; others are no pairs at all."""
    pairs = {"# a": 0.5, "a é": 0.5, "a": 0.1, "a b c": 0.1, "a  b": 0.1, "a \x01": 0.1, "<s> a": 0.1, "a 中": 0.25}
    card = import_pyplexity(write(tmp_path / "m.st", [pairs, {"#": 0.5, "a": 0.5, "é": 0.1}]), tmp_path / "out")
    assert_names(card.corpus, "unknown", "m.st", "7 entries")
    lines = (tmp_path / "out" / "model.arpa").read_text().splitlines()
    assert sorted(lines[lines.index("\\2-grams:") + 1 : -2]) == [
        f"{math.log10(0.8 * 0.5 + 0.2 * 0.5 + 1e-6):.7f}\t# a",
        f"{math.log10(0.8 * 0.5 + 0.2 * 0.5 + 1e-6):.7f}\t<s> a",
        f"{math.log10(0.8 * 0.25 + 0.2 * 0.5 + 1e-6):.7f}\ta 中",
    ]
    assert card.ngrams == (6, 3)


def test_pairs_that_only_a_triple_has(perl, tmp_path):
    tables = [
        {"a b b": 0.5, "# c c": 0.25, "a b c": 1.0},
        {"# a": 0.5, "a a": 0.5},
        {"#": 0.5, "a": 0.25, "b": 0.25},
    ]
    card = import_pyplexity(write(tmp_path / "m.st", tables), tmp_path / "out")
    # `a b` and `# c`, `# a`, `a a`, and the two after # after `<s>` as well; `a b c` is never looked up.
    assert card.ngrams == (7, 6)
    model = load_model(str(tmp_path / "out"))
    for sentence in ("a b x", "c x", "c c", "a b c", "a a a", "b b", "x"):
        assert perplexity_of(model, sentence) == pytest.approx(trigram_perplexity(tables, sentence.split()), rel=5e-6)


def test_a_pair_that_is_certain(perl, tmp_path):
    """0.8 + 0.2 + 1e-6 is more than 1, which no ARPA file may say."""
    import_pyplexity(write(tmp_path / "m.st", [{"# a": 1.0}, {"#": 1.0}]), tmp_path / "out")
    assert perplexity_of(load_model(str(tmp_path / "out")), "a") == 1


@pytest.mark.parametrize("value", [2.0, -0.5, math.nan, math.inf])
def test_no_probability(perl, tmp_path, value):
    source = write(tmp_path / "m.st", [{"# a": value}, {"#": 0.5}], "text")
    with pytest.raises(InputError) as caught:
        import_pyplexity(source, tmp_path / "out")
    assert str(caught.value).startswith(f"{source}: ")
    assert_names(caught.value, " is not a probability", "Fix: ", "PyPlexity")
    assert not (tmp_path / "out").exists()


def test_storable_that_is_no_model(perl, tmp_path):
    for tables in ([{"a": 0.5}], [{"a": 0.5}] * 4):
        source = write(tmp_path / "m.st", tables)
        with pytest.raises(InputError) as caught:
            import_pyplexity(source, tmp_path / "out")
        assert_names(caught.value, f"{source}: ", "Storable", "no model of PyPlexity", "Fix: ", "PyPlexity")
