"""Imported models: what is written, what is refused, and that they score as the file they came from."""

import dataclasses
import gzip
import hashlib
import os
import subprocess
import sys

import pytest
from messages import Message, assert_names
from small_models import ARPA, PROBING, TRIE, binary, perplexity_of, write_arpa

from thresher.api import clean_collection
from thresher.base.errors import ConfigError, InputError, StateError
from thresher.cleaners.words.importing import import_model
from thresher.cleaners.words.models import BUILDERS, load_model, model_files, model_folder
from thresher.cleaners.words.word_model import ModelCard, read_card

# 10^((0.1 + 0.2 + 0.3 + 1) / 3), worked out from the file's numbers.
A_A_B = 10 ** (1.6 / 3)


def test_an_arpa_file(tmp_path):
    source = write_arpa(tmp_path / "mine.arpa")
    card = import_model(source, tmp_path / "out")
    assert card == ModelCard(
        name="mine",
        language="unknown",
        corpus="unknown: imported from mine.arpa",
        order=2,
        ngrams=(4, 2),
        formula=Message("2-grams with back-off"),
        tokeniser="words",
        log_base=Message("log10 in the file", "10 ** (-log10 P / words)"),
        unknown_words="<unk>, as the file has it",
        sentence_ends="<s> begins a sentence, </s> is not scored",
        digest=hashlib.sha256(ARPA.encode()).hexdigest(),
        normalisation=Message("lower case", "letters, digits, combining marks and apostrophes"),
    )
    assert read_card(tmp_path / "out" / "card.json") == card
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["card.json", "model.arpa"]
    assert (tmp_path / "out" / "model.arpa").read_text() == ARPA
    model = load_model(str(tmp_path / "out"))
    assert (model.order, model.card) == (2, card)
    assert perplexity_of(model, "A a, B!") == pytest.approx(A_A_B, rel=1e-6)


def test_a_compressed_file_is_written_as_it_was(tmp_path):
    source = tmp_path / "mine.arpa.gz"
    source.write_bytes(gzip.compress(ARPA.encode()))
    card = import_model(source, tmp_path / "out", name="given", tokeniser_name="characters")
    assert (card.name, card.corpus, card.tokeniser) == ("given", "unknown: imported from mine.arpa.gz", "characters")
    assert (tmp_path / "out" / "model.arpa").read_text() == ARPA
    # By `characters` a letter of Han is a word.
    model = load_model(str(tmp_path / "out"))
    assert perplexity_of(model, "a a 文") == pytest.approx(A_A_B, rel=1e-6)
    assert perplexity_of(model, "文文") == pytest.approx(10 ** (2.5 / 2), rel=1e-6)


def test_without_a_word_for_unknown_ones(tmp_path):
    source = tmp_path / "mine.arpa"
    source.write_text(ARPA.replace("1=4", "1=3").replace("-1\t<unk>\t0\n", ""))
    card = import_model(source, tmp_path / "out")
    assert_names(card.unknown_words, "log10 P = -100", "KenLM", "no <unk>")
    assert card.ngrams == (3, 2)
    assert perplexity_of(load_model(str(tmp_path / "out")), "a b") == pytest.approx(10 ** (100.4 / 2), rel=1e-4)


@pytest.mark.parametrize("packed", [PROBING, TRIE])
def test_a_binary(tmp_path, packed):
    source = tmp_path / "mine.klm"
    source.write_bytes(binary(packed))
    card = import_model(source, tmp_path / "out")
    assert (card.name, card.order, card.ngrams) == ("mine", 2, (4, 2))
    assert card.digest == hashlib.sha256(binary(packed)).hexdigest()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["card.json", "model.binary"]
    assert perplexity_of(load_model(str(tmp_path / "out")), "a a b") == pytest.approx(A_A_B, rel=1e-6)


@pytest.mark.slow
def test_every_cut_of_a_binary_is_refused(tmp_path):
    source = tmp_path / "cut.klm"
    for length in range(40, 280, 11):
        source.write_bytes(binary(PROBING)[:length])
        with pytest.raises(InputError) as caught:
            import_model(source, tmp_path / "out")
        assert caught.value.where == str(source)
        assert "lm/" not in str(caught.value)
        assert "util/" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["cut.klm"]


