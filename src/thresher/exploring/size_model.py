"""x"""
from __future__ import annotations
from dataclasses import dataclass
@dataclass(frozen=True)
class BuiltIndex:
    size: object
    bytes: int
class SizeModel: pass
def fit(b): return None
