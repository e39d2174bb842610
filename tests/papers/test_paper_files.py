"""Tables as Markdown, and documentation pages that get them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from paper_files import fill, markdown


def test_numbers_as_cells() -> None:
    frame = pd.DataFrame(
        {
            "name": ["a", None],
            "pages": [1200, 3],
            "leaves_mean": [4.75, float("nan")],
            "lost": [1200, float("nan")],
            "p": [0.5, 0.00001],
        }
    )
    assert markdown(frame, "Caption.") == (
        "| name | pages | leaves mean | lost | p |\n| --- | ---: | ---: | ---: | ---: |\n"
        "| a | 1,200 | 4.8 | 1,200 | 0.5000 |\n| – | 3 | – | – | < 0.0001 |\n\nCaption.\n"
    )


def test_places_of_a_page(tmp_path: Path) -> None:
    page, made = tmp_path / "page.md", tmp_path / "rain"
    made.mkdir()
    for name in ("one.md", "two.md", "words.svg"):
        (made / name).write_text(f"{name}\n")
    text = "a\n<!-- rain/one -->\nold\n<!-- end -->\n<!-- snow/one -->\nold\n<!-- end -->\n<!-- rain/two -->\n<!-- end -->\n"
    page.write_text(f"{text}![Words](plots/rain-words.svg)\n")
    fill(page, made)
    filled = text.replace("old", "one.md", 1).replace("<!-- rain/two -->\n", "<!-- rain/two -->\ntwo.md\n")
    assert page.read_text() == f"{filled}![Words](plots/rain-words.svg)\n"
    assert (tmp_path / "plots" / "rain-words.svg").read_text() == "words.svg\n"
