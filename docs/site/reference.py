"""Pages of the reference, from docstrings: one for each public name, one for each module of functions."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from itertools import pairwise
from typing import Any

from staging import DOCS, contents

import nsdgen as nsd

__all__ = ["LAWS", "MODULES", "added", "folder", "pages"]

GROUPS = nsd._GROUPS
LAWS, SCHEMES = list(GROUPS["laws"]), list(GROUPS["schemes"])
MODULES = {
    "errors": "nsdgen.errors",
    "rotations": "nsdgen.rotations",
    "shapes": "nsdgen.shapes",
    "solids": "nsdgen.solids",
    "solvers": "nsdgen.solvers",
    "study": "nsdgen.study",
    "verify": "nsdgen.verify",
    "extend": "nsdgen.extend",
}
ANALYSIS = (
    "analysis.Analysis",
    "step_problem.OneStepProblem",
    "linear_model.Equilibrium",
    "linear_model.Linearisation",
    "linear_model.Mode",
)
USED = {
    *("copies", "of", "coordinate", "state", "output", "input", "q", "v", "x", "y", "point", "points", "rotation"),
    *("apply_force", "apply_moment", "angle", "displacement", "rate", "freedom", "limits", "spring", "friction"),
    *("motor", "of_box", "interval", "frame", "position", "axis", "velocity", "angular_velocity"),
}
"""Members that a model's author calls; others are for those who extend nsdgen. Of a model and a trajectory: all."""
WHOLE = {"Model", "Trajectory", "Sketch", "Parameter"}


_PLAIN = {ord(c): f"\\{c}" for c in "|[]*_<>"}


def folder(name: str) -> str:
    """Where the page of a public name lies, below reference/."""
    return "laws" if name in LAWS else "schemes" if name in SCHEMES else "api"


def _first(text: str | None) -> str:
    """The first sentence of a docstring, for lists."""
    sentence = re.split(r"(?<=[.:])\s", " ".join((text or "").split()), maxsplit=1)[0]
    return re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"`\1`", sentence.rstrip(".:")).replace("``", "`").translate(_PLAIN)


def _members(name: str, kind: type) -> list[str]:
    """The members of a class that its page shows: what a class with a page of its own hands on stands there."""
    found = []
    for member in dir(kind):
        owner = next((base for base in kind.__mro__ if member in vars(base)), type)
        value = inspect.getattr_static(kind, member)
        public = owner is kind or owner.__name__ not in nsd._HOMES
        shown = not member.startswith("_") and (member in USED or name in WHOLE)
        if public and shown and (callable(value) or isinstance(value, property | classmethod | staticmethod)):
            found.append(member)
    return found


def _constant(module: str, name: str) -> str:
    """The text below an assignment of a module."""
    body = ast.parse(inspect.getsource(importlib.import_module(module))).body
    for line, text in pairwise(body):
        if isinstance(line, ast.Assign) and getattr(line.targets[0], "id", "") == name and isinstance(text, ast.Expr):
            return " ".join(ast.literal_eval(text.value).split())
    return ""


def _rst(lines: list[str]) -> str:
    return "\n".join(["```{eval-rst}", *lines, "```", ""])


def _object(path: str, value: Any) -> str:
    """What autodoc is to show of an object."""
    name = path.rpartition(".")[2]
    if inspect.isclass(value):
        members = _members(name, value)
        return _rst([f".. autoclass:: {path}", *([f"   :members: {', '.join(members)}"] if members else [])])
    if callable(value):
        return _rst([f".. autofunction:: {path}"])
    return _rst([f".. py:data:: {path}", "", f"   {_constant(nsd._HOMES[name], name)}"])


