"""Topics in XML: of the Web, Session, Clinical Decision Support, Precision Medicine, Clinical Trials and other tracks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import name2codepoint
from pathlib import Path

from lxml import etree

from thresher.base.errors import InputError
from thresher.evaluation.topic_fields import TITLE, Fields, ReadTopic, only

_ID_ATTRIBUTES = ("number", "num", "id", "qid")
_ID_CHILDREN = ("number", "num", "id", "qid")
_OF_XML = ("amp", "lt", "gt", "quot", "apos")
# In sections of character data and comments nothing is markup.
_SLIP = re.compile(
    r"(?P<literal><!\[CDATA\[.*?\]\]>|<!--.*?-->)"
    r"|&(?P<name>[A-Za-z][A-Za-z0-9]*);|(?P<ampersand>&)(?!#?[A-Za-z0-9_.:-]+;)|(?P<less><)(?=[\s\d=<])",
    re.DOTALL,
)
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_SEVERAL_ROOTS = "Extra content at the end of the document"


def xml_topics(text: str, path: Path) -> Iterator[ReadTopic]:
    """Yield the topics of a file of XML.

    A topic is an element TOPIC, TOP or SESSION, else each child of the root. Its id is an attribute or a child. Its fields
    are its other attributes and children, or its text if it has no children. Slips that other readers repair are repaired:
    `&` and `<` that begin no markup, HTML's entities, several roots.
    """
    offset = text[: len(text) - len(text.lstrip())].count("\n")
    root = _parsed(text.strip(), offset, path)
    for topic in _topics(root):
        line = (topic.sourceline or 1) + offset
        where = f"{path}:{line}"
        ids = _ids(topic)
        ids_of_children: list[str] = []
        fields: Fields = []
        all_fields = _fields(topic)
        if _name(topic) == "session":
            all_fields = _session_fields(topic)
        for name, text_of_field in all_fields:
            if name in _ID_CHILDREN:
                ids_of_children.append(text_of_field)
            elif text_of_field.strip():
                fields.append((name, text_of_field))
        yield ReadTopic(only(ids or ids_of_children, "number", where).strip(), fields, line)


def _parsed(text: str, offset: int, path: Path) -> etree._Element:
    text = _repaired(text)
    try:
        return _root(text)
    except etree.XMLSyntaxError as error:
        if error.msg and error.msg.startswith(_SEVERAL_ROOTS):
            try:
                return _root(f"<topics>{_DECLARATION.sub('', text, count=1)}</topics>")
            except etree.XMLSyntaxError:
                pass
        reason = re.sub(r",? (see xml\w+\.,? ?)?line \d+, column \d+.*", "", error.msg or "", flags=re.DOTALL)
        line = (error.lineno or 1) + offset
        raise InputError(f"it is not well-formed XML ({reason})", "repair it there", f"{path}:{line}") from error


def _root(text: str) -> etree._Element:
    # Nothing is fetched, no file is opened, and libxml2 bounds the expansion of entities.
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities="internal", no_network=True, remove_comments=True, remove_pis=True
    )
    return etree.fromstring(text.encode("utf-8"), parser)


def _repaired(text: str) -> str:
    """Return XML whose characters `&` and `<` are escaped where they begin no markup; entities that a file declares
    itself stay.
    """
    declares = "<!ENTITY" in text

    def repair(slip: re.Match[str]) -> str:
        name = slip["name"]
        if name and name not in _OF_XML and name in name2codepoint and not declares:
            return f"&#{name2codepoint[name]};"
        if slip["ampersand"]:
            return "&amp;"
        if slip["less"]:
            return "&lt;"
        return slip[0]

    return text if declares else _SLIP.sub(repair, text)


def _ids(topic: etree._Element) -> list[str]:
    """Return the ids that attributes of a topic hold."""
    ids: list[str] = []
    for name in _ID_ATTRIBUTES:
        id = topic.get(name)
        if id:
            ids.append(id)
    return ids


def _topics(root: etree._Element) -> list[etree._Element]:
    for names in (("session",), ("topic", "top")):
        topics = [element for element in root.iter() if _name(element) in names]
        if topics:
            return topics
    children = _children(root)
    if any(_name(child) in _ID_CHILDREN for child in children):
        # A file of one topic, which needs no element around it.
        return [root]
    return children


def _children(element: etree._Element) -> list[etree._Element]:
    """Return the elements in an element, without comments and processing instructions."""
    return [child for child in element if isinstance(child.tag, str)]


def _name(element: etree._Element) -> str:
    if not isinstance(element.tag, str):
        return ""
    name: str = etree.QName(element).localname
    return name.lower()


def _fields(topic: etree._Element) -> Fields:
    children = _children(topic)
    if not children:
        return [(TITLE, "".join(topic.itertext()))]
    fields: Fields = []
    for child in children:
        # Clinical Trials 2023: <field name="diagnosis">.
        name = _name(child)
        if name == "field":
            name = child.get("name", "").lower()
        if name != "subtopic":
            fields.append((name, "".join(child.itertext())))
    # Dynamic Domain: <topic name="the query">.
    names = {name for name, _ in fields}
    for attribute, value in topic.attrib.items():
        name = str(attribute)
        if name not in _ID_ATTRIBUTES and name not in names:
            fields.append((name, str(value)))
    return fields


def _session_fields(session: etree._Element) -> Fields:
    """Return the current query of a session as its title, and the fields of the topic that it is about as `topic_...`."""
    fields: Fields = []
    for element in session.iter():
        if _name(element) == "currentquery":
            for child in element:
                if _name(child) == "query":
                    fields.append((TITLE, "".join(child.itertext())))
        elif _name(element) == "topic":
            for name, value in _fields(element):
                fields.append((f"topic_{name}", value))
    return fields
