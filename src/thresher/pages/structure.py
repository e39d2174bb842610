"""What the blocks of a page do not say: its metadata, and its lists, tables, code and links, from which Markdown is made.

The page is parsed once more, only where this is asked for, and its line feeds stay. Source of the marks: CommonMark 0.31,
and for tables GitHub Flavored Markdown 0.29.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import quote, urljoin

from lxml import etree

from thresher.pages.parsing import CONTROL_REFERENCE, DROPPED_TAGS, INLINE_TAGS, TITLE_LEVEL, with_breaks

LIST, QUOTE, CODE, CELL = "li", "blockquote", "pre", "td"
_CODE_TAGS = frozenset(("code", "kbd", "samp", "tt"))
_MOST_IN_CELL = 60
# Parsers of Markdown give up on deep nesting, markdown-it beyond 20 elements.
_DEEPEST = 6
# Of a page that is shown: elements that are left out, the attributes that stay, and what holds text and no element.
_STRIPPED = {*DROPPED_TAGS, "base", "link", "meta"} - {"style", "option"}
_LOADING = re.compile(r"url\s*\(|@import", re.IGNORECASE)
_OF_TEXT_ALONE = ("title", "textarea")
_LOOKS = frozenset(
    (
        "align alt bgcolor border cellpadding cellspacing class color cols colspan dir disabled face height hidden id lang"
        " noshade nowrap open placeholder rows rowspan size span start style title type valign value width"
    ).split()
)
_CONTROLS = bytes(set(range(32)) - {9, 10})
_ESCAPED = re.compile(r"[\\`*\[\]<~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=[A-Za-z#])|!(?=\[|$)|#(?=#*$)")
_AT_BEGIN = re.compile(r"[#+=>-]|\d{1,9}[.)](?=\s|$)")
_UNSAFE_IN_ADDRESS = re.compile(r"[\s<>()\\|`]")
_TARGETS = re.compile(r"(?!javascript:|data:|#)\S", re.IGNORECASE)
# Digits after the day are a time.
_DATE = re.compile(r"\s*(\d{4})[-/.]?(\d\d)[-/.]?(\d\d)(?=\D|(?:\d{4}|\d{6})?(?!\d))")
_AUTHOR = "author article:author dc.creator dcterms.creator parsely-author sailthru.author".split()
_PUBLISHED = (
    "article:published_time datepublished dc.date.issued dcterms.issued dcterms.created dc.date date pubdate publishdate"
    " parsely-pub-date sailthru.date"
).split()
ABOUT = ("author", "date", "sitename", "canonical", "description")
"""What pages say of themselves."""


class Box(NamedTuple):
    """An element around a block: its kind, its number on the page, and of a list item the mark, of a cell row and column."""

    kind: str
    number: int
    mark: str = ""
    row: int = 0
    column: int = 0


class Shape(NamedTuple):
    """A block: its level as in `thresher.pages.Segments`, its text in Markdown (in PRE as it is), the boxes around it."""

    level: int
    text: str
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True)
class Structure:
    """What a page says of itself, with the members of `ABOUT`, and the shapes of its blocks."""

    about: Mapping[str, str]
    shapes: Sequence[Shape]

    def json(self) -> str:
        """Return it as JSON, for files."""
        return json.dumps([self.about, self.shapes], ensure_ascii=False)

    @classmethod
    def of_json(cls, text: str) -> Structure:
        """Return it as it was before `json`."""
        about, found = json.loads(text)
        return cls(about, [Shape(level, shown, tuple(Box(*box) for box in boxes)) for level, shown, boxes in found])


@dataclass
class _Walk:
    """A walk over the elements of a page, which collects blocks as `thresher.pages.parsing` cuts them."""

    inline: frozenset[str]
    found: list[tuple[str, Shape]] = field(default_factory=list)
    # Texts before or after a tag, with the number of their block.
    texts: list[tuple[etree._Element, str, int]] = field(default_factory=list)
    pieces: list[tuple[str, str, bool]] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    code: int = 0
    count: int = 0
    # By the number of a table: its rows, and the columns of the last one. By that of a list: its items.
    rows: dict[int, list[int]] = field(default_factory=dict)
    tables: list[int] = field(default_factory=list)
    lists: list[list[int | None]] = field(default_factory=list)

    def text(self, element: etree._Element, where: str) -> None:
        if text := getattr(element, where):
            self.texts.append((element, where, len(self.found)))
            self.pieces.append((text, self.links[-1] if self.links else "", self.code > 0))

    def end_block(self) -> None:
        words = " ".join("".join(text for text, _, _ in self.pieces).split())
        if words:
            raw = "".join(text for text, _, _ in self.pieces).strip("\n").rstrip()
            in_code = any(box.kind == CODE for box in self.boxes)
            self.found.append((words, Shape(0, raw if in_code else _inline(self.pieces), tuple(self.boxes))))
        self.pieces.clear()

    def begin(self, element: etree._Element, tag: str) -> None:
        if tag == "a":
            self.links.append(element.get("href", "").strip())
            return
        if tag in self.inline:
            self.code += tag in _CODE_TAGS
            return
        self.end_block()
        self.count += 1
        if tag in ("ul", "ol", "menu"):
            start = element.get("start", "1")
            self.lists.append([(int(start) if re.fullmatch("[0-9]{1,9}", start) else 1) if tag == "ol" else None])
        elif tag == "li":
            number = self.lists[-1][0] if self.lists else None
            if number is not None:
                self.lists[-1][0] = number + 1
            self.boxes.append(Box(LIST, self.count, "- " if number is None else f"{number % 10**9}. "))
        elif tag in (QUOTE, CODE):
            self.boxes.append(Box(tag, self.count))
        elif tag == "table":
            self.tables.append(self.count)
            self.rows[self.count] = []
        elif tag == "tr" and self.tables:
            self.rows[self.tables[-1]].append(0)
        elif tag in ("td", "th"):
            # Outside of rows it is a cell of no table.
            rows = (self.rows[self.tables[-1]] if self.tables else []) or [0]
            rows[-1] += 1
            self.boxes.append(Box(CELL, self.tables[-1] if self.tables else 0, row=len(rows), column=rows[-1]))

    def end(self, tag: str) -> None:
        if tag == "a":
            self.links.pop()
            return
        if tag in self.inline:
            self.code -= tag in _CODE_TAGS
            return
        self.end_block()
        if tag in ("ul", "ol", "menu"):
            self.lists.pop()
        elif tag == "table":
            self.tables.pop()
        elif self.boxes and self.boxes[-1].kind == (CELL if tag == "th" else tag):
            self.boxes.pop()


def shapes(root: etree._Element | None, blocks: Sequence[str], levels: Sequence[int], rule: str) -> list[Shape] | None:
    """Return the shapes of a page's blocks; None if they are not found again, as in pages too deep for libxml2.

    `root` is as by `parsed`; `rule` is that of `thresher.pages.PageOptions.blocks`; the others are those of
    `thresher.pages.Segments`.
    """
    walk = _walked(root, rule)
    if [words for words, _ in walk.found] != [*blocks]:
        return None
    found = [shape._replace(level=level) for (_, shape), level in zip(walk.found, levels, strict=True)]
    data = _data_tables(found, walk.rows)
    return [
        one._replace(boxes=tuple(box for box in one.boxes if box.kind != CELL or box.number in data)) for one in found
    ]


def _walked(root: etree._Element | None, rule: str) -> _Walk:
    walk = _Walk(INLINE_TAGS if rule == "join" else frozenset())
    if root is None:
        return walk
    steps = etree.iterwalk(root, events=("start", "end"))
    for event, element in steps:
        tag = str(element.tag)
        if event == "end":
            if tag not in DROPPED_TAGS:
                walk.end(tag)
            if element is not root:
                walk.text(element, "tail")
        elif tag in DROPPED_TAGS:
            walk.end_block()
            steps.skip_subtree()
        else:
            walk.begin(element, tag)
            walk.text(element, "text")
    walk.end_block()
    return walk


def harmless(root: etree._Element, blocks: Sequence[str], rule: str) -> str:
    """Return a page as HTML that runs, loads and links nothing, with elements X-BLOCK around the texts of each block; with
    none if the blocks are not found again. The args are those of `shapes`. What styles load is for a policy to forbid.
    """
    walk = _walked(root, rule)
    for element in root.iter():
        for name, value in element.items():
            if name not in _LOOKS and not (name == "src" and value.startswith("data:image/")):
                del element.attrib[name]
            elif name == "style":
                element.set(name, _LOADING.sub("none(", value))
        if element.tag == "style" and element.text:
            element.text = _LOADING.sub("none(", element.text)
    for element, where, block in walk.texts if [words for words, _ in walk.found] == [*blocks] else ():
        text = getattr(element, where)
        if text.isspace() or (where == "text" and element.tag in _OF_TEXT_ALONE):
            continue
        setattr(element, where, None)
        marked = etree.Element("x-block", {"data-block": str(block)})
        marked.text = text
        element.insert(0, marked) if where == "text" else element.addnext(marked)
    etree.strip_elements(root, *_STRIPPED, with_tail=False)
    return str(etree.tostring(root.getroottree(), method="html", encoding="unicode"))


def parsed(utf8: bytes) -> etree._Element | None:
    """Return the root of a page in UTF-8, with line feeds as they are; None if it has no element."""
    feeds = with_breaks(utf8.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    html = CONTROL_REFERENCE.sub(b" ", feeds.translate(bytes.maketrans(_CONTROLS, b" " * 30)))
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False)
    return etree.fromstring(html.replace(b"\x7f", b" "), parser)


def kept_blocks(blocks: Sequence[str], text: str, numbers: Iterable[int]) -> dict[int, str]:
    """Return what `markdown` takes of a cleaned page, whose text has a line for each of the `numbers` of kept blocks."""
    lines = text.split("\n") if text else []
    return {at: "" if line == blocks[at] else line for at, line in zip(numbers, lines, strict=True)}


def _data_tables(found: Sequence[Shape], rows: Mapping[int, Sequence[int]]) -> set[int]:
    """Return the tables of data, not of layout: several rows and columns, whose cells are short and have only text."""
    data = {number for number, columns in rows.items() if sum(count > 1 for count in columns) > 1}
    for level, text, boxes in found:
        cells = [at for at, box in enumerate(boxes) if box.kind == CELL]
        for at in cells:
            if at < len(boxes) - 1 or level or len(text.split()) > _MOST_IN_CELL:
                data.discard(boxes[at].number)
    return data


def _inline(pieces: Iterable[tuple[str, str, bool]]) -> str:
    line = ""
    # A link that leads nowhere must not take a run of code apart.
    for link, same in groupby(pieces, key=lambda piece: piece[1] if _TARGETS.match(piece[1]) else ""):
        text = ""
        for code, runs in groupby(same, key=lambda piece: piece[2]):
            plain = re.sub(r"\s+", " ", "".join(run[0] for run in runs))
            bare = plain.strip()
            marked = _in_backticks(bare) if code and bare else escaped(bare)
            text += plain.replace(bare, marked) if bare else plain
        bare = text.strip()
        if bare and link:
            target = _UNSAFE_IN_ADDRESS.sub(lambda match: quote(match[0], safe=""), link)
            text = text.replace(bare, f"[{bare}]({target})")
        line += text
    return re.sub("  +", " ", line).strip()


def _in_backticks(text: str) -> str:
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if "`" in (text[0], text[-1]) else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def escaped(text: str) -> str:
    """Return text that Markdown reads as it is, within a line."""
    return _ESCAPED.sub(lambda match: "\\" + match[0], text)


def markdown(shapes: Sequence[Shape], kept: Mapping[int, str]) -> str:
    """Return the kept blocks of a page as Markdown; `kept` has the texts of blocks of which only a part is kept, else "".

    Titles are headings of the first level. A list item, quote or row whose first blocks are dropped begins with the next.
    """
    out: list[str] = []
    around: tuple[Box, ...] = ()
    tight = False
    blocks = ((shapes[at].boxes, at, text) for at, text in kept.items())
    for boxes, same in groupby(blocks, key=lambda block: _of_group(block[0], block[1])):
        outer = tuple(box for box in boxes if isinstance(box, Box) and box.kind in (LIST, QUOTE))[:_DEEPEST]
        lines = _lines([(shapes[at], part) for _, at, part in same])
        shared = 0
        while shared < min(len(outer), len(around)) and outer[shared] == around[shared]:
            shared += 1
        new = outer[shared:]
        listed = bool(new) and new[0].mark == "- " and tight
        before, after = _indent(outer[:shared]), _indent(outer)
        if out and not listed:
            out.append(before.rstrip())
        out.append(before + "".join(box.mark or "> " for box in new) + lines[0])
        out += [(after + line).rstrip() for line in lines[1:]]
        around, tight = outer, bool(outer) and outer[-1].kind == LIST and len(lines) == 1
    return "\n".join(out)


def _of_group(boxes: tuple[Box, ...], at: int) -> tuple[Box | int, ...]:
    """Return what blocks share that are rendered together: their PRE or table; others are alone."""
    inner = boxes[-1] if boxes else None
    if inner is not None and inner.kind == CELL:
        return (*boxes[:-1], inner.number)
    return boxes if any(box.kind == CODE for box in boxes) else (*boxes, -1 - at)


def _indent(boxes: Iterable[Box]) -> str:
    return "".join(" " * len(box.mark) if box.mark else "> " for box in boxes)


def _lines(group: Sequence[tuple[Shape, str]]) -> list[str]:
    """Return the lines of a group, without the marks of the boxes around it; at least one."""
    (level, text, boxes), part = group[0]
    if any(box.kind == CODE for box in boxes):
        code = "\n".join(part or shape.text for shape, part in group)
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
        return [fence, *code.split("\n"), fence]
    if boxes and boxes[-1].kind == CELL:
        return [*_table([(shape.boxes[-1], escaped(part) or shape.text) for shape, part in group])]
    text = escaped(part) or text
    if level:
        return [f"{'#' * (1 if level == TITLE_LEVEL else level)} {text}"]
    begin = _AT_BEGIN.match(text)
    return [text if begin is None else f"{text[: begin.end() - 1]}\\{text[begin.end() - 1 :]}"]


def _table(cells: Sequence[tuple[Box, str]]) -> Iterator[str]:
    rows: dict[int, dict[int, str]] = {}
    for box, text in cells:
        row = rows.setdefault(box.row, {})
        row[box.column] = " ".join(filter(None, (row.get(box.column, ""), text.replace("|", "\\|"))))
    columns = range(1, 1 + max(max(row) for row in rows.values()))
    for number, row in enumerate(rows.values()):
        yield f"| {' | '.join(row.get(column, '') for column in columns)} |"
        if not number:
            yield f"|{' --- |' * len(columns)}"


def about_page(root: etree._Element | None, url: str | None) -> dict[str, str]:
    """Return what a page, as by `parsed`, says of itself: the members of `ABOUT` that it has.

    From META and LINK (Open Graph, Dublin Core) and schema.org's JSON-LD and microdata. Of several descriptions it is the
    longest. Dates are those that pages declare, as ISO 8601 days; addresses are absolute if `url` is known.
    """
    if root is None:
        return {}
    metas: dict[str, str] = {}
    for meta in root.iter("meta"):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop") or ""
        if content := " ".join((meta.get("content") or "").split()):
            metas.setdefault(name.lower(), content)
    scripts = root.xpath("//script[starts-with(@type, 'application/ld+json')]")
    entries = [entry for script in scripts for entry in _entries(script.text or "")]
    links = {rel: link.get("href", "") for link in root.iter("link") for rel in (link.get("rel") or "").lower().split()}
    times = root.xpath("//*[@itemprop='datePublished' or self::time[@pubdate]]")
    dates = [each.get("datetime") or each.get("content") or each.text or "" for each in times]
    canonical = (links.get("canonical") or metas.get("og:url", "")).strip()
    base = next((base.get("href", "") for base in root.iter("base")), "")
    authors = (*map(metas.get, _AUTHOR), *_named(entries, "author"))
    found: dict[str, str | None] = {
        "author": next((name for name in authors if name and "://" not in name), ""),
        "date": next(
            filter(None, map(_day, (*map(metas.get, _PUBLISHED), *_named(entries, "datePublished"), *dates))), ""
        ),
        "sitename": metas.get("og:site_name")
        or next(_named(entries, "publisher"), "")
        or metas.get("application-name"),
        "description": max((metas.get(f"{kind}description", "") for kind in ("", "og:", "twitter:")), key=len),
    }
    with suppress(ValueError):  # it is no address
        found["canonical"] = urljoin(urljoin(url or "", base.strip()), canonical) if canonical else ""
    return {name: value for name, value in found.items() if value}


def _day(text: str | None) -> str:
    match = _DATE.match(text or "")
    try:
        return date(*map(int, match.groups())).isoformat() if match else ""
    except ValueError:
        return ""


def _entries(script: str) -> list[dict[str, Any]]:
    """Return the objects of a JSON-LD script, also those of a graph; none if it is broken."""
    try:
        found: Any = json.loads(script)
    except (ValueError, RecursionError):
        return []
    listed = found if isinstance(found, list) else [found]
    graphs = [entry.get("@graph") for entry in listed if isinstance(entry, dict)]
    inside = [each for graph in graphs if isinstance(graph, list) for each in graph]
    return [entry for entry in (*listed, *inside) if isinstance(entry, dict)]


def _named(entries: Iterable[Mapping[str, Any]], member: str) -> Iterator[str]:
    for entry in entries:
        value = entry.get(member)
        value = value[0] if isinstance(value, list) and value else value
        value = value.get("name") if isinstance(value, dict) else value
        if isinstance(value, str) and value.strip():
            # JSON may have a half of a surrogate pair.
            yield " ".join(value.split()).encode("utf-8", "replace").decode()
