"""Conditions joined: SymPy's own result, also where the trees of what they compare have no end."""

import itertools

import pytest
import sympy as sp

from nsdgen.symbolic.expressions import conditions
from nsdgen.symbolic.expressions.conditions import joined
from nsdgen.symbolic.expressions.nodes import Branch
from nsdgen.symbolic.expressions.nodes_of import replaced

X, Y, Z = sp.symbols("x y z", real=True)
SOME = [X < Y, X**2 > 0.5 * Y, sp.true, sp.false, sp.Or(Y > 1, X > 2), sp.And(Y > 1, sp.Ne(X, 2)), Y + 1 > X]


@pytest.mark.parametrize("kind", [sp.And, sp.Or])
@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_the_result_is_sympys(kind, count, monkeypatch):
    monkeypatch.setattr(conditions, "_SMALL", -1)
    for chosen in itertools.product(SOME, repeat=count):
        made, theirs = joined(kind, *chosen), kind(*chosen)
        assert made == theirs and made.args == theirs.args and hash(made) == hash(theirs)


def test_a_tree_without_end_is_a_small_graph():
    """Two to the hundredth nodes, which SymPy counts one by one."""
    f, long = sp.Function("f"), X
    for _ in range(100):
        long = f(long, long)
    both = joined(sp.And, sp.Gt(long, Y, evaluate=False), Y > 0)
    assert both.args[0] == (Y > 0) and len(both.args) == 2
    assert replaced(sp.Matrix([Branch(X, both, Y, sp.true)]), {Y: Z})[0].args[1].args[0] == (Z > 0)
