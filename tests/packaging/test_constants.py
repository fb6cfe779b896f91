"""Numbers that a module fixes carry a reason: a comment on the line or above it, or a text below it.

``python tests/packaging/test_constants.py`` lists those that have none.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

if __package__:
    from .rooms import ROOT, sources
else:
    from rooms import ROOT, sources

_CYTHON = re.compile(
    r"(?:cdef\s+(?:enum:\s*)?(?:\w+\s+)?)?(_?[A-Z][A-Z0-9_]*)\s*=\s*"
    r"-?[\d.]+(?:[eE][-+]?\d+)?\s*(?:[-+*/].*|<<\s*\d+)?$"
)


def numbers(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of each constant of a module whose value is a number, or several."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        limits = False  # inside of an enumeration without a name or a comment: others number cases
        for number, line in enumerate(text.splitlines(), 1):
            limits = line.rstrip() == "cdef enum:" or (limits and line.startswith("    "))
            if found := _CYTHON.match(line.partition("#")[0].strip() if limits else line.partition("#")[0].rstrip()):
                yield number, found[1]
        return
    for node in ast.parse(text).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and all(isinstance(t, ast.Name) and t.id.strip("_").isupper() for t in target.elts)
        ):
            values = [v.value for v in value.elts if isinstance(v, ast.Constant)]
            if any(isinstance(v, float) for v in values):  # integers are codes
                yield node.lineno, ", ".join(t.id for t in target.elts)
        elif isinstance(target, ast.Name) and target.id.strip("_").isupper() and value and _is_number(value):
            yield node.lineno, target.id


def _is_number(value: ast.expr) -> bool:
    """Whether an expression is made of numbers alone, at least one of them written out."""
    parts = list(ast.walk(value))
    allowed = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.Tuple, ast.List, ast.Load)
    constants = [part.value for part in parts if isinstance(part, ast.Constant)]
    return (
        bool(constants)
        and all(isinstance(part, allowed) for part in parts)
        and all(isinstance(c, int | float) and not isinstance(c, bool) for c in constants)
    )


def without_reason(path: Path) -> list[tuple[int, str]]:
    """The constants of a module beside which nothing says why they have this value."""
    lines = ["", *path.read_text(encoding="utf-8").splitlines(), "", ""]
    return [
        (number, name)
        for number, name in numbers(path)
        if "#" not in lines[number]
        and not lines[number - 1].lstrip().startswith("#")
        and not lines[number + 1].startswith(('"""', 'r"""'))
    ]


def test_a_number_without_reason_is_found(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        'A = 1e-9\nB = 2 * 3  # why\n# why\nC = -1\nD = 4\n"""Why."""\nE = "text"\n_F: int = 3\nG, H = 1, 2\n'
    )
    assert [name for _, name in without_reason(path)] == ["A", "_F"]
    path = tmp_path / "part.pxi"
    path.write_text(
        "cdef enum Case:\n    OPEN = 0\n\ncdef enum:\n    A = 3\n    B = 1 << 4\n    C = 5  # why\n\ncdef int D = 2\n"
    )
    assert [name for _, name in without_reason(path)] == ["A", "B", "D"]


def test_numbers_carry_a_reason():
    found = [(str(path.relative_to(ROOT)), *constant) for path in sources() for constant in without_reason(path)]
    assert not found, "give each number its reason: a comment that says why it is this one"


if __name__ == "__main__":
    for path in sources():
        for number, name in without_reason(path):
            print(f"{path.relative_to(ROOT.parent)}:{number}: {name}")