@pytest.mark.parametrize(
    ("packed", "byte", "value", "reason"),
    [
        (PROBING, 88, 0, "2 to 6 words, and the header says 0"),
        (PROBING, 88, 1, "2 to 6 words, and the header says 1"),
        (TRIE, 88, 7, "2 to 6 words, and the header says 7"),
        # Sizes that divide by zero, and tables that lead out of the file.
        (PROBING, 95, 255, "KenLM crashes"),
        (PROBING, 147, 1, "KenLM crashes"),
        (TRIE, 130, 1, "KenLM crashes"),
        (TRIE, 134, 255, "KenLM crashes"),
    ],
)
def test_binaries_that_end_their_process(tmp_path, packed, byte, value, reason):
    content = bytearray(binary(packed))
    content[byte] = value
    source = tmp_path / "model.klm"
    source.write_bytes(content)
    (tmp_path / "page.html").write_text("<p>A page of a few words.")
    for use in (
        lambda: import_model(source, tmp_path / "out"),
        lambda: clean_collection(tmp_path / "page.html", f"perplexity(lm={source})@5000", tmp_path / "o.jsonl"),
    ):
        with pytest.raises(InputError, match=reason) as caught:
            use()
        assert caught.value.where == str(source)
        assert {path.name for path in tmp_path.iterdir()} == {"model.klm", "page.html"}


@pytest.mark.slow
def test_a_binary_that_never_ends(tmp_path, monkeypatch):
    """The n-grams of a table without room for an end are looked for again and again."""
    content = bytearray(binary(PROBING))
    content[108] = 0
    source = tmp_path / "model.klm"
    source.write_bytes(content)
    monkeypatch.setattr("thresher.cleaners.words.word_model._TRIAL_SECONDS", 2)
    with pytest.raises(InputError, match="longer than 2 s"):
        import_model(source, tmp_path / "out")


NEITHER = ("neither an ARPA file", "KenLM's binary", "Fix: ", "check the path")
CUT_SHORT = ("compressed data end too early", "Fix: ", "fetch or compress the file again")
DAMAGED = ("KenLM binary is damaged", "Fix: ", "build it again")


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        (b"", NEITHER),
        (b"Some text.\n" * 2000, NEITHER),
        (bytes(range(256)) * 9, NEITHER),
        (ARPA[:20].encode(), NEITHER),
        (
            ARPA.replace("2=2", "2=99999999999999").encode(),
            ("larger than the memory", "Fix: ", "a smaller model", "write this one again"),
        ),
        (
            gzip.compress(ARPA.encode(), mtime=0)[:-9],
            CUT_SHORT,
        ),
        (b"\x1f\x8bxx", CUT_SHORT),
        (binary(PROBING)[:60], DAMAGED),
        (binary(PROBING)[:90], DAMAGED),
    ],
)
def test_what_is_no_model(tmp_path, content, facts):
    source = tmp_path / "file"
    source.write_bytes(content)
    with pytest.raises(InputError) as caught:
        import_model(source, tmp_path / "out")
    assert_names(caught.value, f"{source}: ", *facts)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# Faults of ARPA files that other tools write, each with words of KenLM's reason, its byte, and words of the fix.
