"""Pseudo-topics of pages given as bytes, made in this process."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from thresher.collections import IdRule, ReadOptions, open_collection
from thresher.pseudo_topics import Made, PseudoOptions
from thresher.pseudo_topics.link_tables import NEUTRAL, ExtractWork, open_store
from thresher.pseudo_topics.making import choose
from thresher.scores.parts import Limits, Task, do_part


def write_lines(path: Path, pages: Mapping[str, tuple[str | None, str]], seed: int | None = None) -> None:
    """Write pages, given as URL and HTML by id, as JSON lines; with a seed, in another order."""
    ids = [*pages]
    if seed is not None:
        random.Random(seed).shuffle(ids)
    lines = (json.dumps({"id": id, "url": pages[id][0], "html": pages[id][1]}) for id in ids)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def made_of(path: Path, options: PseudoOptions, part_pages: int = 256) -> Made:
    """Make the topics of JSON lines or a folder."""
    with TemporaryDirectory() as folder:
        collection = open_collection(path, ReadOptions(NEUTRAL))
        work = ExtractWork(collection, Path(folder), Limits(), IdRule(), path.is_dir(), options.stop_list)
        for part in collection.parts(part_pages):
            do_part(Task(part), work)
        return choose(open_store(work.folder), options)


def check_counts(made: Made) -> None:
    """Check that in each list of counts the first is the sum of the others."""
    for name, counts in made.counts.items():
        total, *others = counts.values()
        assert total == sum(others), name
    for name in ("titles", "anchors"):
        if name in made.counts:
            assert made.counts[name]["topics"] == sum(topic.source == name for topic in made.topics)
