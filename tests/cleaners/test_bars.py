"""NCleaner's heuristics alone."""

from __future__ import annotations

from thresher.cleaners.cleaner import parse_cleaner
from thresher.cleaners.scorers.ncleaner import Bars, NCleaner
from thresher.pages import read_html
from thresher.pages.marked_text import is_bar


def test_bars_and_blocks_without_words_go() -> None:
    page = read_html(
        "<p>Home | News | Contact us<p>* * *<p>Storms | News<p>ls | sort | uniq -c counts how often each came<p>Hm"
    )
    assert Bars().score(page).tolist() == [0, 0, 1, 1, 1]
    assert Bars().score(read_html("")).tolist() == []
    assert parse_cleaner("bars").name == "bars"


def test_they_are_what_ncleaner_drops_before_its_models() -> None:
    page = read_html("<p>Home | News | Contact us<p>Storms | News<p>The rain came down.<p>a | b | c")
    dropped = [score == float("-inf") for score in NCleaner().score(page).tolist()]
    assert dropped == [is_bar(block) for block in page.blocks] == [not score for score in Bars().score(page).tolist()]
