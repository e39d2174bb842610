"""Classifiers of texts; one is a small transformer, from weights on the disk: the extra `transformers`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError, needs_extra
from thresher.files import file_fingerprint
from thresher.progress import progress

Ints = npt.NDArray[np.int64]
EPOCHS = 3
_BATCH, _RATE, _MOST_TOKENS = 16, 2e-5, 512
_CONFIG = "config.json"


class TextClassifier(Protocol):
    """Learns classes of texts."""

    @property
    def name(self) -> str:
        """What it is."""
        ...

    @property
    def fingerprint(self) -> str:
        """What else its predictions depend on; empty if nothing."""
        ...

    def predict(self, texts: Sequence[str], labels: Ints, others: Sequence[str]) -> Ints:
        """Learn from texts with labels, from 0, and return the labels of others; shape (others,)."""
        ...


class LinearClassifier:
    """A linear support vector machine over TF-IDF of words, one class against the others.

    Errors weigh more the rarer their class is, as in the perplexity paper (section 4.3). Vocabulary and document frequencies
    are of the training texts alone. They are scikit-learn's.
    """

    name = "TF-IDF, linear SVM"
    fingerprint = ""

    def predict(self, texts: Sequence[str], labels: Ints, others: Sequence[str]) -> Ints:
        """See `TextClassifier`."""
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.svm import LinearSVC

        terms = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\w+", dtype=np.float64)
        machine = LinearSVC(class_weight="balanced", random_state=0, max_iter=10_000)
        machine.fit(terms.fit_transform(texts), labels)
        found: Ints = machine.predict(terms.transform(others))
        return found


class TransformerClassifier:
    """A pretrained encoder with a new layer on top, all of it trained on the texts' first 512 tokens.

    Devlin et al., BERT, NAACL 2019, appendix A.3, has rate, batch and epochs. Errors weigh more the rarer their class is, as
    in the perplexity paper, section 4.3. Hugging Face's transformers do the work, which fetch nothing.

    Args:
        folder: a model as `save_pretrained` writes it, with its tokeniser.
        epochs: how often each training text is seen.
    """

    def __init__(self, folder: Path, epochs: int = EPOCHS) -> None:
        if not (folder / _CONFIG).is_file():
            raise InputError(f"the folder holds no {_CONFIG}", "give a model as save_pretrained writes it", str(folder))
        self._libraries = _libraries()
        self._folder, self._epochs = folder, epochs
        # Random numbers of training are the library's own, one sequence for all threads.
        self._one_at_a_time = Lock()
        files = sorted(path for path in folder.iterdir() if path.is_file())
        self._known = [file_fingerprint(path) for path in files]

    @property
    def name(self) -> str:
        """See `TextClassifier`."""
        return f"transformer {self._folder.resolve().name}, {self._epochs} epochs"

    @property
    def fingerprint(self) -> str:
        """See `TextClassifier`."""
        return " ".join(self._known)

    def predict(self, texts: Sequence[str], labels: Ints, others: Sequence[str]) -> Ints:
        """See `TextClassifier`."""
        torch, transformers = self._libraries
        with self._one_at_a_time:
            torch.manual_seed(0)
            classes = int(labels.max()) + 1
            try:
                tokenizer = transformers.AutoTokenizer.from_pretrained(self._folder, local_files_only=True)
                model = transformers.AutoModelForSequenceClassification.from_pretrained(
                    self._folder, local_files_only=True, num_labels=classes, ignore_mismatched_sizes=True
                )
            except (OSError, ValueError, KeyError) as error:
                reason = str(error).splitlines()[0]
                fix = "give a model as save_pretrained writes it"
                raise InputError(f"its weights cannot be read ({reason})", fix, str(self._folder)) from error
            weights = len(labels) / (classes * np.bincount(labels))
            loss = torch.nn.CrossEntropyLoss(torch.tensor(weights, dtype=torch.float32))
            optimizer = torch.optim.AdamW(model.parameters(), lr=_RATE)
            model.train()
            for epoch in range(self._epochs):
                order = np.random.default_rng(epoch).permutation(len(texts)).tolist()
                steps = -(-len(order) // _BATCH)
                for rows in progress(_batches(order), f"epoch {epoch + 1} of {self._epochs}", steps, "batches"):
                    found = model(**_tokens(tokenizer, [texts[row] for row in rows])).logits
                    optimizer.zero_grad()
                    loss(found, torch.tensor(labels[rows])).backward()
                    optimizer.step()
            model.eval()
            with torch.no_grad():
                found = [
                    model(**_tokens(tokenizer, [others[row] for row in rows])).logits.argmax(dim=1).numpy()
                    for rows in _batches(list(range(len(others))))
                ]
        return np.concatenate(found).astype(np.int64)


def _batches(rows: list[int]) -> Iterator[list[int]]:
    return (rows[first : first + _BATCH] for first in range(0, len(rows), _BATCH))


def _tokens(tokenizer: Any, texts: list[str]) -> Any:
    most = min(_MOST_TOKENS, tokenizer.model_max_length)
    return tokenizer(texts, truncation=True, max_length=most, padding=True, return_tensors="pt")


def _libraries() -> tuple[Any, Any]:
    with needs_extra("transformers", "classifying by a transformer needs torch and transformers"):
        import torch
        import transformers
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers
