"""Evidence to choose from: two scorers over topics with known per-topic values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thresher.choosing.decisions import Evidence, SizedVariant, SizeKind

SIZES = (20.0, 50.0, 80.0, 30.0, 90.0)
DOCUMENTS = (60, 99, 100, 90, 100)


def evidence(topics: int = 40, seed: int = 3) -> Evidence:
    """Five variants: `words` hurts, hardly hurts and does nothing; `density` hurts much, and helps a little."""
    generator = np.random.default_rng(seed)
    baseline = generator.beta(4, 3, topics)
    effects = np.array([-0.15, -0.005, 0.0, -0.3, 0.01])
    spread = np.array([0.05, 0.01, 0.0, 0.1, 0.02])
    values = np.clip(baseline + effects[:, None] + spread[:, None] * generator.normal(size=(5, topics)), 0, 1)
    names = ("words@30", "words@9", "words@2", "density@9", "density@1")
    cutoffs = (30.0, 9.0, 2.0, 9.0, 1.0)
    variants = tuple(
        SizedVariant(name, name.split("@")[0], cutoff, size, kept)
        for name, cutoff, size, kept in zip(names, cutoffs, SIZES, DOCUMENTS, strict=True)
    )
    return Evidence("qld", "AP", True, SizeKind.ESTIMATED, 100.0, 100, variants, values, baseline, None)


def with_held_out(result: Evidence, topics: int = 30) -> Evidence:
    """The same variants, on other topics too."""
    there = evidence(topics, seed=9)
    return replace(result, held_out=(there.values, there.baseline))
