"""Tables: what is written is read back, by these functions and by NumPy, and nothing else is."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from thresher.base.tables import DAMAGE, Column, Lists, Table, Texts, read_about, read_table, write_table

COLUMNS: dict[str, Column] = {
    "text": Texts.of(["", "Größe\n", "b"]),
    "score:a(b=/x.values)": Lists.of([[1.5, np.inf], [], [np.nan]], np.float32),
    "bytes": np.array([3, -1, 2**40]),
}


def cells(column: Column) -> list[object]:
    if isinstance(column, Lists):
        return [str(column.values.dtype), *(column[row].tobytes() for row in range(len(column)))]
    return [type(column), *column.tolist(), *(column[row] for row in range(len(column)))]


def test_a_table_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    write_table(path, Table(COLUMNS), "about\n1")
    assert read_about(path) == "about\n1"
    table = read_table(path)
    assert len(table) == 3
    assert [*table.columns] == [*COLUMNS]
    for name, column in COLUMNS.items():
        (read,) = read_table(path, [name]).columns.values()
        assert cells(read) == cells(table.columns[name]) == cells(column)
    lists = table.lists("score:a(b=/x.values)")
    assert (lists.lengths.tolist(), lists.rows.tolist(), lists.offsets.tolist()) == ([2, 0, 1], [0, 0, 2], [0, 2, 2, 3])
    write_table(tmp_path / "again.npz", table, "about\n1")
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()
    arrays = np.load(path)
    assert arrays["bytes.numbers"].tolist() == [3, -1, 2**40]
    assert arrays["text.utf8"].tobytes().decode() == "Größe\nb"


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows(tmp_path: Path, rows: int) -> None:
    columns: dict[str, Column] = {"text": Texts.of([""] * rows), "list": Lists.of([[]] * rows, np.int8)}
    write_table(tmp_path / "t.npz", Table(columns), "")
    table = read_table(tmp_path / "t.npz")
    assert (len(table), table.texts("text").tolist()) == (rows, [""] * rows)
    assert (table.lists("list").values.dtype, len(table.lists("list"))) == (np.int8, rows)


def test_a_column_of_another_kind_or_none_is_a_key_error(tmp_path: Path) -> None:
    write_table(tmp_path / "t.npz", Table(COLUMNS), "")
    table = read_table(tmp_path / "t.npz")
    for ask in (table.numbers, table.lists, table.texts):
        with pytest.raises(KeyError):
            ask("other")
    for ask, name in ((table.numbers, "text"), (table.lists, "bytes"), (table.texts, "bytes")):
        with pytest.raises(KeyError):
            ask(name)
    with pytest.raises(KeyError):
        read_table(tmp_path / "t.npz", ["text", "other"])


def test_a_changed_bit_is_never_read_as_another_table(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    write_table(path, Table(COLUMNS), "about")
    whole = path.read_bytes()
    before = {name: cells(column) for name, column in COLUMNS.items()}
    generator = random.Random(3)
    damaged = 0
    for _ in range(400):
        broken = bytearray(whole)
        broken[generator.randrange(len(whole))] ^= 1 << generator.randrange(8)
        path.write_bytes(broken)
        try:
            table, about = read_table(path, [*COLUMNS]), read_about(path)
        except (OSError, *DAMAGE):
            damaged += 1
        else:
            assert ({name: cells(column) for name, column in table.columns.items()}, about) == (before, "about")
    assert damaged > 200
