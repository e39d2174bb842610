"""Sentences on the files of a folder that are not read as pages."""

from __future__ import annotations

from collections.abc import Iterator

from thresher.collections.file_collection import LeftOut


def left_out_sentences(left_out: LeftOut) -> Iterator[str]:
    """Give a line for each kind of files and entries that are left out."""
    if left_out.other_files:
        counts: list[str] = []
        for ending, count in left_out.endings:
            counts.append(f"{count:,} {ending or 'without ending'}")
        if left_out.of_rarer_endings:
            counts.append(f"{left_out.of_rarer_endings:,} more")
        hint = ""
        if left_out.by_name:
            hint = "; format html reads pages of any name"
        files = _were_left_out(left_out.other_files, "file with another ending", "files with other endings")
        yield f"{files}: {', '.join(counts)}{hint}"
    if left_out.hidden:
        yield _were_left_out(left_out.hidden, "hidden folder or file", "hidden folders or files")
    if left_out.not_files:
        yield f"{_were_left_out(left_out.not_files, 'entry', 'entries')}: links to folders or to nothing, pipes, sockets"


def _were_left_out(count: int, singular: str, plural: str) -> str:
    if count == 1:
        return f"1 {singular} was left out"
    return f"{count:,} {plural} were left out"
