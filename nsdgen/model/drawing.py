"""What a run of a model looked like: its figures with the numbers of a trajectory.

Input: systems, relations and sketch of a model, and what a run recorded. Output: a
:class:`~nsdgen.study.animation.picture.Picture` at the rows asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
import sympy as sp

from nsdgen.base.solids import quaternion_of
from nsdgen.emit.expression_graph import CompactGraph, ExpressionNode, Kind
from nsdgen.emit.translate import Translator
from nsdgen.errors import EmissionError, ParameterError
from nsdgen.study.animation.picture import Drawn, DrawnSolid, Picture, Values
from nsdgen.study.samples import Samples
from nsdgen.symbolic.drawing.figure import Arrow, BodyFigure, Figure, Ground
from nsdgen.symbolic.drawing.sketch import Sketch
from nsdgen.symbolic.expressions.entry import enter, own_symbol
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.copies import RelationCopies, SystemCopies, SystemCopy, prototype_of
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.relations.relation import Relation


@dataclass(frozen=True, eq=False)
class Drawing:
    """What is drawn of a model: called with a record and the numbers of its rows, it gives the picture there."""

    systems: Sequence[System | SystemCopies]
    relations: Sequence[Relation | RelationCopies]
    parameters: Sequence[sp.Symbol]
    sketch: Sketch | None = None

    def __call__(self, record: Samples, rows: Sequence[int]) -> Picture:
        """Raises ``ParameterError`` where a column that a figure needs was not recorded."""
        values = _DrawnValues(record, np.asarray(rows, dtype=int), self.parameters)
        bodies = self._bodies(values)
        drawn = [
            d
            for figure in self._figures(bodies)
            for d in _drawn(figure, values(figure.entries, f"figure {figure.name!r}"), values)
        ]
        drawn += [d for r in self.relations if isinstance(r, RelationCopies) for d in values.of_copies(r)]
        planar = self.sketch is not None and self.sketch.dimension == 2 and not bodies
        return Picture(
            record.time[values.rows], drawn, planar, up="-z" if self.sketch is not None and self.sketch.down else "z"
        )

    def _bodies(self, values: _DrawnValues) -> list[BodyFigure]:
        """The bodies of all systems, whose functions of time ``values`` knows from here on."""
        found = []
        for item in self.systems:
            if not isinstance(item, SystemCopies):
                values.know(item)
                found += [_body(body, body.name) for body in item.bodies]
                continue
            for member in item.named:
                values.know(member)
            for member in item if item.prototype.bodies else ():
                own = {symbol: sp.Float(numbers[member.number]) for symbol, numbers in item.parameters.items()}
                found.append(_body(item.prototype, member.name, values.columns(member)).over(own))
        return found

    def _figures(self, bodies: Sequence[BodyFigure]) -> Iterator[Figure]:
        """Bodies, planes, all else; a body that nobody drew wears what its contacts know of it."""
        inside = [r for s in self.systems if isinstance(s, System) for r in s.contains]
        figures = [f for r in (*self.relations, *inside) if isinstance(r, Relation) for f in r.figures]
        figures += [f for r in self.relations if isinstance(r, RelationCopies) for f in _standing(r)]
        worn: dict[str, list[Any]] = {}
        for figure in figures:
            if isinstance(figure, BodyFigure):
                known = worn.setdefault(figure.name, [])
                known += [solid for solid in figure.solids if solid not in known]
        for body in bodies:
            yield body if body.solids else replace(body, solids=tuple(worn.get(body.name, ())))
        yield from dict.fromkeys(f for f in figures if isinstance(f, Ground))
        yield from (f for f in figures if not isinstance(f, Ground | BodyFigure))
        yield from self.sketch.figures if self.sketch else ()


def _standing(copies: RelationCopies) -> Iterator[Figure]:
    """What copies of a relation show of their bodies, and the planes that these touch."""
    for figure in copies.prototype.figures:
        if isinstance(figure, BodyFigure | Ground):
            at = next((k for k, like in enumerate(copies.like) if like.name == figure.name), None)
            for i in range(copies.count):
                own = {s: sp.Float(numbers[i]) for s, numbers in copies.arguments.items()}
                group, number = (None, 0) if at is None else copies.columns[at][i]
                yield replace(figure, name=group.names[number] if group else figure.name).over(own)


def _body(stated: Any, name: str, columns: Sequence[sp.Symbol] = ()) -> BodyFigure:
    """A body as it was stated; ``columns`` stand for the functions of time of one that is a copy."""
    inertia = [stated.inertia[i, j] for i in range(3) for j in range(i, 3)]
    there = dict(zip(stated.functions, columns, strict=True)) if columns else {}
    pose = tuple(there.get(f, f) for f in (*stated.position, *stated.quaternion))
    return BodyFigure(name, name, pose, tuple(stated.solids), (stated.mass, *inertia))


class _DrawnValues:
    """Expressions of users as numbers at the rows of a record."""

    def __init__(self, record: Samples, rows: Values, parameters: Sequence[sp.Symbol]) -> None:
        self.record, self.rows = record, rows
        self.scope = Scope({p: own_symbol("parameter", p.name) for p in parameters})
        self.symbols: dict[sp.Basic, sp.Expr] = dict(self.scope.parameters)
        given = record.attributes.get("parameters", {})
        self.numbers: dict[str, Any] = {f"parameter/{name}": value for name, value in given.items()}
        self.numbers[NOW.name] = record.time[rows]
        owned: dict[str, list[str]] = {}
        for name in record.names:
            owned.setdefault(name.rpartition(".")[0], []).append(name)
        self.owned = {owner: tuple(names) for owner, names in owned.items()}

    def columns(self, member: System | SystemCopy) -> list[sp.Symbol]:
        """What stands for the columns of its functions of time, in their order."""
        labels = [n for group in prototype_of(getattr(member, "group", member)).describe_names() for n in group]
        found = [own_symbol("column", f"{member.name}.{label}") for label in labels]
        self.symbols.update((column, column) for column in found)
        return found

    def know(self, member: System | SystemCopy) -> None:
        """The functions of time of a system, and what it stands for, are columns from here on."""
        columns = self.columns(member)
        self.symbols.update(zip(member.functions, columns, strict=True))
        own = {s: column.name for s, column in zip(member.functions.values(), columns, strict=True)}
        if isinstance(member, SystemCopy) or not member.stands_for:
            return
        further = member.values(self.scope)
        for function, value in zip(further, self._numbers(list(further.values()), own), strict=True):
            symbol = self.symbols[function] = own_symbol("computed", f"{member.name}/{function}")
            self.numbers[symbol.name] = value

    def __call__(self, expressions: Sequence[Any], where: str) -> Values:
        """(n, entries), a row for each row of the record."""
        entered = [enter(e, self.symbols, where=where) for e in expressions]
        names = {s: s.name for s in {s for e in entered for s in e.free_symbols}}
        found = self._numbers(entered, names)
        return np.stack([np.broadcast_to(v, (len(self.rows),)) for v in found], axis=1)

    def of_copies(self, copies: RelationCopies) -> Iterator[Drawn]:
        """Reactions of the copies of a relation that act, and lines of all."""
        for figure in copies.prototype.figures:
            if isinstance(figure, BodyFigure | Ground):
                continue
            own = [replace(figure, name=name, owner=name) for name in copies.names]
            acting = [any(self.record[c].any() for part in _reactions(f, self) for c in part) for f in own]
            chosen = [i for i, acts in enumerate(acting) if acts or not isinstance(figure, Arrow)]
            for i, numbers in zip(chosen, self._of_members(copies, chosen, figure) if chosen else (), strict=True):
                yield from _drawn(own[i], numbers, self)

    def _of_members(self, copies: RelationCopies, chosen: Sequence[int], figure: Figure) -> Values:
        """(copies, n, entries) of a figure for these copies, evaluated at once."""
        to: dict[sp.Basic, sp.Symbol] = {s: own_symbol("argument", s.name) for s in copies.arguments}
        columns: dict[sp.Symbol, list[str]] = {}
        for k, like in enumerate(copies.like):
            names = [group.names[number] for group, number in (copies.columns[k][i] for i in chosen)]
            labels = [n for group in like.prototype.describe_names() for n in group]
            for function, label in zip(like.functions, labels, strict=True):
                to[function] = symbol = own_symbol("member", f"{k}.{label}")
                columns[symbol] = [f"column/{name}.{label}" for name in names]
        entered = [enter(e, {**self.symbols, **to}, where=f"figure {figure.name!r}") for e in figure.entries]
        used = {s for e in entered for s in e.free_symbols}
        for s in used & columns.keys():
            self.numbers[s.name] = np.stack([self._operand(name) for name in columns[s]])
        for s, numbers in copies.arguments.items():
            self.numbers[to[s].name] = np.array(numbers)[chosen][:, np.newaxis]
        found = self._numbers(entered, {s: s.name for s in used})
        return np.stack([np.broadcast_to(v, (len(chosen), len(self.rows))) for v in found], axis=-1)

    def _numbers(self, expressions: Sequence[sp.Expr], names: Mapping[sp.Basic, str]) -> list[Any]:
        translator = Translator(
            expressions, {**{s: s.name for s in self.scope.parameters.values()}, NOW: NOW.name, **names}
        )
        roots = [translator.translate(e) for e in expressions]
        return evaluated(translator.graph.compact(roots), self._operand)

    def _operand(self, name: str) -> Any:
        """A column, a parameter, time, or what was computed from them."""
        if name not in self.numbers:
            column = name.partition("/")[2]
            if column not in self.record:
                raise ParameterError(
                    f"{column!r} was not recorded",
                    model=self.record.model,
                    where="animation",
                    fix="run without record=, or list it there too",
                )
            self.numbers[name] = self.record[column][self.rows]
        return self.numbers[name]


def _reactions(figure: Figure, values: _DrawnValues) -> Iterator[list[str]]:
    """The columns of the impulses that an arrow shows, and those of its forces."""
    own = values.owned.get(figure.owner, ())
    for word in ("impulse", "force"):
        columns = [n for n in own if n.rpartition(".")[2].partition("[")[0] == word]
        if isinstance(figure, Arrow) and columns:
            yield columns[: len(figure.axes)]


def _drawn(figure: Figure, numbers: Values, values: _DrawnValues) -> Iterator[Drawn]:
    own = values.owned.get(figure.owner, ())
    if isinstance(figure, Arrow):
        for columns in _reactions(figure, values):
            yield _arrow(figure, numbers, values, columns, own)
    elif isinstance(figure, BodyFigure):
        yield Drawn(figure.kind, figure.name, numbers[:, :7], tuple(_solids(figure, numbers[0, 7:])), shown=own)
    else:
        yield Drawn(figure.kind, figure.name, numbers, shown=own)


def _arrow(figure: Arrow, numbers: Values, values: _DrawnValues, columns: Sequence[str], own: tuple[str, ...]) -> Drawn:
    """Place and reaction: impulses add up since the row before, forces are those of the row."""
    record, rows = values.record, values.rows
    every = np.stack([record[c] for c in columns], axis=1)
    if columns[0].rpartition(".")[2].startswith("impulse"):
        summed = np.vstack([np.zeros(len(columns)), np.cumsum(every, axis=0)])
        taken = np.diff(summed[rows + 1], axis=0, prepend=summed[:1])
    else:
        taken = every[rows]
    axes = numbers[:, 3:].reshape(len(rows), -1, 3)[:, : len(columns)]
    vector = np.einsum("na,nac->nc", taken, axes)
    return Drawn("arrow", figure.name, np.hstack([numbers[:, :3], vector]), unit=record.unit(columns[0]), shown=own)


def _solids(figure: BodyFigure, numbers: Values) -> Iterator[DrawnSolid]:
    """The solids with numbers, or the box of mass and inertia."""
    if not figure.solids:
        yield _box(numbers)
        return
    at = 0
    for solid, _, _ in figure.solids:
        n = len(solid.sizes)
        yield DrawnSolid.of(solid, *np.split(numbers[at : at + n + 7], [n, n + 3]))
        at += n + 7


def _box(numbers: Values) -> DrawnSolid:
    """The homogeneous box of this mass and inertia: edges^2 = 6 (I_j + I_k - I_i) / m along principal axes."""
    m, xx, xy, xz, yy, yz, zz = numbers
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    squares = np.array([6 * (moments.sum() - 2 * i) / m if m else 0.0 for i in moments])
    edges = np.sqrt(np.maximum(squares, 0.0))
    edges = np.maximum(edges, 0.05 * max(edges.max(), 1e-9))
    return DrawnSolid("cuboid", tuple(map(float, edges)), turned=quaternion_of(axes))


_CONSTANTS = {"M_PI": np.pi, "M_E": np.e, "True": True, "False": False}
_CALLS: dict[str, Callable[..., Any]] = {
    **{n: getattr(np, n) for n in ("exp", "log", "fabs", "sqrt", "floor", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{f"a{n}": getattr(np, f"arc{n}") for n in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "atan2": np.arctan2, "pow": np.power,
    "erf": np.vectorize(math.erf, otypes=[float]), "erfc": np.vectorize(math.erfc, otypes=[float]),
    "nsd_mod": np.mod, "nsd_sign": np.sign,
}  # fmt: skip
_RELATIONS: dict[str, Callable[..., Any]] = {
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal,
}  # fmt: skip
_LOGIC: dict[str, Callable[..., Any]] = {"and": np.logical_and, "or": np.logical_or, "not": np.logical_not}


def evaluated(program: CompactGraph, operand: Callable[[str], Any]) -> list[Any]:
    """The values of the roots; ``operand`` gives those of symbols by name, numbers or arrays that broadcast.

    Raises ``EmissionError`` for a function that NumPy and SciPy do not have.
    """
    found: list[Any] = []
    with np.errstate(all="ignore"):  # arms of branches that are not taken
        for node in program.nodes:
            found.append(_value(node, [found[i] for i in node.args], operand))
    return [found[root] for root in program.roots]


def _value(node: ExpressionNode, args: Sequence[Any], operand: Callable[[str], Any]) -> Any:
    match node.kind:
        case Kind.NUMBER:
            return float(node.text)
        case Kind.SYMBOL:
            return _CONSTANTS[node.text] if node.text in _CONSTANTS else operand(node.text)
        case Kind.NEGATION:
            return -args[0]
        case Kind.SUM:
            return sum(a if sign == "+" else -a for sign, a in zip(node.text, args, strict=True))
        case Kind.PRODUCT:
            over = node.text.count("*")
            top = reduce(np.multiply, args[:over])
            return top / reduce(np.multiply, args[over:]) if args[over:] else top
        case Kind.CALL if node.text in _CALLS:
            return _CALLS[node.text](*args)
        case Kind.RELATION:
            return _RELATIONS[node.text](*args)
        case Kind.LOGIC:
            return reduce(_LOGIC[node.text], args) if len(args) > 1 else _LOGIC[node.text](*args)
        case Kind.BRANCH:
            taken = args[-1]
            for value, condition in zip(args[-3::-2], args[-2::-2], strict=True):
                taken = np.where(condition, value, taken)
            return taken
    raise EmissionError(f"{node.text!r} cannot be evaluated on arrays", fix="draw it by other functions")
