"""A Sphinx extension: names in code spans lead to their pages, and text in docstrings is taken as it stands."""

from __future__ import annotations

import inspect
import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

import nsdgen as nsd

_CALLED = re.compile(r"(?:nsd\.|nsdgen\.)?([A-Za-z_][\w.]*)(?:\(.*\))?$", re.S)
_OWNERS = {"model": "Model", "trajectory": "Trajectory", "joint": "Joint"}
_MODULES = ("solvers", "verify", "rotations", "shapes", "solids", "errors", "study", "extend")
_SPANS = re.compile(
    r"((?m:^ *\* )|``.*?``|:\w+:`[^`]*`|`[^`]*`_*|\*\*[^*]+\*\*|(?<![\w*])\*[^\s*](?:[^*]*[^\s*])?\*(?![\w*]))", re.S
)


def target(text: str) -> str | None:
    """The full name of what a code span speaks of: ``MoreauJean(theta=1)`` of ``nsdgen.MoreauJean``."""
    found = _CALLED.match(text)
    if not found:
        return None
    first, *rest = found[1].split(".")
    if first in nsd._HOMES and not rest and (first[0].isupper() or text.startswith("nsd.")):
        return f"nsdgen.{first}"
    if first in _OWNERS and len(rest) == 1 and hasattr(getattr(nsd, _OWNERS[first]), rest[0]):
        return f"nsdgen.{_OWNERS[first]}.{rest[0]}"
    if first in _MODULES and rest and rest[0] in getattr(getattr(nsd, first, None), "__all__", ()):
        return f"nsdgen.{first}.{rest[0]}"
    if not rest and first in nsd.errors.__all__ and first[0].isupper():
        return f"nsdgen.errors.{first}"
    return f"nsdgen.solvers.{first}" if not rest and first.startswith("solve_") else None


def link(app: Sphinx, doctree: nodes.document) -> None:
    """The first code span of each name in a section becomes a reference."""
    seen: set[tuple[Any, str]] = set()
    for span in list(doctree.findall(nodes.literal)):
        goal = target(span.astext())
        section = span
        while section.parent is not None and not isinstance(section, nodes.section):
            if isinstance(section, nodes.reference | nodes.title | pending_xref):
                goal = None
            section = section.parent
        if goal is None or (id(section), goal) in seen:
            continue
        seen.add((id(section), goal))
        reference = pending_xref("", refdomain="py", reftype="obj", reftarget=goal, refdoc=app.env.docname)
        span.replace_self(reference)
        reference += span


def literally(text: str) -> str:
    """A text in which bars, stars that embrace nothing, and underscores at the end of words, are no marks."""
    marks = re.compile(r"(\||\*|(?<=\w)_(?=\W|$))")
    return "".join(p if _SPANS.fullmatch(p) else marks.sub(r"\\\1", p) for p in _SPANS.split(text))


def take_literally(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Bars and stars in docstrings are absolute values and products, not marks of reStructuredText."""
    lines[:] = literally("\n".join(lines)).split("\n")


def signed(app: Any, what: str, name: str, obj: Any, options: Any, signature: str, returned: str) -> tuple[str, str]:
    """The arguments of a class are those of its constructor, also where it is checked on the way there."""
    if what != "class":
        return signature, returned
    arguments = inspect.signature(obj).parameters.values()
    bare = [argument.replace(annotation=inspect.Parameter.empty) for argument in arguments]
    return str(inspect.Signature(bare)).replace("<factory>", "nsd.Newton()"), ""


def at_home(app: Sphinx, env: Any, node: pending_xref, child: nodes.Node) -> nodes.Node | None:
    """A reference to the module where a public name is defined leads to the page of the name."""
    name = node.get("reftarget", "").rpartition(".")[2]
    if name not in nsd._HOMES or node.get("reftarget") == f"nsdgen.{name}":
        return None
    return env.get_domain("py").resolve_xref(env, node["refdoc"], app.builder, "obj", f"nsdgen.{name}", node, child)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", link)
    app.connect("autodoc-process-docstring", take_literally)
    app.connect("autodoc-process-signature", signed)
    app.connect("missing-reference", at_home)
    return {"parallel_read_safe": True}
