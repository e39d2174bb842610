"""The tree of a page's elements, against a walk from the page down to each."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.content_model.page_tree import (
    BYTES,
    FAMILIES,
    TAGS,
    describe,
    grouped,
    page_tree,
)
from thresher.pages import Detail, read_html
from thresher.pages.marks import Elements

WHOLE = ("html", "body", "meta", "")
TAGGED = "div div div,class=post ul li li,class=comment p p,hidden span em small a,class=x h1 body,class=blog".split()


def nested(opened: list[str], inside: list[str], times: int) -> str:
    begins = "".join(f"<{each.replace(',', ' ')}>" for each in opened)
    ends = "".join(f"</{each.partition(',')[0]}>" for each in reversed(opened))
    return (begins + "".join(inside) + ends) * times


PAGES = st.recursive(
    st.sampled_from(["a ", "b. <br>", "<img>", "<li>c", "<p>"]),
    lambda inside: st.builds(
        nested,
        st.lists(st.sampled_from(TAGGED), max_size=3)
        | st.permutations(["span", "em", "small", "ul", "dl", "nav", "ol"]),
        st.lists(inside, max_size=3),
        st.integers(1, 3),
    ),
    max_leaves=12,
)


def said(description: str) -> int:
    whole = description.partition(" ")[0] in WHOLE
    return 0 if whole else int.from_bytes(describe(description), "little")


def lines_of(elements: Elements) -> list[list[int]]:
    """Return for each element those around it, from the page down, and itself."""
    lines: list[list[int]] = []
    for number, parent in enumerate(elements.parents.tolist()):
        lines.append([*(lines[parent] if number else []), number])
    return lines


def as_numbers(packed: np.ndarray) -> list[int]:
    return [int.from_bytes(column.tobytes(), "little") for column in packed.T]


@given(PAGES)
def test_against_walking(html):
    segments = read_html(f"{html}a", detail=Detail.ELEMENTS)
    elements = segments.elements
    tree, lines = page_tree(elements), lines_of(elements)
    names = elements.descriptions
    tags = [name.partition(" ")[0] for name in names]
    first, after = elements.first_blocks.tolist(), elements.after_blocks.tolist()
    begun = [number for number in range(len(names)) if after[number] > first[number]]

    alike = [*zip(elements.parents.tolist(), tags, map(said, names), strict=True)]
    times = Counter(alike[one] for one in begun[1:])

    by_number = {number: tag for tag, number in tree.tags.items()}
    assert [by_number[number] for number in tree.tag.tolist()] == tags
    assert elements.depths.tolist() == [len(line) - 1 for line in lines]
    for number in begun:
        line = lines[number]
        wider = [one for one in line[:-1] if (first[one], after[one]) != (first[number], after[number])]
        assert tree.wider[number] == (wider[-1] if wider else -1)
        repeated = [one for one in line[1:] if times[alike[one]] > 1 and after[one] - first[one] > 1]
        assert tree.repeated[number] == (max(repeated, key=lambda one: (times[alike[one]], one)) if repeated else 0)
        for other in begun:
            if number and other:
                assert (tree.groups[number] == tree.groups[other]) == (alike[number] == alike[other])
    around = []
    for innermost in elements.innermost.tolist():
        bits = 0
        for number in lines[innermost]:
            bits |= said(names[number])
        around.append(bits)
    assert tree.around.shape == (BYTES, len(around))
    assert as_numbers(tree.around) == around


@given(st.lists(st.integers(0, 4), min_size=1))
def test_groups_of_equal_keys(keys):
    numbers, leaders, ranks, sizes = grouped(np.array(keys))
    assert numbers.tolist() == [sorted({*keys}).index(key) for key in keys]
    assert leaders.tolist() == [keys.index(key) for key in keys]
    assert ranks.tolist() == [keys[:place].count(key) for place, key in enumerate(keys)]
    assert sizes.tolist() == [keys.count(key) for key in sorted({*keys})]


def test_what_speaks_of_the_whole_page():
    page = "<meta property=og:type content=article><body class=blog><div class=post>a</div>"
    elements = read_html(page, detail=Detail.ELEMENTS).elements
    names = [*FAMILIES, *TAGS]
    bits = page_tree(elements).page_bits
    assert {name for number, name in enumerate(names) if bits >> number & 1} >= {"article", "blog", "body"}
    assert not bits >> FAMILIES.index("post") & 1
