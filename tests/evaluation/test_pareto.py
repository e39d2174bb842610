from hypothesis import given
from hypothesis import strategies as st

from thresher.evaluation.significance import pareto_front


def dominates(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return a[0] <= b[0] and a[1] >= b[1] and a != b


NUMBERS = st.integers(0, 4) | st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=12))
def test_against_every_pair(points):
    expected = [index for index, point in enumerate(points) if not any(dominates(other, point) for other in points)]
    assert pareto_front(points) == expected


def test_by_hand():
    points = [
        (382.0, 0.546),
        (93.0, 0.568),
        (60.0, 0.554),
        (60.0, 0.554),
        (69.0, 0.580),
        (51.0, 0.540),
        (60.0, 0.5),
    ]
    assert pareto_front(points) == [2, 3, 4, 5]
    assert pareto_front([]) == []
