"""XML whose elements know their lines, and tables of what a format knows: everything else is named, with its line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from nsdgen.base.suggest import nearest
from nsdgen.errors import ModelError

_LISTED = 12  # lines of a message that are read


@dataclass(frozen=True, eq=False)
class Element:
    """An element: tag, attributes, children, and where it stands."""

    tag: str
    attributes: dict[str, str]
    source: str
    line: int
    children: list[Element] = field(default_factory=list)

    @property
    def where(self) -> str:
        """File, line and tag."""
        name = self.attributes.get("name")
        return f"{self.source}, line {self.line}, <{self.tag}{f' name={name!r}' if name else ''}>"

    def all(self, *tags: str) -> Iterator[Element]:
        """The children of these tags, in the order of the file."""
        return (child for child in self.children if child.tag in tags)

    def one(self, tag: str) -> Element | None:
        """The child of this tag, if there is one; raises ``ModelError`` for several."""
        found = list(self.all(tag))
        if len(found) > 1:
            raise ModelError(
                f"has {len(found)} elements <{tag}>, the second in line {found[1].line}",
                where=self.where,
                fix="leave one",
            )
        return found[0] if found else None

    def needed(self, tag: str, fix: str) -> Element:
        """The child of this tag."""
        found = self.one(tag)
        if found is None:
            raise ModelError(f"has no <{tag}>", where=self.where, fix=fix)
        return found

    def text(self, key: str, default: str | None = None) -> str:
        """An attribute; raises ``ModelError`` where it is absent and has no default."""
        found = self.attributes.get(key, default)
        if found is None:
            raise ModelError(f"has no attribute {key!r}", where=self.where, fix=f'add {key}="..."')
        return found

    def named(self, name: str, there: Mapping[str, Any]) -> str:
        """A name of its own; raises ``ModelError`` where what has it is there, which says ``where``."""
        if name in there:
            raise ModelError(
                f"the {self.tag} {name!r} is there already: {there[name].where}",
                where=self.where,
                fix="give each its own name",
            )
        return name

    def choice(self, key: str, known: Sequence[str], default: str | None = None) -> str:
        """An attribute that is one of some words."""
        found = self.text(key, default)
        if found not in known:
            raise ModelError(
                f"{key} is {found!r}",
                where=self.where,
                fix=f"{nearest(found, known)} it is one of {', '.join(known)}".strip(),
            )
        return found

    def flag(self, key: str) -> bool:
        """An attribute that is true, unless it says false."""
        return self.choice(key, ("true", "false"), "true") == "true"

    def numbers(self, key: str, count: int | range, default: Sequence[float] | None = None) -> list[float]:
        """An attribute of so many finite numbers, ``default`` where it is absent."""
        given = self.attributes.get(key)
        if given is None and default is not None:
            return list(default)
        words = self.text(key).split()
        try:
            found = [float(word) for word in words]
        except ValueError:
            found = [math.nan]
        wrong = not all(map(math.isfinite, found))
        if wrong or (len(found) not in count if isinstance(count, range) else len(found) != count):
            expected = f"{count[0]} to {count[-1]} numbers" if isinstance(count, range) else f"{count} numbers"
            raise ModelError(
                f"{key} is {given!r}",
                where=self.where,
                fix="give one finite number" if count == 1 else f"give {expected}, finite, with blanks between them",
            )
        return found

    def number(self, key: str, default: float | None = None) -> float:
        """An attribute of one finite number."""
        return self.numbers(key, 1, None if default is None else [default])[0]


Vocabulary = Mapping[str, tuple[str, str]]
"""Of each tag, or ``parent/tag`` where it means something else there: its attributes and the tags inside, as words."""

UNREAD = ("", "*")
"""Of a tag that says nothing of motion, whatever is inside: of pictures, of memory."""


def path_of(given: str | Path) -> Path:
    """The path of a file; raises ``ModelError`` for what is none."""
    try:
        return Path(given)
    except TypeError:
        raise ModelError(
            f"{given!r} cannot be read", where="robot", fix="give the path of a file, or the text of one"
        ) from None


def read_xml(given: str | Path) -> Element:
    """The root of a file, or of a text that begins with ``<``; raises ``ModelError`` for what is no XML."""
    if isinstance(given, str) and given.lstrip().startswith("<"):
        source, text = "text", given.lstrip()
    else:
        path = path_of(given)
        source = path.name
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(
                f"cannot be read: {error}", where=str(given), fix="give the path of a file, or the text of one"
            ) from None
    top = Element("", {}, source, 0)
    open_elements, parser = [top], expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, source, parser.CurrentLineNumber)
        open_elements[-1].children.append(element)
        open_elements.append(element)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: open_elements.pop()
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise ModelError(
            f"is no XML: {expat.ErrorString(error.code)}",
            where=f"{source}, line {error.lineno}",
            fix="correct it there; a xacro file is expanded first: xacro robot.xacro > robot.urdf",
        ) from None
    return top.children[0]


def refuse_unknown(root: Element, known: Vocabulary, without: Sequence[str], format_: str) -> Element:
    """The root without what is unknown and ``without`` lists; raises ``ModelError`` that names the rest with its line.

    ``without`` holds ``tag`` or ``parent/tag``, and ``tag/@attribute``; what is known where it stands stays.
    """
    strange: dict[str, list[int]] = {}

    def said(what: str, line: int) -> None:
        strange.setdefault(what, []).append(line)

    def kept(element: Element, words: tuple[str, str]) -> Element:
        attributes = {}
        for key, value in element.attributes.items():
            if key in words[0].split():
                attributes[key] = value
            elif f"{element.tag}/@{key}" not in without and key.partition(":")[0] != "xmlns":
                said(f"{element.tag}/@{key}", element.line)
        children: list[Element] = []
        for child in element.children:
            path = f"{element.tag}/{child.tag}"
            inside = known.get(path) or known.get(child.tag)
            if inside is not None and child.tag in words[1].split():
                children.extend([kept(child, inside)] if inside is not UNREAD else ())
            elif child.tag not in without and path not in without:
                said(path if child.tag in known else child.tag, child.line)
        return Element(element.tag, attributes, element.source, element.line, children)

    found = kept(root, known[root.tag])
    if strange:
        shown = [
            f"{what} (line{'s' if len(at) > 1 else ''} {', '.join(map(str, at[:3]))}{', ...' if len(at) > 3 else ''})"
            for what, at in list(strange.items())[:_LISTED]
        ]
        more = f"; and {len(strange) - _LISTED} others" if len(strange) > _LISTED else ""
        raise ModelError(
            f"what is read of {format_} does not have {'; '.join(shown)}{more}",
            where=root.source,
            fix="expand it first: xacro robot.xacro > robot.urdf"
            if any(tag.startswith("xacro:") for tag in strange)
            else f"correct it; where it does not matter leave it out: without={sorted(strange)}",
        )
    return found