@pytest.mark.parametrize(
    ("content", "reason", "byte", "fix"),
    [
        ("\ufeff" + ARPA, r"\ufeff\data", 10, "byte order mark"),
        (ARPA.replace("\\data\\", "\\data\\ "), "first non-empty line", 8, ""),
        (ARPA.replace("-1\ta\t", "-1 a\t"), "Expected tab after probability", 72, ""),
        (ARPA.replace("\t-0.3", ", -0.3"), "Expected tab or newline", 75, ""),
        (ARPA.replace("1=4", "1=3").replace("-1\t</s>\n", ""), "missing </s>", 71, "build_binary -s"),
        (ARPA.replace("1=4", "1=3").replace("-1\t<s>\t-0.5\n", "").replace("<s> a", "a a"), "missing <s>", 67, "-s"),
        (ARPA.replace("ngram 2=2\n", "").partition("\n\\2")[0] + "\n\\end\\\n", "at least a bigram", 18, "order 2"),
        (ARPA.replace("2=2", "2=1"), r"Expected \end\ but", 110, ""),
        (ARPA.replace("2=2", "2=3"), "Could not parse", 111, ""),
        (ARPA.replace("a a", "a q"), "Word q was not seen", 109, ""),
        (ARPA.replace("a a", "a \xe9").encode("latin-1"), r"Word \xe9 was not seen", 109, ""),
        (ARPA.replace("-0.2", "0.2"), "Positive log probability 0.2", 104, "build_binary -i"),
        (ARPA[:-30], "n-gram header", 87, ""),
        (ARPA[:-6], "End of file", 111, ""),
    ],
)
def test_the_reason_is_kenlms(tmp_path, content, reason, byte, fix):
    source = tmp_path / "file"
    source.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        import_model(source, tmp_path / "out")
    assert caught.value.where == str(source)
    assert reason in caught.value.what
    assert f"at byte {byte}" in caught.value.what
    assert fix in caught.value.fix


def test_a_missing_file(tmp_path):
    with pytest.raises(InputError) as caught:
        import_model(tmp_path / "none", tmp_path / "out")
    assert_names(caught.value, f"{tmp_path / 'none'}: ", "file or folder", "Fix: ", "check the path")


def test_only_a_model_is_replaced(tmp_path):
    source = write_arpa(tmp_path / "mine.arpa")
    out = tmp_path / "out"
    out.mkdir()
    import_model(source, out)
    assert import_model(source, out, name="again").name == "again"
    # A model may be written over itself.
    assert import_model(out / "model.arpa", out, name="same").name == "same"
    (out / "thesis.txt").write_text("x")
    for taken in (out, source, tmp_path):
        with pytest.raises(ConfigError) as caught:
            import_model(source, taken)
        assert_names(caught.value, f"{taken}: ", "it exists", "language model", "Fix: ", "another folder")
    assert (out / "thesis.txt").read_text() == "x"


def test_an_unknown_tokeniser(tmp_path):
    with pytest.raises(ConfigError) as caught:
        import_model(write_arpa(tmp_path / "mine.arpa"), tmp_path / "out", "spaces")
    assert_names(caught.value, "--tokeniser: ", "'spaces'", "Fix: ", "words, characters, pyplexity, pyplexity-trigrams")


def test_a_file_without_a_card(tmp_path):
    """It is scored by `words`, and known by its digest; what lies beside a file of another name is not its card."""
    source = write_arpa(tmp_path / "mine.arpa")
    (tmp_path / "card.json").write_text("{")
    model = load_model(str(source))
    assert (model.card, model.order) == (None, 2)
    assert perplexity_of(model, "A a, B!") == pytest.approx(A_A_B, rel=1e-6)
    assert model_files(str(source)).digest == hashlib.sha256(ARPA.encode()).hexdigest()
    (tmp_path / "m.klm").write_bytes(binary(TRIE))
    assert perplexity_of(load_model(str(tmp_path / "m.klm")), "a a b") == pytest.approx(A_A_B, rel=1e-6)


def test_the_file_in_a_folder_is_the_folder(tmp_path):
    card = import_model(write_arpa(tmp_path / "mine.arpa"), tmp_path / "out", "pyplexity")
    assert load_model(str(tmp_path / "out" / "model.arpa")).card == card


def test_the_newer_of_arpa_and_binary_is_read(tmp_path):
    folder = tmp_path / "out"
    import_model(write_arpa(tmp_path / "mine.arpa"), folder)
    (folder / "model.binary").write_bytes(binary(PROBING))
    for seconds, name in ((100, "model.binary"), (-100, "model.arpa")):
        os.utime(folder / "model.binary", (2**30 + seconds, 2**30 + seconds))
        os.utime(folder / "model.arpa", (2**30, 2**30))
        assert model_files(str(folder)).path.name == name
    os.utime(folder / "model.binary", (2**30, 2**30))
    assert model_files(str(folder)).path.name == "model.binary"


