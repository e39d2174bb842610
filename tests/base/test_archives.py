"""Archives of arrays that would unpack to more than memory holds."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from collections.abc import Callable
from importlib.resources.abc import Traversable
from pathlib import Path

import numpy as np
import pytest

from thresher.base.errors import InputError
from thresher.cleaners.characters.scoring import find_character_model, read_model
from thresher.cleaners.content_model.model import find_content_model, read_content_model

MOST = 20 * 2**20


@pytest.mark.slow
@pytest.mark.parametrize("written", [300_000_000, 0])
@pytest.mark.parametrize(
    ("model", "array", "read"),
    [
        (find_content_model("web"), "forum_features", read_content_model),
        (find_character_model("standard"), "steps", read_model),
    ],
)
def test_an_array_of_300_mb_in_a_small_file_is_refused_in_little_memory(
    tmp_path: Path, model: Traversable, array: str, read: Callable[[Path], object], written: int
) -> None:
    path = tmp_path / "bomb"
    header = io.BytesIO()
    shape = (300_000_000 if written else 2**62,)
    np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": shape})
    with (
        model.open("rb") as file,
        zipfile.ZipFile(file) as sound,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as bomb,
    ):
        for name in sound.namelist():
            with bomb.open(name, "w") as out:
                if name != f"{array}.npy":
                    out.write(sound.read(name))
                    continue
                out.write(header.getvalue())
                for _ in range(0, written, 10_000_000):
                    out.write(bytes(10_000_000))
    assert path.stat().st_size < 2**21
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="it is damaged, or holds no"):
            read(path)
        # What is only asked for is no memory.
        assert not written or tracemalloc.get_traced_memory()[1] < MOST
    finally:
        tracemalloc.stop()
