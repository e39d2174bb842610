"""Sums over oblivious trees, against walking through each tree, and against CatBoost."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from thresher.cleaners.content_model.trees import Trees


@st.composite
def forests(draw):
    depth, count, questions, features, blocks = (draw(st.integers(1, most)) for most in (4, 5, 6, 4, 5))
    numbers = st.integers(-3, 3)
    trees = Trees(
        draw(arrays.arrays(np.uint16, questions, elements=st.integers(0, features - 1))),
        draw(arrays.arrays(np.float32, questions, elements=numbers)),
        draw(arrays.arrays(np.uint16, (count, depth), elements=st.integers(0, questions - 1))),
        draw(arrays.arrays(np.int16, (count, 2**depth))),
    )
    return trees, draw(arrays.arrays(np.float32, (features, blocks), elements=numbers))


@given(forests())
def test_against_walking(case):
    trees, values = case
    expected = []
    for block in range(values.shape[1]):
        total = 0
        for questions, leaves in zip(trees.trees, trees.leaves, strict=True):
            leaf = 0
            for level, question in enumerate(questions.tolist()):
                if values[trees.features[question], block] > trees.borders[question]:
                    leaf += 2**level
            total += int(leaves[leaf])
        expected.append(total)
    assert trees.sums(values).tolist() == expected


def test_trees_deeper_than_eight():
    generator = np.random.default_rng(2)
    depth, questions = 10, 12
    trees = Trees(
        generator.integers(0, 3, questions).astype(np.uint16),
        generator.normal(size=questions).astype(np.float32),
        np.array([generator.permutation(questions)[:depth] for _ in range(2)], dtype=np.uint16),
        generator.integers(-9999, 9999, (2, 2**depth)).astype(np.int16),
    )
    values = generator.normal(size=(3, 40)).astype(np.float32)
    answers = values[trees.features] > trees.borders[:, None]
    numbers = [sum(answers[question] * 2**level for level, question in enumerate(own)) for own in trees.trees]
    expected = sum(leaves[number] for leaves, number in zip(trees.leaves.astype(int), numbers, strict=True))
    assert trees.sums(values).tolist() == expected.tolist()


def test_many_blocks_and_other_places_of_features():
    values = np.random.default_rng(1).normal(size=(3, 5000)).astype(np.float32)
    rows = np.array([2, 0])
    expected = [int(GOOD.leaves[0, int(a > 0.5) + 2 * int(b > 2)]) for a, b in values[rows].T]
    assert GOOD.sums(values, rows).tolist() == expected


GOOD = Trees(
    np.array([0, 1], dtype=np.uint16),
    np.array([0.5, 2], dtype=np.float32),
    np.array([[0, 1]], dtype=np.uint16),
    np.array([[1, 2, 3, 4]], dtype=np.int16),
)
