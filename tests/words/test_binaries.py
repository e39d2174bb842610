"""KenLM's binaries, with a program in the place of `build_binary` where the real one is not needed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from small_models import perplexity_of

from thresher.cleaners.words.models import ARPA, BINARY, load_model, model_folder
from thresher.cleaners.words.ngrams import write_binary


def program(folder: Path, text: str) -> None:
    path = folder / "build_binary"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_without_the_program_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert write_binary(tmp_path / ARPA, tmp_path / BINARY) is False
    assert not (tmp_path / BINARY).exists()


def test_a_program_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, 'echo half > "$3"; exit 3')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert write_binary(tmp_path / ARPA, tmp_path / BINARY) is False
    assert not (tmp_path / BINARY).exists()


@pytest.mark.skipif(shutil.which("build_binary") is None, reason="KenLM's build_binary is not on the path")
def test_a_binary_scores_as_the_arpa_file_does(tmp_path: Path) -> None:
    shutil.copy(model_folder("books") / ARPA, tmp_path / ARPA)
    assert write_binary(tmp_path / ARPA, tmp_path / BINARY) is True
    (tmp_path / ARPA).unlink()
    for sentence in ("the rain came down", "xqz vvk"):
        assert perplexity_of(load_model(str(tmp_path / BINARY)), sentence) == perplexity_of(
            load_model("books"), sentence
        )
