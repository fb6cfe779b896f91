"""Ctrl-C where compiled code has called Python: the run ends with it."""

import pytest
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.solvers.step import last_resort


def test_in_the_last_resort_of_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was printed as ignored, and the run said that its step had no solution."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(last_resort, "rescue", interrupted)
    (y,) = dynamicsymbols("y,")
    ball = nsd.LagrangianSystem("ball", [y], kinetic=y.diff() ** 2 / 2)
    floor = nsd.Contact("floor", y, nsd.NewtonImpact(0))
    falls = nsd.VelocityConstraint("falls", y.diff() + 1)
    rubs = nsd.RateForce("rubs", y.diff(), nsd.Relay(1))
    given = {"scheme": nsd.MoreauJean(), "step": 0.1, "end": 1, "initial": {y: 0, y.diff(): -1}}
    model = nsd.Model("m", [ball], [floor, falls, rubs], **given).compile(interpret=True)
    with pytest.raises(KeyboardInterrupt):
        model.run()
    monkeypatch.undo()
    with pytest.raises(nsd.errors.SolverError, match="no solution"):
        model.run()
