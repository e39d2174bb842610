"""A transformer of random weights, small enough to learn here; without its packages, the error that names them."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from text_classifiers import TransformerClassifier, accelerator
from thresher.base.errors import InputError, MissingDependencyError

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "exam", "paper", "page", "home", "of")


def test_it_learns_and_says_the_same_again(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    transformers.BertTokenizer(str(tmp_path / "vocab.txt"), model_max_length=16).save_pretrained(tmp_path)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=16,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(tmp_path)
    # Random weights need more than pretrained ones.
    classifier = TransformerClassifier(tmp_path, epochs=15, rate=1e-2)
    # Most are of one class, and some texts are longer than the model can read.
    texts = ["exam page", "home of exam", "exam of page " * 20, "exam", "paper of home", "paper " * 20, "exam home"] * 8
    labels = np.array([0, 0, 0, 0, 1, 1, 0] * 8)
    found = classifier(texts, labels, ["page exam", "paper page", "", "of paper home"])
    assert found[[0, 1, 3]].tolist() == [0, 1, 1]
    assert classifier(texts, labels, ["page exam", "paper page", "", "of paper home"]).tolist() == found.tolist()
    with pytest.raises(InputError, match="its weights cannot be read"):
        TransformerClassifier(tmp_path / "none")(texts, labels, texts)


@pytest.mark.parametrize(("cuda", "mps", "device"), [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")])
def test_an_accelerator_is_used_if_there_is_one(cuda: bool, mps: bool, device: str) -> None:
    of = {True: SimpleNamespace(is_available=lambda: True), False: SimpleNamespace(is_available=lambda: False)}
    assert accelerator(SimpleNamespace(cuda=of[cuda], backends=SimpleNamespace(mps=of[mps]))) == device


def test_without_its_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("torch", "transformers"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'transformers>=4\.40' torch"):
        TransformerClassifier(tmp_path)(["a"], np.array([0]), ["b"])