def test_damage_says_how_to_mend_it(tmp_path):
    folder = tmp_path / "out"
    card = import_model(write_arpa(tmp_path / "mine.arpa"), folder)
    mend = ("Fix: ", "write it again", "`thresher lm train`", "`thresher lm import`")

    def message() -> str:
        with pytest.raises((InputError, ConfigError)) as caught:
            load_model(str(folder))
        return str(caught.value)

    (folder / "model.arpa").write_text(ARPA.replace("-0.2", "-0.4"))
    assert_names(message(), f"{folder / 'model.arpa'}: ", "card", *mend)
    dataclasses.replace(card, tokeniser="other").write(folder / "card.json")
    assert_names(
        message(), f"{folder / 'card.json'}: ", "'other'", "Fix: ", "words, characters, pyplexity, pyplexity-trigrams"
    )
    (folder / "card.json").write_text("{}")
    assert_names(message(), f"{folder / 'card.json'}: ", "name: it is missing", *mend)
    (folder / "model.arpa").unlink()
    assert_names(message(), f"lm={folder}: ", "no language model", "model.arpa or model.binary", *mend)


def test_a_compressed_file_is_to_be_imported(tmp_path):
    source = tmp_path / "mine.arpa.gz"
    source.write_bytes(gzip.compress(ARPA.encode()))
    with pytest.raises(InputError) as caught:
        load_model(str(source))
    assert_names(caught.value, f"{source}: ", "KenLM", "Fix: ", f"`thresher lm import {source} -o FOLDER`")


def test_a_built_model_that_is_damaged(tmp_path, monkeypatch):
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path))
    card = import_model(write_arpa(tmp_path / "mine.arpa"), tmp_path / "out")

    def build(folder):
        write_arpa(folder / "model.arpa")
        card.write(folder / "card.json")

    monkeypatch.setitem(BUILDERS, "tiny", build)
    folder = model_folder("tiny")
    (folder / "model.arpa").write_text(ARPA[:-20])
    with pytest.raises(StateError) as caught:
        load_model("tiny")
    assert_names(caught.value, f"{folder / 'model.arpa'}: ", "was written for", "Fix: ", folder)
    (folder / "model.arpa").unlink()
    with pytest.raises(StateError):
        load_model("tiny")


@pytest.mark.slow
def test_bombs_are_refused_in_little_memory(tmp_path):
    """Files that unpack to gigabytes, that have a line of gigabytes, or a card of them."""
    for name, head in (("nothing", b""), ("line", b"\\data\\\nngram 1=3\n\n\\1-grams:\n-1\t")):
        with (tmp_path / f"{name}.arpa").open("wb") as file:
            file.write(head)
            file.truncate(2**30)
    with gzip.open(tmp_path / "packed.arpa.gz", "wb", 1) as packed:
        for _ in range(80):
            packed.write(bytes(2**20))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "model.arpa").write_text(ARPA)
    with (tmp_path / "folder" / "card.json").open("wb") as card:
        card.truncate(2**30)
    code = (
        "from pathlib import Path\n"
        "from thresher.base.repeats import _high_water_mark as peak_memory\n"
        "from thresher.base.errors import InputError\n"
        "from thresher.cleaners.words.importing import import_model\n"
        "from thresher.cleaners.words.models import load_model\n"
        "before = peak_memory()\n"
        "for read, name in (\n"
        "    (load_model, 'nothing.arpa'), (load_model, 'folder'), (load_model, 'line.arpa'),\n"
        "    (lambda name: import_model(Path(name), Path('out')), 'packed.arpa.gz'),\n"
        "):\n"
        "    try:\n"
        "        read(name)\n"
        "    except InputError as error:\n"
        "        print(error.what, peak_memory() - before < 150)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    binary, large, unigrams, packed = done.stdout.splitlines()
    assert_names(binary, "KenLM cannot read it", "damaged, of another version", *NEITHER[:2], "True")
    assert_names(large, "more than 16 MiB", "True")
    assert_names(unigrams, "KenLM", "bigram model", "byte 18", "True")
    assert_names(packed, "compresses", "True")
