"""What a large residual holds that no iteration changes is computed once per step.

F(t_k, q_k, v_k) stands in R(w) = M (v - v_k) - h theta F(t_k+1, q(v), v) - h (1 - theta) F(t_k, q_k, v_k), and R is
evaluated two to four times in a step, with W and for the test. In large residuals that bend with their unknowns,
whatever depends on neither unknowns nor what an iteration freezes is frozen for the step. Small ones stay as they read.
"""

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from nsdgen.schemes.stages import T_K, T_NEXT, DiscreteSystem, SystemStage
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.nodes import Let
from nsdgen.symbolic.expressions.nodes_of import FreeSymbols, below
from nsdgen.symbolic.graph.computed import Unsupported, computed, holds_graph, shared, stated
from nsdgen.symbolic.graph.node import Node, add, leaf, mul

_PART, _TOGETHER = 12, 60
"""Operations from which on a part is kept, and from which on all parts are worth a kernel of their own."""


def with_held_parts(scheme: DiscreteSystem) -> DiscreteSystem:
    """The discretisation, parts of large residuals frozen once per step."""
    stages = tuple(None if s is None else _stage(s, scheme.state) for s in scheme.stages)
    return replace(scheme, stages=stages)


def _stage(stage: SystemStage, state: Sequence[sp.Symbol]) -> SystemStage:
    (residual,) = shared(stage.residual)
    if not holds_graph(residual) or stage.completed_by is not None or not _freezes_each_step(stage, state):
        return stage
    try:
        rows = stated(residual)
    except Unsupported:
        return stage
    moving = frozenset((*stage.unknown, *(s for s, _ in stage.freeze_start or stage.freeze_iteration)))
    parts = _parts(rows, moving)
    if not _bends(rows, moving) or len(_operations(parts)) < _TOGETHER:
        return stage
    held = {part: own_symbol("frozen", f"held_{k}") for k, part in enumerate(parts)}
    found = sp.Matrix([computed(row) for row in _rewritten(rows, moving, held)])
    formula = "; ".join(filter(None, (stage.formulas.get("freeze_step"), "parts of R without unknowns")))
    return replace(
        stage,
        residual=found,
        formulas={**stage.formulas, "freeze_step": formula},
        freeze_step=(*stage.freeze_step, *((symbol, computed(part)) for part, symbol in held.items())),
    )


def _freezes_each_step(stage: SystemStage, state: Sequence[sp.Symbol]) -> bool:
    """Whether what is frozen is new in each step: what holds for a run is not to be filled in again."""
    free_symbols, changing = FreeSymbols(), {*state, T_K, T_NEXT}
    own = [e for symbol, e in stage.freeze_step if symbol not in stage.offered]
    return not own or any(not changing.isdisjoint(free_symbols(e)) for e in own)


def _is_still(node: Node, moving: frozenset[sp.Symbol]) -> bool:
    return moving.isdisjoint(node.free)


def _opened(node: Node, moving: frozenset[sp.Symbol]) -> tuple[Node, ...]:
    """The operands in which parts are looked for: of arithmetic that moves and does not decide a tie."""
    plain = node.func in (sp.Add, sp.Mul, sp.Pow, Let) and not node.fixed
    return tuple(a for a in node.args if not _is_still(a, moving)) if plain else ()


def _still_part(node: Node, moving: frozenset[sp.Symbol]) -> Node | None:
    """The terms of a sum, or the factors of a product, that do not move, as one value."""
    if node.func not in (sp.Add, sp.Mul) or node.fixed:
        return None
    still = [a for a in node.args if _is_still(a, moving)]
    return (add if node.func is sp.Add else mul)(still) if still else None


def _parts(rows: Sequence[Node], moving: frozenset[sp.Symbol]) -> list[Node]:
    """The parts worth to be kept, in the order in which rows come to them."""
    found: dict[Node, None] = {}
    for node in below([row for row in rows if not _is_still(row, moving)], lambda n: _opened(n, moving)):
        part = _still_part(node, moving)
        if part is not None and part not in found and len(_operations([part])) >= _PART:
            found[part] = None
    return list(found)


def _operations(nodes: Sequence[Node]) -> set[Node]:
    return {node for node in below(nodes, lambda n: n.args) if node.args}


def _bends(rows: Sequence[Node], moving: frozenset[sp.Symbol]) -> bool:
    """Whether rows may not be affine in what moves: then they are evaluated again and again."""
    for node in below(
        [row for row in rows if not _is_still(row, moving)], lambda n: [a for a in n.args if not _is_still(a, moving)]
    ):
        moved = sum(not _is_still(a, moving) for a in node.args)
        if node.args and (node.func not in (sp.Add, sp.Mul, Let) or (node.func is sp.Mul and moved > 1)):
            return True
    return False


def _rewritten(rows: Sequence[Node], moving: frozenset[sp.Symbol], held: dict[Node, sp.Symbol]) -> list[Node]:
    """The rows with symbols in place of the parts."""
    new: dict[Node, Node] = {}
    for node in below([row for row in rows if not _is_still(row, moving)], lambda n: _opened(n, moving)):
        args = tuple(new.get(a, a) for a in node.args)
        part = _still_part(node, moving)
        if part is not None and part in held:
            moved = [new.get(a, a) for a in node.args if not _is_still(a, moving)]
            new[node] = (add if node.func is sp.Add else mul)([*moved, leaf(held[part])])
        elif args != node.args:
            new[node] = Node(node.func, args, None, node.fixed)
    return [new.get(row, row) for row in rows]
