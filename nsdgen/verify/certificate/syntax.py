"""What texts say before they are multiplied out: their syntax, and the signs that they need in order to be defined."""

import ast
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

SAID = {
    "given": frozenset({0}),
    "nonzero": frozenset({-1, 1}),
    "positive": frozenset({1}),
    "nonnegative": frozenset({0, 1}),
}
"""What a part of a claim says of texts, as signs; of a matrix -1 or 1 says that it has an inverse."""


@lru_cache(maxsize=2048)
def parsed(text: str) -> Any:
    """The syntax of a text."""
    return ast.parse(text, mode="eval").body


def needed(texts: Iterable[str], real: bool) -> dict[str, list[str]]:
    """The signs that parts of texts have where these are defined; what stands in a choice need not be."""
    found: dict[str, dict[str, None]] = {kind: {} for kind in SAID}
    nodes = [parsed(t) for t in texts]
    for e in nodes:  # grows
        below = e.right if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Div) else None
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Name):
            kind = {"inv": "nonzero", "root": "nonnegative", "log": "positive"}.get(e.func.id)
            if kind and e.args and (real or kind == "nonzero"):
                found[kind][ast.unparse(e.args[0])] = None
            nodes += e.args[:1] if e.func.id == "choose" else e.args
        else:
            nodes += [n for n in ast.iter_child_nodes(e) if isinstance(n, ast.expr)]
        if below is not None and any(isinstance(n, ast.Name) for n in ast.walk(below)):
            found["nonzero"][ast.unparse(below)] = None
    return {kind: list(own) for kind, own in found.items()}


def goal_text(goal: Sequence[Any]) -> str:
    """The difference of both sides of a goal, as the checker writes it."""
    left, right = (ast.unparse(parsed(t)) for t in goal[1:3])
    return f"({left}) - ({right})"
