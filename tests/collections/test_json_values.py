"""Arrays in JSON, and objects over several lines: what comes back, and what is wrong with the others."""

import gzip
import io
import json
from pathlib import Path

import pytest
from file_ranges import read_whole
from hypothesis import given
from hypothesis import strategies as st

from thresher.collections import documents, open_collection
from thresher.collections.interface import JsonFields, ReadOptions
from thresher.collections.isolated import likely_fields
from thresher.collections.json_lines import JsonLines
from thresher.collections.json_values import holds_values, json_values

A, B = {"id": "a", "contents": 'the "harbour" {[\\'}, {"id": "b", "contents": "town"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Pyserini's second layout, on a line and over lines; pretty-printed objects.
        (json.dumps([A, B]), [A, B]),
        ("\ufeff" + json.dumps([A, B], indent=2) + "\n", [A, B]),
        ("[\n" + json.dumps(A) + ",\n" + json.dumps(B) + "\n]\n", [A, B]),
        (json.dumps(A, indent=2) + "\n" + json.dumps(B, indent=2), [A, B]),
        ("[]", []),
        # What is none, and costs no other.
        ("[" + json.dumps(A) + ", 7, " + json.dumps(B) + "]", [A, "text that is no object", B]),
        ("[" + json.dumps(A) + ", {'id': 'x'}, " + json.dumps(B) + "]", [A, "not JSON", B]),
        ("[" + json.dumps(A) + ", [1], " + json.dumps(B) + "]", [A, "no `id`", B]),
        ("[" + json.dumps(A) + ", " + json.dumps(B)[:-4], [A, "ends within an object"]),
        ("[" + json.dumps(A) + ",", [A, "not closed"]),
        ("[" + json.dumps({**A, "contents": "x" * 200_000}) + ", " + json.dumps(B) + "]", ["too large", B]),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_objects_of_arrays(tmp_path: Path, text: str, expected: list[dict[str, str] | str], pack) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(pack(text.encode()))
    assert not JsonLines().can_split(path)
    sources = read_whole(JsonLines(), path, ReadOptions(max_bytes=1000))
    assert len(sources) == len(expected)
    for source, wanted in zip(sources, expected, strict=True):
        if isinstance(wanted, str):
            assert wanted in (source.problem or "")
        else:
            assert (source.id, source.content, source.problem) == (wanted["id"], wanted["contents"].encode(), None)
            assert text.encode()[source.offset :].startswith(b"{")


def test_arrays_are_recognised_and_their_fields_too(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"docno": "a", "body": "harbour"}, {"docno": "b", "body": "town"}], indent=1))
    assert likely_fields(path, "jsonl", JsonFields()).likely == {"id": "docno", "text": "body"}
    fields = JsonFields(id=("docno",), text=("body",))
    assert [source.id for source in documents(open_collection(path, ReadOptions(fields=fields)))] == ["a", "b"]
    path.write_text("[1] a reference, no array")
    assert not holds_values(path)


DOCUMENTS = st.lists(st.dictionaries(st.text(max_size=3), st.recursive(st.text() | st.none(), st.lists, max_leaves=3)))


@given(DOCUMENTS, st.sampled_from([None, 1]), st.integers(1, 9))
def test_any_array_comes_back(values, indent, size) -> None:
    class Slow(io.BytesIO):
        def read(self, _: int | None = -1, /) -> bytes:
            return super().read(size)

    text = json.dumps(values, indent=indent, ensure_ascii=False).encode("utf-8", "replace")
    result = list(json_values(Slow(text), 10**6))
    assert [json.loads(value.content or b"") for value in result] == json.loads(text)
    assert all(text[value.offset :].startswith(value.content or b"?") for value in result)


@pytest.mark.parametrize(
    ("record", "likely"),
    [
        # A member that is null everywhere is not there, and the id is not its text.
        ({"id": "a", "html": None}, {}),
        ({"id": "a", "url": "http://a", "contents": None}, {}),
        ({"id": "a", "html": None, "body": "harbour town"}, {"text": "body"}),
    ],
)
def test_an_id_is_not_the_text_that_is_missing(tmp_path: Path, record: dict[str, str | None], likely) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(record) + "\n")
    assert likely_fields(path, "jsonl", JsonFields()).likely == likely
