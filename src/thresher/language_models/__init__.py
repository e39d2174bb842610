"""Language models for scoring text."""

from thresher.language_models.words.models import BUILDERS, checked_model, find_model, load_model, model_files
from thresher.language_models.words.word_model import ModelCard, WordModel

__all__ = ["BUILDERS", "ModelCard", "WordModel", "checked_model", "find_model", "load_model", "model_files"]
