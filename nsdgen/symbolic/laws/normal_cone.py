"""Normal cones to polytopes: -y in N_C(lambda), C = {lambda: H lambda <= K}."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import column, matrix
from nsdgen.symbolic.laws.law import Law, Slot, coefficient


@named_arguments
@dataclass(frozen=True)
class NormalCone(Law):
    """-y in N_C(lambda), C = {lambda: H lambda <= K}: y = 0 inside C, -y along the outward normals on its faces.

    ``H`` has a row for each face and a column for each multiplier, ``K`` an entry for each face: numbers or
    expressions of parameters; of a relation by output and reaction they may also depend on time, states and
    multipliers, which is rewritten (:mod:`nsdgen.symbolic.relations.dependent_bounds`). With C = [l, u] it is
    ``Box(l, u)``. Imposed as y + H^T mu = 0, 0 <= K - H lambda orthogonal to mu >= 0, with the forces mu of the faces
    as multipliers of the law's own, recorded as ``face[0]``, ``face[1]``, ....
    Raises ``ModelError`` for shapes that do not fit, a face without direction, and an empty C.
    """

    H: Any = ()
    K: Any = ()
    cone: Cone | None = field(init=False, default=Cone.EQUALITY)

    def __post_init__(self) -> None:
        where = "law NormalCone"
        faces = matrix(_plain(self.H), where=f"{where}, H", fix="give a matrix with a row for each face")
        offsets = column(_plain(self.K), where=f"{where}, K", rows=faces.rows, fix="give one entry for each row of H")
        object.__setattr__(self, "H", sp.ImmutableMatrix(faces))
        object.__setattr__(self, "K", sp.ImmutableMatrix(offsets))
        for i in range(faces.rows):
            if all(e.is_zero for e in faces[i, :]):
                raise ModelError(f"row {i} of H is zero", where=where, fix="leave it out: it is no face")
        self.slots  # noqa: B018  refuses what cannot be a coefficient
        _refuse_empty(faces, offsets, where)

    @classmethod
    def of_box(cls, axes: Any, lower: Any, upper: Any) -> Self:
        """The box lower <= T lambda <= upper in coordinates T lambda; ``axes`` is T, infinite bounds are no faces."""
        where = "law NormalCone, of_box"
        t = matrix(_plain(axes), where=f"{where}, axes")
        low, high = (
            column(_plain(b), where=f"{where}, {what}", rows=t.rows, fix="give one bound for each row of axes")
            for b, what in ((lower, "lower"), (upper, "upper"))
        )
        rows = [(t[i, :], high[i]) for i in range(t.rows) if high[i] != sp.oo]
        rows += [(-t[i, :], -low[i]) for i in range(t.rows) if low[i] != -sp.oo]
        if not rows:
            raise ModelError("no bound is finite", where=where, fix="use nsd.Equality()")
        return cls(sp.Matrix.vstack(*(face for face, _ in rows)), sp.Matrix([offset for _, offset in rows]))

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The entries of H that are not zero, row by row, then K."""
        return tuple(coefficient("NormalCone", f"H{i}_{j}", e) for (i, j), e in self._entries()) + tuple(
            coefficient("NormalCone", f"K{i}", e) for i, e in enumerate(self.K)
        )

    @property
    def polytope(self) -> tuple[sp.Matrix, sp.Matrix]:
        """C."""
        return sp.Matrix(self.H), sp.Matrix(self.K)

    def own_multipliers(self, rows: int) -> tuple[str, ...]:
        """A force for each face; raises ``ModelError`` where H does not have a column for each row."""
        if self.H.cols != rows:
            raise ModelError(
                f"H has {self.H.cols} columns for {rows} rows",
                where="law NormalCone",
                fix="give a column for each multiplier of the relation",
            )
        return tuple(f"face[{i}]" for i in range(self.H.rows))

    def imposed(self, rows: sp.Matrix, multiplier: sp.Matrix) -> tuple[sp.Matrix, tuple[tuple[Cone, int], ...]]:
        """y + H^T mu = 0 and K - H lambda complementary to mu, over the slots."""
        slots = [s.symbol for s in self.slots]
        entries = dict(zip((place for place, _ in self._entries()), slots, strict=False))
        faces = sp.Matrix(self.H.rows, self.H.cols, lambda i, j: entries.get((i, j), 0))
        offsets = sp.Matrix(slots[len(entries) :])
        inside, forces = multiplier[: rows.rows, :], multiplier[rows.rows :, :]
        values = sp.Matrix.vstack(rows + faces.T * forces, offsets - faces * inside)
        return values, ((Cone.EQUALITY, rows.rows), (Cone.COMPLEMENTARITY, faces.rows))

    def impulses(self, rows: int) -> Sequence[tuple[sp.Expr, sp.Expr]] | None:
        """Zero where C is bounded, which is known where H are numbers."""
        if not all(e.is_number for e in self.H):
            return None
        from scipy.optimize import linprog

        faces = np.array(self.H, dtype=float)
        away = [
            linprog(sign * row, faces, np.zeros(len(faces)), bounds=(-1, 1)).fun
            for row in np.eye(faces.shape[1])
            for sign in (1, -1)
        ]
        return [(sp.S.Zero, sp.S.Zero)] * rows if min(away) > -1e-9 else None

    def _entries(self) -> list[tuple[tuple[int, int], sp.Expr]]:
        """The entries of H that are not zero, row by row."""
        return sorted(((place, e) for place, e in self.H.todok().items() if not e.is_zero), key=lambda pair: pair[0])


def _plain(value: Any) -> Any:
    """Sparse matrices and arrays as lists of lists."""
    dense = value.toarray() if hasattr(value, "toarray") else value
    return dense.tolist() if isinstance(dense, np.ndarray) else dense


def _refuse_empty(faces: sp.Matrix, offsets: sp.Matrix, where: str) -> None:
    """Raise ``ModelError`` where no lambda is in C, as far as H and K are numbers."""
    if not all(e.is_number for e in (*faces, *offsets)):
        return
    from scipy.optimize import linprog

    found = linprog(
        np.zeros(faces.cols), np.array(faces, dtype=float), np.array(offsets, dtype=float).ravel(), bounds=(None, None)
    )
    if found.status == 2:
        raise ModelError("no lambda satisfies H lambda <= K", where=where, fix="give a set that is not empty")
