"""Variants that keep title and headings are run again without any, if asked for, and compared in a table."""

from __future__ import annotations

import json
from collections.abc import Callable

from commands import Done
from small_web import Web

from thresher.variants.held_out import headings_pairs
from thresher.variants.results import read_results

KEPT = ("words(headings=keep)@20", "density@4+words(headings=keep)@p40")
DROPPED = ("words(headings=drop)@20", "density@4+words(headings=drop)@p40")
ALL = "words(headings=drop)@0"


def test_variants_without_headings_are_variants_like_others(web: Web, call: Callable[..., Done]) -> None:
    names = [*KEPT, DROPPED[0]]
    web.write(sweep="", cleaners=f"names = {json.dumps(names)}", evaluation="without_headings = true")
    done = call("run", "web.toml", cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    table = read_results(web.folder / "results" / "web").table()
    assert [row.name for row in table.rows] == ["none", *names, ALL, DROPPED[1]]
    pairs = [(table.rows[one].name, table.rows[other].name) for one, other in headings_pairs(table)]
    assert pairs == [("none", ALL), *zip(KEPT, DROPPED, strict=True)]
    # Behind `density`, which treats headings like all text, there are none to keep.
    fewer = [table.rows[other].words < table.rows[one].words for one, other in headings_pairs(table)]
    assert fewer == [True, True, False]
    written = (web.folder / "results" / "web" / "table.md").read_text(encoding="utf-8")
    assert "without headings" in written
    web.write("apart", sweep="", cleaners=f"names = {json.dumps([*names, ALL, DROPPED[1]])}")
    assert call("run", "apart.toml", cwd=web.folder).code == 0
    apart = read_results(web.folder / "results" / "apart").table()
    assert apart.values.tolist() == table.values.tolist()
    assert [row.index for row in apart.rows] == [row.index for row in table.rows]
