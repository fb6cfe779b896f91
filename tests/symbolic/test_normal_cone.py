"""Normal cones to polytopes: what the law imposes, and what is no polytope."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sympy as sp

import nsdgen as nsd
from nsdgen.abi import Cone
from nsdgen.errors import ModelError

TRIANGLE = nsd.NormalCone([[1, 1], [-1, 0], [0, -1]], [1, 0, 0])


def test_what_is_imposed() -> None:
    """y + H^T mu = 0, K - H lambda complementary to mu."""
    y, lam, mu = (sp.Matrix(sp.symbols(f"{name}:{n}")) for name, n in (("y", 2), ("lam", 2), ("mu", 3)))
    rows, cones = TRIANGLE.imposed(y, sp.Matrix.vstack(lam, mu))
    rows = rows.xreplace({s.symbol: s.value for s in TRIANGLE.slots})
    assert list(rows) == [y[0] + mu[0] - mu[1], y[1] + mu[0] - mu[2], 1 - lam[0] - lam[1], lam[0], lam[1]]
    assert cones == ((Cone.EQUALITY, 2), (Cone.COMPLEMENTARITY, 3))
    assert TRIANGLE.own_multipliers(2) == ("face[0]", "face[1]", "face[2]")


def test_forms_of_matrices() -> None:
    h = np.array([[1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    for form in (h, scipy.sparse.csr_array(h), h.tolist()):
        assert [float(s.value) for s in nsd.NormalCone(form, np.array([1.0, 0.0, 0.0])).slots] == [
            float(s.value) for s in TRIANGLE.slots
        ]


def test_a_box_in_rotated_coordinates() -> None:
    law = nsd.NormalCone.of_box([[1, 1], [1, -1]], [-1, -sp.oo], [2, 3])
    assert sp.ImmutableMatrix([[1, 1], [1, -1], [-1, -1]]) == law.H and list(law.K) == [2, 3, 1]


@pytest.mark.parametrize(
    ("h", "k", "message"),
    [
        ([[1], [-1]], [0, -1], "no lambda satisfies"),
        ([[0, 0]], [1], "row 0 of H is zero"),
        ([[1, 0]], [1, 2], "shape 2x1"),
        ([[1, np.nan]], [1], "H0_1"),
    ],
)
def test_what_is_no_polytope_is_refused(h: Any, k: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        nsd.NormalCone(h, k)


def test_another_number_of_rows_is_refused_by_name() -> None:
    x, lam = sp.Function("x")(nsd.time), nsd.multipliers("lam", 1)
    system = nsd.FirstOrderSystem("s", [x], [0])
    with pytest.raises(ModelError, match="H has 2 columns for 1 rows"):
        nsd.FirstOrderRelation("r", lam, [x], {system: lam}, TRIANGLE)


def test_it_is_not_mixed() -> None:
    with pytest.raises(ModelError, match="cannot be mixed"):
        nsd.Mixed([nsd.NormalCone([[1]], [1])])
