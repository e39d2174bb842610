"""The scores of a collection while it is cleaned: after a kill they stay beside the output, and the same command goes on."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from thresher.experiments.stages import exclusive
from thresher.files import remove_left


@contextmanager
def kept_scores(output: Path, outputs: Sequence[Path]) -> Iterator[Path]:
    """Yield a folder beside a file to write, which no other process has; only a kill or Ctrl-C leaves it.

    Args:
        output: the file.
        outputs: all files that are written; what killed processes left of them under temporary names is removed.

    Raises:
        StateError: if another process writes the same file.
        ThresherError: if the folder cannot be made.
    """
    folder = output.with_name(f".{output.name}.scores")
    keep = False
    with exclusive(folder):
        try:
            remove_left(outputs)
            yield folder
        except KeyboardInterrupt:
            keep = True
            raise
        finally:
            if not keep:
                shutil.rmtree(folder, ignore_errors=True)
