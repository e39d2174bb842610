"""Language models that judge sentences."""

from thresher.language_models.cards import ModelCard
from thresher.language_models.models import BUILDERS, WordModel, load_model

__all__ = ["BUILDERS", "ModelCard", "WordModel", "load_model"]
