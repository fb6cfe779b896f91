"""Whether gaps of contacts with friction are distances, where coordinates tell it.

Friction bounds what acts along the tangents by mu times what acts along the normal, and both are impulses in newton
seconds only if the gradients of gap and tangents are orthogonal vectors of one length where the bodies touch. Of most
coordinates nobody knows what a length is, but where the kinetic energy is the same in several directions,
m (x'^2 + y'^2) / 2, they are those of the space that a body moves in, or some of them are: its position along
different axes, or the places of equal bodies. A mass that depends on the place, m(x, y), changes both lengths alike.
So a contact is refused where no two or three of such directions make its rows orthogonal and of one length. Where
coordinates of the gap have no such directions beside the tangents', and a constant mass, its own gradient has to have
length 1 along one, two or three of them: ``4 * y`` is no height, and a lever of 4 m says ``scale=1``. Levers that have
a name, ``l * phi``, angles that a gap is curved in, cos(phi), and bodies say nothing. It is looked at where the gap is
zero, at the model's own values, at the initial state and beside it.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import sympy as sp
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from nsdgen.errors import ModelError
from nsdgen.symbolic.description.model_description import RelationInstance, SystemInstance
from nsdgen.symbolic.expressions.entry import label_of
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.nodes import Branch
from nsdgen.symbolic.expressions.parameter import Parameter
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.graph.computed import Computed
from nsdgen.symbolic.graph.running_error import real_values
from nsdgen.symbolic.relations.relation_class import Participant, RelationClass

_SAME = 1e-6
"""Lengths and angles agree up to this: an error of friction that nobody sees, far above that of a gap found zero."""

_ASIDE = (0.0, 1e-3, 1.0)
"""How far beside the initial state a contact is looked at, in its units and relative to it: what is no distance may
have a unit gradient at one place."""

_MOST = 12
"""Of more directions in one contact no two or three are chosen: that many are no places of two bodies."""

_NEWTON = 20
"""Iterations that find where a gap is zero: few where it is nearly a distance."""


def check_unit_normals(
    classes: Sequence[RelationClass],
    relations: Sequence[RelationInstance],
    systems: Sequence[SystemInstance],
    parameters: Mapping[sp.Symbol, Parameter],
    trusted: Collection[str],
) -> None:
    """Raise ``ModelError`` for a contact with friction whose gap is no distance; ``trusted`` are not looked at."""
    values = {s: sp.Float(p.value) for s, p in parameters.items()}
    rows = {n: found for n, cls in enumerate(classes) if (found := list(_rows(cls)))}
    seen = set()
    for relation in relations:
        if relation.cls not in rows or relation.name in trusted:
            continue
        cls = classes[relation.cls]
        for columns, own, held in rows[relation.cls]:
            key = (relation.cls, columns, *(relation.arguments[i].value for i in held))
            if key not in seen and (own.rows > 1 or all(isinstance(value, float) for value in key[2:])):
                seen.add(key)
                _check(cls, columns, own, _start(cls, relation, systems, values), relation.name)


def _start(
    cls: RelationClass,
    relation: RelationInstance,
    systems: Sequence[SystemInstance],
    values: Mapping[sp.Symbol, sp.Float],
) -> dict[sp.Symbol, sp.Expr]:
    """The symbols of a class where an instance of it starts."""
    found: dict[sp.Symbol, sp.Expr] = {NOW: sp.S.Zero}
    for s, a in zip(cls.parameters, relation.arguments, strict=True):
        found[s] = sp.Float(a.value) if isinstance(a.value, float) else a.value.xreplace(values)
    for p, i in zip(cls.participants, relation.participants, strict=True):
        found |= dict(zip(map(p.rename, p.system.functions), map(sp.Float, systems[i].initial), strict=True))
    return found


def _rows(cls: RelationClass) -> Iterator[tuple[tuple[sp.Symbol, ...], sp.Matrix, list[int]]]:
    """For each set of directions in which a participant moves alike: its coordinates, the gradients along them.

    Then which arguments of the class these hold.
    """
    if not (cls.law.unilateral and cls.law.tangents and "gap" in cls.terms):
        return
    tangents = cls.terms["sliding"].rows - cls.law.rolling
    for p in cls.participants:
        sliding = jacobian(cls.terms["sliding"][:tangents, :], p.group("v"))
        H = p.twist_gradient(cls.terms["gap"]).col_join(sliding)
        used = [j for j in range(H.cols) if any(H[:, j])]
        groups = _alike(p, used)
        chosen = []
        for group in groups:
            own = [i for i in range(H.rows) if any(H[i, j] != 0 for j in group)]
            if len(group) == 1:  # a tangent along the gap: the direction beside them is in neither
                pairs = (_alike(p, [*group, j]) for j in range(H.cols) if j not in used)
                group = next((pair[0] for pair in pairs if len(pair[0]) > 1), group)
            if 1 < len(group) <= _MOST and 0 in own and len(own) > 1:
                chosen.append((own, group))
        normal = [j for j in used if H[0, j] != 0]
        if not chosen and 0 < len(normal) <= _MOST and set(normal) <= {j for group in groups for j in group}:
            mass = p.system.terms["mass"].values
            if all(mass[j, j].free_symbols.isdisjoint(p.group("q")) for j in normal):
                chosen.append(([0], normal))
        q, place = p.group("q"), p.twist_map
        for own, group in chosen:
            rows = H.extract(own, group)
            columns = tuple(q[next(i for i in range(len(q)) if place[i, j] == 1)] for j in group)
            if len(own) > 1 or not cls.terms["gap"].has(TrigonometricFunction, Computed, Branch):
                yield columns, rows, [i for i, s in enumerate(cls.parameters) if s in rows.free_symbols]


def _alike(p: Participant, columns: Sequence[int]) -> list[list[int]]:
    """The velocities among ``columns`` that are rates of coordinates, those of one mass together."""
    mass, T = p.system.terms["mass"].values, p.twist_map
    groups: dict[sp.Expr, list[int]] = {}
    for j in columns:
        m = mass[j, j]
        is_rate = sorted(T[:, j], key=lambda e: e == 1)[-1] == 1 and sum(e != 0 for e in T[:, j]) == 1
        if is_rate and m != 0 and all(mass[i, j] == 0 for i in groups.get(m, ())):
            groups.setdefault(m, []).append(j)
    return list(groups.values())


def _check(
    cls: RelationClass, columns: Sequence[sp.Symbol], rows: sp.Matrix, at: dict[sp.Symbol, sp.Expr], name: str
) -> None:
    """Raise ``ModelError`` where the rows are of no distance wherever the gap was found zero."""
    found = [H for aside in _ASIDE if (H := _where_closed(cls, columns, rows, at, aside)) is not None]
    wrong = [H for H in found if not _of_distance(H)]
    if not wrong or (len(wrong) < len(found) and cls.terms["gap"].has(Branch)):  # stated in pieces: at places of one
        return
    H = wrong[0]
    gap, *others = np.linalg.norm(H, axis=1)
    other = max(others, key=lambda size: abs(math.log(size / gap)), default=0.0)
    along = ", ".join(label_of(s) for s in columns)
    if not others:
        problem = f"the gap is no distance: its gradient along ({along}) has the length {gap:.9g}, not 1"
    elif abs(other / gap - 1) < _SAME:
        problem = f"the tangent is not orthogonal to the gradient of the gap along ({along})"
    else:
        problem = f"the gap is no distance: its gradient along ({along}) has the length {gap:.9g}, "
        problem += f"that of the tangent {other:.9g}"
    raise ModelError(
        problem,
        where=f"relation {name!r}",
        fix="friction takes both for lengths: divide each by the length of its gradient, and give a tangent "
        f"orthogonal to the gap; scale={gap:.9g}, or an expression, divides the gap, scale=1 says that it is a "
        "distance as it is",
    )


def _where_closed(
    cls: RelationClass, columns: Sequence[sp.Symbol], rows: sp.Matrix, at: dict[sp.Symbol, sp.Expr], aside: float
) -> np.ndarray | None:
    """The rows where the gap is zero, found from beside the initial state; None where they are not known."""
    if rows.free_symbols.isdisjoint(columns) and aside:
        return None
    at = {**at}
    for i, s in enumerate(columns):
        at[s] = at[s] * (1 + aside * math.sin(i + 1)) + aside * math.sin(i + 2)
    for _ in range(_NEWTON):
        H = _numbers(rows, at)
        gap = _numbers(cls.terms["gap"], at)
        if not (np.isfinite(H).all() and np.isfinite(gap).all() and H[0].any()):
            return None
        if rows.free_symbols.isdisjoint(columns) or abs(gap[0, 0]) <= _SAME * 1e-3 * max(1.0, np.abs(H[0]).max()):
            return H if H[1:].any(axis=1).all() else None
        move = -gap[0, 0] * H[0] / (H[0] @ H[0])
        at |= {s: at[s] + sp.Float(d) for s, d in zip(columns, move.tolist(), strict=True)}
    return None


def _of_distance(H: np.ndarray) -> bool:
    """Whether two or three directions make the rows orthogonal and of one length, or give a single row length 1."""
    alone = len(H) == 1
    for size in range(1 if alone else 2, 4):
        for chosen in combinations(range(H.shape[1]), size):
            gram = H[:, chosen] @ H[:, chosen].T
            square = 1.0 if alone else gram[0, 0]
            if square > 0 and np.abs(gram - square * np.eye(len(H))).max() <= _SAME * square:
                return True
    return False


def _numbers(values: sp.MatrixBase, at: Mapping[sp.Symbol, sp.Expr]) -> np.ndarray:
    """NaN where one is no number."""
    return np.array(real_values(values, at) or [math.nan] * len(values)).reshape(values.shape)
