"""The scores of a collection while it is cleaned: after a kill they stay beside the output, and the same command goes on."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from thresher.experiments.stages import exclusive


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
            for path in outputs:
                _remove_left(path)
            yield folder
        except KeyboardInterrupt:
            keep = True
            raise
        finally:
            if not keep:
                shutil.rmtree(folder, ignore_errors=True)


def _remove_left(path: Path) -> None:
    """Remove the temporary files of `thresher.files.atomic_path` for `path`, if their processes have ended."""
    name = re.compile(rf"\.{re.escape(path.name)}\.([0-9]{{1,9}})\.tmp")
    with suppress(OSError):
        for left in list(path.parent.iterdir()):
            match = name.fullmatch(left.name)
            if match and not _is_alive(int(match[1])):
                shutil.rmtree(left) if left.is_dir() else left.unlink()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
