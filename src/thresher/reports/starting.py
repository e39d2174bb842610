"""Sentences about a first experiment file and its inputs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from thresher.base.defaults import LANGUAGE
from thresher.base.number_text import counted
from thresher.cleaners.languages import BY_CODE
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.experiments.page_language import index_language
from thresher.experiments.schema import option_name
from thresher.experiments.starting import StartingFile


def starting_sentences(file: StartingFile) -> Iterator[str]:
    """Give the counts of pages, topics and judged pages, and the fix if no judged page was seen."""
    pages = file.collection
    yield f"{counted(pages.pages, 'page')} read, and {pages.failed:,} that cannot be read."
    yield f"{counted(file.topics, 'topic')}, {file.topics_with_judgments:,} with judgments."
    if file.topics_with_judgments < MINIMUM:
        yield f"`choose` gives no verdict below {MINIMUM} topics with judgments."
    yield f"{pages.judged_seen:,} of {pages.judged:,} judged pages are among the pages read."
    if file.keys and pages.judged_seen:
        options: list[str] = []
        for key, value in file.keys.items():
            options.append(option_name(key))
            if value is not True:
                options.append(shlex.quote(str(value)))
        yield f"Ids are made as in the qrels. For the same ids, `thresher clean` and `index` need {' '.join(options)}."
    if pages.language != LANGUAGE:
        yield f"The pages' language is {BY_CODE.get(pages.language, pages.language)}: [pages] and cleaners are set to it."
        if not index_language(pages.language):
            yield f"No analyser of {pages.language} can be pruned: the index is analysed as English."
    if not pages.judged_seen:
        judged = file.first_judged or "none"
        yield f"The first page's id is {pages.first_id}, the first judged one {judged}: set `ids` in [collection]."
