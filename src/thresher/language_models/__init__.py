"""Language models that judge sentences."""

from thresher.language_models.cards import ModelCard
from thresher.language_models.models import BUILDERS, find_model, load_model, model_files
from thresher.language_models.word_model import WordModel

__all__ = ["BUILDERS", "ModelCard", "WordModel", "find_model", "load_model", "model_files"]
