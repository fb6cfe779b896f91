"""Merging: prototypes whose expressions agree become one class.

Two prototypes agree when their expressions do after renaming the symbols in *slot order* (variables,
multipliers, constructor arguments, then parameters in the model's order), confirmed by ``==``. Slot order is
declared, never read off a traversal of expressions, so merging cannot depend on hash seeds.
"""

from typing import TypeVar

import sympy as sp

from nsdgen.symbolic.families.system_class import SystemClass
from nsdgen.symbolic.relations.relation_class import RelationClass

Class = TypeVar("Class", SystemClass, RelationClass)


def merge(candidate: Class, known: list[Class]) -> int:
    """The number of the class in ``known`` that ``candidate`` is; a new one is added at the end.

    Parameter *symbols* are compared by slot, so that two balls whose masses are called
    m1 and m2 share kernels when m1 and m2 stand at the same slot.
    """
    for number, other in enumerate(known):
        if _same(candidate, other):
            return number
    known.append(candidate)
    return len(known) - 1


def _same(a: Class, b: Class) -> bool:
    if len(a.symbols) != len(b.symbols) or any(
        s.assumptions0 != r.assumptions0 for s, r in zip(a.symbols, b.symbols, strict=True)
    ):
        return False
    if a.shape != b.shape:
        return False
    ours, theirs = a.expressions(), b.expressions()
    if len(ours) != len(theirs):
        return False
    slots = {s: sp.Symbol(f"slot{i}", **s.assumptions0) for i, s in enumerate(a.symbols)}
    others = {s: slots[r] for s, r in zip(b.symbols, a.symbols, strict=True)}
    return all(x.xreplace(slots) == y.xreplace(others) for x, y in zip(ours, theirs, strict=True))
