"""A transformer of random weights, small enough to learn here; without the extra, the error that names it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from commands import thresher

from thresher.errors import InputError

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "exam", "paper", "page", "home", "of")


def write_model(folder: Path) -> Path:
    transformers = pytest.importorskip("transformers", reason="the extra `transformers` is not installed")
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    transformers.BertTokenizer(str(folder / "vocab.txt"), model_max_length=16).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=16,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def test_it_learns_and_says_the_same_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = write_model(tmp_path / "small")
    from thresher.classifying import text_classifiers

    # Random weights need more than pretrained ones.
    monkeypatch.setattr(text_classifiers, "_RATE", 1e-2)
    classifier = text_classifiers.TransformerClassifier(model, epochs=15)
    # Most are of one class, and some texts are longer than the model can read.
    texts = ["exam page", "home of exam", "exam of page " * 20, "exam", "paper of home", "paper " * 20, "exam home"] * 8
    labels = np.array([0, 0, 0, 0, 1, 1, 0] * 8)
    found = classifier.predict(texts, labels, ["page exam", "paper page", "", "of paper home"])
    assert found[[0, 1, 3]].tolist() == [0, 1, 1]
    assert (
        classifier.predict(texts, labels, ["page exam", "paper page", "", "of paper home"]).tolist() == found.tolist()
    )
    (model / "config.json").write_text((model / "config.json").read_text() + "\n")
    assert text_classifiers.TransformerClassifier(model, 15).fingerprint != classifier.fingerprint


def test_folders_without_weights(tmp_path: Path) -> None:
    from thresher.classifying.text_classifiers import TransformerClassifier

    with pytest.raises(InputError, match=r"no config\.json"):
        TransformerClassifier(tmp_path)


def test_without_the_extra(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    done = thresher(
        "classify", tmp_path, "--transformer", tmp_path, "-o", tmp_path / "out", without=("torch", "transformers")
    )
    assert (done.code, "thresher[transformers]" in done.errors[0]) == (4, True)
