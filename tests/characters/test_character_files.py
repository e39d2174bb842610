"""Model files: they come back, have the same bytes every time, and damage is told in one line."""

import hashlib
import io
import json
import zipfile
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from messages import assert_names

from thresher.base.errors import InputError
from thresher.cleaners.characters.character_counts import LEXICAL, NON_LEXICAL, Settings
from thresher.cleaners.characters.scoring import card, read_model, write_model
from thresher.cleaners.characters.training import train

PAGES = [(["One page of text."], ["Home", "One page of text.", "© 2008 | Top"]), (["Two."], ["Two.", "Home"])]
TRAIN = ("Fix: ", "train it again", "`thresher ncleaner train`")
DAMAGED = ("damaged", "no NCleaner model", *TRAIN)


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("models") / "mine.ncleaner"
    write_model(path, train(PAGES, Settings(), "tests"))
    return path


@pytest.mark.parametrize("settings", [Settings(), Settings(6, 0.4, NON_LEXICAL), Settings(1, 0.1), Settings(9, 0.9)])
def test_a_model_comes_back_and_has_the_same_bytes(tmp_path, settings):
    model = train(PAGES, settings, "tests")
    first, second = tmp_path / "first", tmp_path / "second"
    write_model(first, model)
    again = read_model(first)
    assert (again.settings, again.pages, again.training) == (settings, 2, "tests")
    for name in ("keys", "clean", "raw"):
        assert getattr(again, name).tolist() == getattr(model, name).tolist()
        assert getattr(again, name).dtype == np.int64
    write_model(second, train(iter(PAGES[::-1]), settings, "tests"))
    assert first.read_bytes() == second.read_bytes()


def test_the_card_is_in_the_file(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["card.json", "steps.npy", "clean.npy", "raw.npy"]
        about = json.loads(archive.read("card.json"))
        assert archive.testzip() is None
    model = read_model(path)
    arrays = b"".join(values.astype("<i8").tobytes() for values in (model.keys, model.clean, model.raw))
    assert about == asdict(card(model))
    assert about["digest"] == hashlib.sha256(arrays).hexdigest()
    assert {key: about[key] for key in ("format", "kind", "n", "q", "alphabet", "training", "pages", "ngrams")} == {
        "format": 1,
        "kind": "ncleaner",
        "n": 3,
        "q": 0.5,
        "alphabet": "lexical",
        "training": "tests",
        "pages": 2,
        "ngrams": len(model.keys),
    }
    assert about["characters"] == {"clean": 17 + 4, "raw": 4 + 17 + 12 + 4 + 4}


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(at=1076, change=1)  # the offset of the list of members: a seek to before the file
@given(at=st.integers(0, 2**16), change=st.integers(1, 255))
def test_one_changed_byte_is_found_or_changes_nothing(path, tmp_path, at, change):
    content = bytearray(path.read_bytes())
    content[at % len(content)] ^= change
    broken = tmp_path / "broken"
    broken.write_bytes(content)
    whole = read_model(path)
    try:
        model = read_model(broken)
    except InputError as error:
        # The file is there, so that it can only be what is in it.
        message = str(error).removeprefix(f"{broken}: it is ")
        model = whole if message != str(error) and "\n" not in message else None
    assert model is not None
    assert model.keys.tolist() == whole.keys.tolist()
    assert (model.clean.tolist(), model.raw.tolist()) == (whole.clean.tolist(), whole.raw.tolist())


def test_a_file_cut_short(path, tmp_path):
    content = path.read_bytes()
    for size in (0, 10, len(content) // 2, len(content) - 1):
        broken = tmp_path / f"{size}"
        broken.write_bytes(content[:size])
        with pytest.raises(InputError) as caught:
            read_model(broken)
        assert_names(caught.value, f"{broken}: ", *DAMAGED)


def rewritten(path: Path, target: Path, change) -> Path:
    """A model file with another card or other arrays."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target


def test_cards_and_arrays_that_do_not_fit(path, tmp_path):
    def card_with(**values):
        def change(members):
            members["card.json"] = json.dumps(json.loads(members["card.json"]) | values).encode()

        return change

    def array(name, values, pickle=False):
        def change(members):
            buffer = io.BytesIO()
            np.save(buffer, values, allow_pickle=pickle)
            members[name] = buffer.getvalue()

        return change

    newer = ("format 2", "reads 1", *TRAIN)
    for number, (change, facts) in enumerate(
        (
            (card_with(format=2), newer),
            (card_with(n=0), DAMAGED),
            (card_with(n=2), DAMAGED),
            (card_with(q="x"), DAMAGED),
            (card_with(alphabet="runes"), DAMAGED),
            (card_with(digest=""), DAMAGED),
            (card_with(pages=None), DAMAGED),
            (array("clean.npy", np.array([1], dtype=np.uint8)), DAMAGED),
            (array("clean.npy", np.array([1.5])), DAMAGED),
            (array("clean.npy", np.array([[1]], dtype=np.uint8)), DAMAGED),
            (array("clean.npy", np.array([{}], dtype=object), True), DAMAGED),
            (lambda members: members.pop("raw.npy"), DAMAGED),
            (lambda members: members.update({"card.json": b"[]"}), DAMAGED),
            (lambda members: members.update({"card.json": b"\xff"}), DAMAGED),
        )
    ):
        broken = rewritten(path, tmp_path / f"{number}", change)
        with pytest.raises(InputError) as caught:
            read_model(broken)
        assert_names(caught.value, f"{broken}: ", *facts)
    with pytest.raises(InputError) as caught:
        read_model(tmp_path / "none")
    assert_names(caught.value, f"{tmp_path / 'none'}: ", "file or folder", "Fix: ", "check the path")


@pytest.mark.slow
def test_a_model_of_real_pages_is_small(shared_data, tmp_path):
    from thresher.cleaners.characters.training import find_pairs, read_pairs

    folder = shared_data / "cleaning" / "dragnet-300"
    pairs = find_pairs(folder / "GoldStandard", folder / "input", 100)
    write_model(tmp_path / "model", train(read_pairs(pairs), Settings(3, 0.5, LEXICAL), "dragnet"))
    assert (tmp_path / "model").stat().st_size < 1_000_000
