"""What the constructors of shapes take: lengths, bodies, pairs of points, planes, surfaces; all else is refused."""

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from nsdgen.base.of_symbols import way_to_write
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import vector
from nsdgen.symbolic.relations.contact import Plane
from nsdgen.symbolic.relations.frame import Body


def length(value: Any, where: str, *, zero: bool = False) -> sp.Expr:
    """A length [m], positive or (``zero``) not negative; numbers and assumptions of symbols are checked."""
    expr = as_expression(value, where=where)
    said = expr.is_nonnegative if zero else expr.is_positive
    if said is False or expr.is_finite is False or expr is sp.nan or expr.is_real is False:
        raise ModelError(
            f"{value} is no {'' if zero else 'positive '}length",
            where=where,
            fix=f"give a {'number of at least 0' if zero else 'positive number'} [m], or a parameter",
        )
    return expr


def rigid(body: Any, where: str) -> Any:
    """A rigid body; raises ``ModelError`` for anything else."""
    if not isinstance(body, Body):
        raise ModelError(
            f"{getattr(body, 'name', body)!r} is no rigid body",
            where=where,
            fix="give an nsd.RigidBody; for generalised coordinates write nsd.Contact(name, gap=..., "
            "law=..., tangent=...)",
        )
    return body


def two_bodies(first: Any, second: Any, where: str) -> None:
    """Two different rigid bodies."""
    if rigid(first, where) is rigid(second, where):
        raise ModelError(f"a contact of {first.name!r} with itself", where=where, fix="give two bodies")


def pair(points: Any, where: str, what: str) -> tuple[sp.Matrix, sp.Matrix]:
    """Two different points in body coordinates."""
    if not isinstance(points, Sequence | sp.MatrixBase) and not hasattr(points, "tolist"):
        raise ModelError(f"{points!r} are no two points", where=where, fix="give two points in the frame of the body")
    rows = points.tolist() if hasattr(points, "tolist") else points
    if len(rows) != 2:
        raise ModelError(f"{what} with {len(rows)} ends", where=where, fix="give two points in the frame of the body")
    start, end = (vector(p, where=where) for p in rows)
    if start == end:
        raise ModelError(f"{what} without length", where=where, fix="give two different points")
    return start, end


def aside_of(outward: Any, edge: Any, where: str) -> sp.Matrix:
    """A direction that does not lie along an edge, in the frame of its body."""
    out, (start, end) = vector(outward, where=f"{where}, outward"), pair(edge, where, "an edge")
    aside = out.cross(end - start)
    if all(c.is_number for c in aside) and float(aside.norm()) <= 1e-9 * float(out.norm() * (end - start).norm()):
        raise ModelError(
            "outward is no direction away from the edge",
            where=where,
            fix="give the direction out of the second body at its edge, in its own frame",
        )
    return out


def plane_of(plane: Any, where: str) -> Plane:
    """A plane; raises ``ModelError`` for anything else."""
    if not isinstance(plane, Plane):
        raise ModelError(f"{plane!r} is no plane", where=where, fix="give nsd.Plane(name, normal, offset)")
    return plane


def surface_of(surface: Callable[..., Any], coordinates: Sequence[sp.Symbol], where: str) -> sp.Expr:
    """f of the coordinates, an expression that depends on them; raises ``ModelError`` where a user's function fails."""
    fix = "give a function of x, y, z, with SymPy's functions, that is zero on it: lambda x, y, z: z - sp.sin(x)"
    if not callable(surface):
        raise ModelError(f"the surface {surface!r} is no function", where=where, fix=fix)
    try:
        value = surface(*coordinates)
    except ModelError:
        raise
    except Exception as error:  # a user's function
        raise ModelError(
            f"the surface cannot be computed of symbols: {error}", where=where, fix=way_to_write(error) or fix
        ) from error
    f = as_expression(value, where=f"{where}, surface")
    if not isinstance(f, sp.Expr):
        raise ModelError(f"the surface gives {f!r}, which is no number", where=where, fix=fix)
    if f.free_symbols.isdisjoint(coordinates):
        raise ModelError("the surface does not depend on the position", where=where, fix=fix)
    return f
