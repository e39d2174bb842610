"""The sentences of notices name a few ids, and count the others."""

from __future__ import annotations

import pytest

from thresher.evaluation.topics import MOST_IDS, About, notice
from thresher.reports.notices import notice_text


@pytest.mark.parametrize("count", [1, MOST_IDS])
def test_a_short_list_of_ids_is_whole(count: int) -> None:
    ids = [str(number) for number in range(count)]
    assert notice_text(notice(About.UNKNOWN, ids)).endswith(f": {', '.join(ids)}.")


@pytest.mark.parametrize("about", [about for about in About if about is not About.UNLINKED])
@pytest.mark.parametrize("held_out", [False, True])
def test_a_long_list_of_ids_ends_in_the_count_of_the_others(about: About, held_out: bool) -> None:
    ids = [str(number) for number in range(MOST_IDS + 1200)]
    assert notice_text(notice(about, ids, held_out)).endswith(": 0, 1, 2, 3, 4 and 1,200 more.")
