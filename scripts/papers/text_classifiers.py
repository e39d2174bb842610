"""Classifiers of texts: a linear classifier over TF-IDF, and a transformer with weights from the disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from thresher import InputError, MissingDependencyError
from thresher.base.progress import progress

Ints = npt.NDArray[np.int64]
TextClassifier = Callable[[Sequence[str], Ints, Sequence[str]], Ints]
"""A function that learns from texts and their classes, from 0, and returns the classes of other texts."""
_BATCH, _MOST_TOKENS = 16, 512
# Transformers are trained one at a time, since all threads share PyTorch's random numbers.
_ONE_AT_A_TIME = Lock()


def linear_classifier(texts: Sequence[str], labels: Ints, others: Sequence[str]) -> Ints:
    """Return the classes of other texts by scikit-learn's linear support vector machine over TF-IDF of words.

    One machine separates each class from the others. Errors in rare classes weigh more, as in the perplexity paper (section
    4.3). Vocabulary and document frequencies are from the training texts only.
    """
    terms = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\w+", dtype=np.float64)
    machine = LinearSVC(class_weight="balanced", random_state=0, max_iter=10_000)
    machine.fit(terms.fit_transform(texts), labels)
    classes: Ints = machine.predict(terms.transform(others))
    return classes


@dataclass(frozen=True)
class TransformerClassifier:
    """A pretrained encoder with a new layer on top. Training changes all its weights, on the texts' first 512 tokens.

    Rate, batch size and epochs are from Devlin et al., BERT, NAACL 2019, appendix A.3. Errors in rare classes weigh more, as
    in the perplexity paper, section 4.3. Hugging Face's transformers train the model without network access.

    Attributes:
        folder: a model with its tokeniser, as `save_pretrained` writes them.
    """

    folder: Path
    epochs: int = 3
    rate: float = 2e-5

    def __call__(self, texts: Sequence[str], labels: Ints, others: Sequence[str]) -> Ints:
        """See `TextClassifier`.

        Raises:
            MissingDependencyError: without torch or transformers.
            InputError: the folder has no readable weights.
        """
        try:
            import torch
            import transformers
        except ImportError as error:
            problem = "classifying by a transformer needs torch and transformers"
            raise MissingDependencyError(problem, "run `pip install 'transformers>=4.40' torch`") from error
        with _ONE_AT_A_TIME:
            torch.manual_seed(0)
            device = accelerator(torch)
            classes = int(labels.max()) + 1
            try:
                tokenizer = transformers.AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
                model = transformers.AutoModelForSequenceClassification.from_pretrained(
                    self.folder, local_files_only=True, num_labels=classes, ignore_mismatched_sizes=True
                )
            except (OSError, ValueError, KeyError) as error:
                problem = f"its weights cannot be read ({str(error).splitlines()[0]})"
                raise InputError(problem, "give a model as save_pretrained writes it", str(self.folder)) from error
            model.to(device)

            def logits(rows: Sequence[str]) -> Any:
                most = min(_MOST_TOKENS, tokenizer.model_max_length)
                tokens = tokenizer([*rows], truncation=True, max_length=most, padding=True, return_tensors="pt")
                return model(**tokens.to(device)).logits

            weights = len(labels) / (classes * np.bincount(labels))
            loss = torch.nn.CrossEntropyLoss(torch.tensor(weights, dtype=torch.float32, device=device))
            optimizer = torch.optim.AdamW(model.parameters(), lr=self.rate)
            model.train()
            for epoch in range(self.epochs):
                batches = _batches(np.random.default_rng(epoch).permutation(len(texts)).tolist())
                label = f"epoch {epoch + 1} of {self.epochs} on {device}"
                for rows in progress(batches, label, len(batches), "batches"):
                    optimizer.zero_grad()
                    actual = torch.tensor(labels[rows], device=device)
                    loss(logits([texts[row] for row in rows]), actual).backward()
                    optimizer.step()
            model.eval()
            with torch.no_grad():
                batches = _batches(list(range(len(others))))
                predicted = [logits([others[row] for row in rows]).argmax(dim=1).cpu().numpy() for rows in batches]
        return np.concatenate(predicted).astype(np.int64)


def accelerator(torch: Any) -> str:
    """Return the name of the device to compute on: CUDA, or else Apple's, or else the CPU.

    The paper used two Tesla V100S (section 4.4).
    """
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _batches(rows: list[int]) -> list[list[int]]:
    return [rows[first : first + _BATCH] for first in range(0, len(rows), _BATCH)]
