"""Sentences on the files of a folder that are not read as pages."""

from __future__ import annotations

from collections.abc import Iterator

from thresher.collections.file_collection import LeftOut


def left_out_sentences(left_out: LeftOut) -> Iterator[str]:
    """Yield a line for each kind of files and entries that are left out."""
    if left_out.others:
        endings = ", ".join(f"{count:,} {ending or 'without ending'}" for ending, count in left_out.endings)
        more = f", {left_out.of_rarer_endings:,} more" if left_out.of_rarer_endings else ""
        hint = "; format html reads pages of any name" if left_out.by_name else ""
        files = _were_left_out(left_out.others, "file with another ending", "files with other endings")
        yield f"{files}: {endings}{more}{hint}"
    if left_out.hidden:
        yield _were_left_out(left_out.hidden, "hidden folder or file", "hidden folders or files")
    if left_out.not_files:
        yield f"{_were_left_out(left_out.not_files, 'entry', 'entries')}: links to folders or to nothing, pipes, sockets"


def _were_left_out(count: int, singular: str, plural: str) -> str:
    return f"1 {singular} was left out" if count == 1 else f"{count:,} {plural} were left out"
