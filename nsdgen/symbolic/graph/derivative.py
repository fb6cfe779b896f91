"""Derivatives on the graph, forward and in reverse, in the sense that the nodes of nsdgen state for kinks.

Forward, d value / d direction is taken operation by operation, for what the direction reaches; in reverse, one value
is differentiated by all its symbols at a cost of a few times its own. Both touch a node once, and nothing that
is zero is ever built.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.nodes import Branch, Floor, Let, Sign, Stumpff
from nsdgen.symbolic.expressions.nodes_of import below
from nsdgen.symbolic.graph.array_function import ArrayFunction, ResultEntry, entry, entry_slopes
from nsdgen.symbolic.graph.node import ONE, ZERO, Node, add, branch, call, leaf, mul, number, power
from nsdgen.symbolic.graph.sympy_graph import Importer, Unsupported, in_operations, replaced

_Known = dict[tuple[Node, tuple[Node, ...]], list[tuple[Node, Node]]]
"""The slopes of operations by the operands that move."""


def directional(values: Sequence[Node], direction: Mapping[sp.Symbol, Node], known: _Known | None = None) -> list[Node]:
    """sum_s (d values[i] / d s) direction[s]; ``known`` keeps slopes for other directions."""
    seeds = frozenset(direction)
    change: dict[Node, Node] = {}
    moving: dict[Node, tuple[Node, ...]] = {}
    known = {} if known is None else known

    def moves(node: Node) -> bool:
        return not seeds.isdisjoint(node.free)

    def operands(node: Node) -> tuple[Node, ...]:
        found = moving[node] = tuple([a for a in _operands(node) if not seeds.isdisjoint(a.free)])
        return found

    for node in below([v for v in values if moves(v)], operands):
        if node.leaf is not None:
            change[node] = direction[node.leaf]
        elif node.func is Branch:
            change[node] = branch([change.get(v, ZERO) for v in node.args[0::2]], node.args[1::2])
        elif node.func is sp.Add:
            change[node] = add([change[arg] for arg in moving[node]])
        else:
            here = node, moving[node]
            slopes = known.get(here)
            if slopes is None:
                slopes = known[here] = list(_slopes(node, moves))
            change[node] = add([mul((slope, change[arg])) for arg, slope in slopes])
    return [change.get(v, ZERO) for v in values]


def gradient(value: Node, wrt: Sequence[sp.Symbol]) -> list[Node]:
    """d value / d wrt[j] for all j, in reverse.

    What is behind a branch stays behind it: an arm that is not taken may have no value there, and zero times that is
    no number. So an arm is differentiated by itself, down to what is smooth everywhere.
    """
    wanted = frozenset(wrt)

    def moves(node: Node) -> bool:
        return not wanted.isdisjoint(node.free)

    order = list(below([value] if moves(value) else [], lambda n: [a for a in _operands(n) if moves(a)]))
    branches = [node for node in order if node.func is Branch]
    smooth = _smooth(branches)
    slopes: dict[Node, dict[Node, Node]] = {}  # of arms, innermost first
    for arm in (arm for node in branches for arm in node.args[0::2] if moves(arm)):
        if arm not in slopes:
            slopes[arm] = {arm: ONE} if arm in smooth else _weights(arm, smooth.__contains__, moves, slopes)
    found = _weights(value, lambda node: node.leaf is not None, moves, slopes) if order else {}
    by_symbol = {node.leaf: weight for node, weight in found.items()}
    return [by_symbol.get(s, ZERO) for s in wrt]


def _weights(
    value: Node, ends: Callable[[Node], bool], moves: Callable[[Node], bool], slopes: Mapping[Node, Mapping[Node, Node]]
) -> dict[Node, Node]:
    """The derivatives of a value by the nodes at which it ``ends``; ``slopes`` are those of the arms of branches."""
    parts: dict[Node, list[Node]] = {value: [ONE]}
    found: dict[Node, Node] = {}
    order = list(below([value], lambda n: [] if ends(n) else [a for a in _operands(n) if moves(a)]))
    for node in reversed(order):
        weight = add(parts.pop(node, []))
        if weight == ZERO:
            continue
        if ends(node):
            found[node] = weight
        elif node.func is Branch:
            arms, conditions = node.args[0::2], node.args[1::2]
            for end in dict.fromkeys(end for arm in arms if moves(arm) for end in slopes[arm]):
                shares = [mul((weight, slopes[arm][end])) if end in slopes.get(arm, ()) else ZERO for arm in arms]
                parts.setdefault(end, []).append(branch(shares, conditions))
        else:
            for arg, slope in _slopes(node, moves):
                parts.setdefault(arg, []).append(mul((weight, slope)))
    return found


_SMOOTH = (sp.Add, sp.Mul, sp.sin, sp.cos, sp.tanh, sp.atan, sp.erf)


def _smooth(branches: Sequence[Node]) -> set[Node]:
    """The nodes below branches that have a finite value and finite derivatives wherever their symbols have."""
    found: set[Node] = set()
    for node in below(branches, lambda n: n.args):
        operands = node.args[0::2] if node.func is Branch else node.args[1:] if node.func is Let else node.args
        own = (
            node.leaf is not None
            or node.func in (Branch, Let, *_SMOOTH)
            or (node.func is sp.Pow and isinstance(node.args[1].leaf, sp.Integer) and 1 < node.args[1].leaf < 5)
        )
        if own and found.issuperset(operands):
            found.add(node)
    return found


def jacobian(values: Sequence[Node], wrt: Sequence[sp.Symbol]) -> list[dict[int, Node]]:
    """The entries d values[i] / d wrt[j] that are not zero, row by row; forward or in reverse, which is less."""
    wanted = frozenset(wrt)
    meets = [wanted & value.free for value in values]
    forward = _forward(values, wrt, meets)
    if not _promising(values, wanted):
        return forward
    reverse = _reverse(values, wrt, meets)
    return reverse if _cost(values, reverse) < 0.95 * _cost(values, forward) else forward


_Rows = list[dict[int, Node]]


def _forward(values: Sequence[Node], wrt: Sequence[sp.Symbol], meets: Sequence[frozenset[sp.Symbol]]) -> _Rows:
    """Column by column."""
    rows_of: dict[sp.Symbol, list[int]] = {s: [] for s in wrt}
    for i, own in enumerate(meets):
        for s in own:
            rows_of[s].append(i)
    found: _Rows = [{} for _ in values]
    known: _Known = {}
    for j, s in enumerate(wrt):
        for i, slope in zip(rows_of[s], directional([values[i] for i in rows_of[s]], {s: ONE}, known), strict=True):
            if slope != ZERO:
                found[i][j] = slope
    return found


def _reverse(values: Sequence[Node], wrt: Sequence[sp.Symbol], meets: Sequence[frozenset[sp.Symbol]]) -> _Rows:
    """Row by row."""
    found: _Rows = []
    for value, own in zip(values, meets, strict=True):
        places = [j for j, s in enumerate(wrt) if s in own]
        slopes = gradient(value, [wrt[j] for j in places])
        found.append({j: e for j, e in zip(places, slopes, strict=True) if e != ZERO})
    return found


def _promising(values: Sequence[Node], wanted: frozenset[sp.Symbol]) -> bool:
    """Whether rows, each with its operations, are clearly less than operations, each with its symbols."""

    def moving(node: Node) -> list[Node]:
        return [a for a in _operands(node) if not wanted.isdisjoint(a.free)]

    by_symbols = sum(len(wanted & node.free) for node in below(values, moving))
    return sum(1 for value in values for _ in below([value], moving)) < 0.9 * by_symbols


def _cost(values: Sequence[Node], rows: _Rows) -> int:
    """The operations of values and derivatives together."""
    roots = [*values, *(e for row in rows for e in row.values())]
    return sum(max(1, len(node.args) - 1) for node in below(roots, lambda n: n.args) if node.args)


def _operands(node: Node) -> Sequence[Node]:
    """What a value varies with: neither names nor conditions, and nothing where it only jumps."""
    if node.func is Branch:
        return node.args[0::2]
    if node.func is ResultEntry:
        return node.args[0].args
    return () if node.func in (Floor, Sign) else node.args[1:] if node.func is Let else node.args


def _slopes(node: Node, moves: Callable[[Node], bool]) -> Iterable[tuple[Node, Node]]:
    """The operands that move, each with the derivative of the operation by it; an operand may stand there twice."""
    func, args = node.func, node.args
    if func is sp.Add:
        return [(arg, ONE) for arg in args if moves(arg)]
    if func is sp.Mul:
        return _product_slopes(args, moves)
    if func is sp.Pow:
        return _power_slopes(node, moves)
    if func is Let:
        return [(args[1], ONE)] if moves(args[1]) else []
    if func is ResultEntry:
        return _entry_slopes(node, moves)
    if func in (Floor, Sign):
        return []
    if func is Stumpff:  # SymPy multiplies the half out
        k, s = args
        higher = [Node(Stumpff, (number(k.leaf + i), s)) for i in (1, 2)]
        return [(s, mul((number(sp.Rational(1, 2)), add((mul((k, higher[1])), mul((number(-1), higher[0])))))))]
    return [(arg, _function_slope(func, args, i)) for i, arg in enumerate(args) if moves(arg)]


def _entry_slopes(node: Node, moves: Callable[[Node], bool]) -> list[tuple[Node, Node]]:
    """As its function states them, or of its operations."""
    call, place = node.args
    if (stated := entry_slopes(node, moves)) is not None:
        return stated
    dummies = _dummies(len(call.args))
    to = replaced(dict(zip(dummies, call.args, strict=True)))
    slopes = _entry_gradient(call.func, int(place.leaf))
    return [(arg, to(slope)) for arg, slope in zip(call.args, slopes, strict=True) if moves(arg)]


@lru_cache(maxsize=4096)
def _entry_gradient(function: ArrayFunction, place: int) -> list[Node]:
    """The derivatives of a value by all arguments, by its operations."""
    dummies = _dummies(sum(size for _, size in function.inputs))
    value = in_operations([entry(function.of([leaf(s) for s in dummies]), place)])[0]
    return gradient(value, dummies)


def _dummies(count: int) -> tuple[sp.Symbol, ...]:
    return tuple(sp.Symbol(f"argument/{k}", real=True) for k in range(count))


def _product_slopes(args: Sequence[Node], moves: Callable[[Node], bool]) -> list[tuple[Node, Node]]:
    """The products of all other factors; those of the moving ones are shared from both ends."""
    moving = [a for a in args if moves(a)]
    still = mul([a for a in args if not moves(a)])
    before = list(accumulate(moving, lambda a, b: mul((a, b)), initial=still))
    after = list(accumulate(reversed(moving), lambda a, b: mul((a, b)), initial=ONE))[::-1]
    return [(arg, mul((before[i], after[i + 1]))) for i, arg in enumerate(moving)]


def _power_slopes(node: Node, moves: Callable[[Node], bool]) -> list[tuple[Node, Node]]:
    base, exponent = node.args
    found = []
    if moves(base):
        found.append((base, mul((exponent, power(base, add((exponent, number(-1))))))))
    if moves(exponent):
        found.append((exponent, mul((node, call(sp.log, [base])))))
    return found


def _function_slope(func: Any, args: Sequence[Node], i: int) -> Node:
    dummies, template = _template(func, len(args), i)
    return replaced(dict(zip(dummies, args, strict=True)))(template)


@lru_cache(maxsize=256)
def _template(func: Any, count: int, i: int) -> tuple[tuple[sp.Symbol, ...], Node]:
    """The derivative that a function states, over symbols for its arguments."""
    dummies = _dummies(count)
    value = func(*dummies)
    slope = value.fdiff(i + 1) if isinstance(value, sp.Function) else value.diff(dummies[i])
    if slope.has(sp.Derivative, sp.Subs):
        raise Unsupported(str(func))
    return dummies, Importer()([slope])[0]