def _rows(page: str, start: str) -> list[list[str]]:
    """The cells of the rows of a written table below a heading row that begins so."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(start))
    rows = []
    for line in [lines[first], *lines[first + 2 :]]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


def _law(name: str) -> str:
    """What a law means on relations, and the schemes that take it, from the written tables."""
    out = []
    for _, means, contact, first_order in (r for r in _rows("reference/laws.md", "| law | means") if _of(r[0], name)):
        out += [
            "",
            f"{means}.",
            "",
            f"* On a contact: {contact}",
            f"* On a relation by output and reaction: {first_order}",
            "",
        ]
    heads, *rows = _rows("reference/laws_under_schemes.md", "| law | `MoreauJean`")
    for row in (r for r in rows if _of(r[0], name)):
        takes = [head for head, cell in zip(heads[1:], row[1:], strict=True) if cell == "yes"]
        refuse = [head for head, cell in zip(heads[1:], row[1:], strict=True) if cell != "yes"]
        out += [f"* {row[0]}: under {', '.join(takes)}" + (f"; refused by {', '.join(refuse)}" if refuse else "")]
    if not name.startswith(("Newton", "Fremond", "Poisson", "Multiple")):
        out += ["* First-order systems: under `ThetaGamma` and `ZeroOrderHold`"]
    return ("\n## What it means, and where\n" + "\n".join(out) + "\n").replace("](../", "](../../")


def _of(cell: str, name: str) -> bool:
    return re.match(rf"`{name}\(", cell) is not None


def _scheme(name: str) -> str:
    """Signature, orders, laws and source of a scheme, below what is written of it."""
    kind = getattr(nsd, name)
    out = ["", "## In Python", "", _object(f"nsdgen.{name}", kind)]
    orders = [row for row in _rows("reference/orders.md", "| scheme | smooth")[1:] if _of(row[0], name)]
    if orders:
        out += ["## Orders", "", "| | smooth | constrained | with impacts |", "|---|---|---|---|"]
        out += [f"| {' | '.join(row)} |" for row in orders]
        out += ["", "[Orders and energies of schemes](../orders.md) says what was measured.", ""]
    heads, *rows = _rows("reference/laws_under_schemes.md", "| law | `MoreauJean`")
    if f"`{name}`" in heads:
        place = heads.index(f"`{name}`")
        out += ["## Laws", "", "Takes " + ", ".join(row[0] for row in rows if row[place] == "yes") + ".", ""]
        if refused := [row[0] for row in rows if row[place] != "yes"]:
            out += ["Refuses " + ", ".join(refused) + ".", ""]
    source = importlib.import_module(nsd._HOMES[name]).__doc__ or ""
    return "\n".join([*out, "## As its file states it", "", f"```text\n{source.strip()}\n```", ""])


def added(name: str) -> str:
    """What is added to a written page: to schemes their signature and tables, to pages of modules their functions."""
    where, _, stem = name.removesuffix(".md").rpartition("/")
    if where == "reference/schemes" and stem in SCHEMES:
        return _scheme(stem)
    if name == f"reference/{stem}.md" and stem in MODULES:
        return _module(stem)
    if name == "reference/laws.md":
        return contents([f"laws/{law}.md" for law in LAWS])
    return "* [Public names](names.md): everything in `nsd`\n" if name == "reference/index.md" else ""


def _ours(value: Any) -> bool:
    """A class or function of nsdgen's own; constants and names of types are not shown by themselves."""
    return callable(value) and str(getattr(value, "__module__", "")).startswith("nsdgen")


def _loaded(stem: str) -> Any:
    """A module of functions: an attribute of nsdgen, or a file of its own."""
    return getattr(nsd, stem) if stem in nsd._MODULES else importlib.import_module(MODULES[stem])


def _module(stem: str) -> str:
    module = _loaded(stem)
    names = [n for n in module.__all__ if n not in nsd._HOMES and _ours(getattr(module, n))]
    return "\n" + "\n".join(_object(f"{MODULES[stem]}.{n}", getattr(module, n)) for n in names)


def _index() -> str:
    """Lists of all names, each with its first sentence."""
    out = ["# Public names"]
    for group, names in GROUPS.items():
        out += ["", f"## {group.capitalize()}", ""]
        for name in sorted(names):
            value = getattr(nsd, name)
            text = inspect.getdoc(value) if callable(value) else _constant(nsd._HOMES[name], name)
            out.append(f"* [`nsd.{name}`]({folder(name)}/{name}.md): {_first(text)}")
    modules = sorted(stem for stem in [*MODULES, "analysis"] if not _written(stem))
    out += ["", "## Modules", "", *(f"* [`nsd.{stem}`](api/{stem}.md)" for stem in modules), ""]
    listed = [f"api/{name}.md" for name in nsd._HOMES if folder(name) == "api"]
    return "\n".join([*out, contents([*listed, *(f"api/{stem}.md" for stem in modules)])])


def _written(stem: str) -> bool:
    return (DOCS / "reference" / f"{stem}.md").exists()


def _title(name: str) -> str:
    return f"# {name}\n\n"


def pages() -> dict[str, str]:
    """The pages that are not written: by path, their text."""
    found = {f"reference/{folder(n)}/{n}.md": _title(n) + _object(f"nsdgen.{n}", getattr(nsd, n)) for n in nsd._HOMES}
    found = {path: text + (_law(_stem(path)) if "/laws/" in path else "") for path, text in found.items()}
    for stem in MODULES:
        if not _written(stem):
            found[f"reference/api/{stem}.md"] = _title(stem) + f"{_first(_loaded(stem).__doc__)}.\n" + _module(stem)
    analysed = "\n".join(_rst([f".. autoclass:: nsdgen.analysis.{name}", "   :members:"]) for name in ANALYSIS)
    found["reference/api/analysis.md"] = (
        _title("analysis") + "What a model says of itself before and beside runs.\n\n" + analysed
    )
    written = {path for path in found if (DOCS / path).exists()}
    return {path: text for path, text in found.items() if path not in written} | {"reference/names.md": _index()}


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
