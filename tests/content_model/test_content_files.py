"""Files of content models: what is written is read, and what is not sound is refused."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from content_samples import hand_made_model
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.errors import ConfigError, InputError, ThresherError
from thresher.cleaners.content_model.features import features_of
from thresher.cleaners.content_model.model import (
    find_content_model,
    load_content_model,
    read_content_model,
    write_content_model,
)
from thresher.cleaners.content_model.page_rules import for_page, with_share
from thresher.pages import Detail, read_html


@pytest.fixture
def path(tmp_path) -> Path:
    path = tmp_path / "a.content"
    write_content_model(path, hand_made_model())
    return path


def test_written_and_read(path, tmp_path):
    model = read_content_model(path)
    assert model.card == hand_made_model().card
    write_content_model(tmp_path / "b.content", model)
    assert (tmp_path / "b.content").read_bytes() == path.read_bytes()


def test_the_shipped_model_is_written_as_it_is(tmp_path):
    shipped = load_content_model("web")
    write_content_model(tmp_path / "a.content", shipped)
    assert read_content_model(tmp_path / "a.content").card == shipped.card


@pytest.mark.parametrize("name", ["middles", "shapes", "weights", "biases", "scales"])
def test_arrays_of_a_network_that_do_not_fit(path, name):
    contents = members(path)
    values = np.load(io.BytesIO(contents[f"second_{name}.npy"]))
    for wrong in (values[:-1], values[:0], values + 1):
        packed(path, contents | {f"second_{name}.npy": array_bytes(wrong)})
        with pytest.raises(InputError, match="damaged"):
            read_content_model(path)


def test_probabilities_of_a_page(path):
    model = read_content_model(path)
    page = read_html("<p>one<p>one two three four five six<p>one", detail=Detail.ELEMENTS)
    features = features_of(page)
    # 127 w / (w + 5) is 21, 69, 21, and the block before counts twice.
    sums = [21, 69 + 42, 21 + 138]
    assert model.network.network.sums(features.values, features.words).tolist() == sums
    expected = for_page(with_share(np.array(sums) / 254, features.words), features.words)
    assert model.probabilities(page).tolist() == pytest.approx(expected.tolist())


def test_a_page_without_blocks(path):
    assert read_content_model(path).probabilities(read_html("", detail=Detail.ELEMENTS)).shape == (0,)


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path: Path, contents: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("member", "value", "found"),
    [
        ("format", 999, "format 999"),
        ("format", 4, "format 4"),
        ("format", 3, "format 3"),
        ("kind", "ncleaner", "damaged"),
        ("forum", ["no feature"], "damaged"),
        ("forum", [], "damaged"),
        ("second", ["words"], "damaged"),
        ("digest", "0" * 64, "damaged"),
        ("cutoff", "half", "damaged"),
    ],
)
def test_cards_that_do_not_fit(path, member, value, found):
    contents = members(path)
    card = json.loads(contents["card.json"]) | {member: value}
    packed(path, contents | {"card.json": json.dumps(card).encode()})
    with pytest.raises(InputError, match=found) as error:
        read_content_model(path)
    assert str(path) in str(error.value)
    assert "scripts/content_train.py" in error.value.fix


def array_bytes(values) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, values)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("forum_leaves", np.zeros((1, 3), dtype=np.int16)),
        ("forum_leaves", np.zeros(2, dtype=np.int16)),
        ("forum_trees", np.array([[7]], dtype=np.uint16)),
        ("second_probabilities", np.array([0.9, 0.2])),
        ("second_sums", np.array([1])),
    ],
)
def test_arrays_that_do_not_fit(path, name, values):
    packed(path, members(path) | {f"{name}.npy": array_bytes(values)})
    with pytest.raises(InputError, match="damaged"):
        read_content_model(path)


def test_a_missing_array(path):
    contents = members(path)
    del contents["forum_leaves.npy"]
    packed(path, contents)
    with pytest.raises(InputError, match="damaged"):
        read_content_model(path)


@given(st.data())
def test_one_changed_byte_is_found_or_changes_nothing(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "a.content"
    write_content_model(path, hand_made_model())
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(bytes(content))
    try:
        model = read_content_model(path)
    except ThresherError:
        pass
    else:
        # Texts of the card have no digest.
        assert model.card.digest == hand_made_model().card.digest
        assert model.forum.trees.leaves.tolist() == hand_made_model().forum.trees.leaves.tolist()


def test_names_and_paths(tmp_path):
    assert find_content_model("web").is_file()
    for name in ("", "wep", str(tmp_path)):
        with pytest.raises(ConfigError, match="web"):
            find_content_model(name)
    with pytest.raises(InputError):
        load_content_model(__file__)
