"""Schemes that carry more than the user's initial values, solve for symbols of their own and observe systems."""

from dataclasses import dataclass

import numpy as np
import pytest
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import SingularMatrix
from nsdgen.extend import STEP, T_K, T_NEXT, Scheme, option

x = dynamicsymbols("x")


@dataclass(frozen=True)
class TwoSteps(Scheme):
    """BDF2, (3 x - 4 x_k + x_k-1) / 2 = h f(t_next, x), started by x_-1 = x_0 - weight h f(t_0, x_0)."""

    weight: float = option(1.0, 0, 2)

    def system(self, step):
        w, x_k, before = step.unknown("new", like="x"), step.state("x_k"), step.state("x_before")
        end = step.at(T_NEXT, x=w)
        step.residual(step.term("mass", end) * (3 * w - 4 * x_k + before) / 2 - STEP * step.term("rhs", end))
        step.start(x_k)
        step.advance(x_k=w, x_before=x_k)
        step.view(x=w)
        given = step.given("x")
        step.initial(x_k=given, x_before=given - step.options.weight * STEP * step.term("rhs", step.at(T_K, x=given)))
        step.observe([(x_k[0] - before[0]) / STEP, x_k[0] * T_NEXT], ["slope", "moment"], ["m/s", "m s"])


def recursion(h, steps, weight, t_0=0.0, x_0=1.0):
    """The same in NumPy, for f = -2 x + t: rows of x_k, x_k-1."""
    rows = [(x_0, x_0 - weight * h * (-2 * x_0 + t_0))]
    for k in range(1, steps + 1):
        now, before = rows[-1]
        rows.append(((4 * now - before + 2 * h * (t_0 + k * h)) / (3 + 4 * h), now))
    return np.array(rows)


@pytest.fixture(scope="module")
def two_steps():
    system = nsd.FirstOrderSystem("s", [x], [-2 * x + nsd.time])
    return nsd.Model("two", [system], scheme=TwoSteps(), step=0.1, end=2.0, start=0.5, initial={x: 1.0}).compile()


@pytest.mark.parametrize(
    "changed", [{}, {"step": 0.05}, {"start": 0.25}, {"options": {"weight": 0.5}}, {"initial": {"x": -3.0}}]
)
def test_the_carried_state_may_be_longer_than_what_the_user_gives(two_steps, changed):
    """x_-1 depends on h, an option of the scheme and t_0, which change from run to run."""
    run = two_steps.run(**changed)
    expected = recursion(
        changed.get("step", 0.1),
        len(run) - 1,
        changed.get("options", {}).get("weight", 1.0),
        changed.get("start", 0.5),
        changed.get("initial", {"x": 1.0})["x"],
    )
    np.testing.assert_allclose(np.column_stack([run["s.x"], run["s.x_before"]]), expected, rtol=1e-13, atol=1e-15)


def test_a_two_step_method_has_order_two(two_steps):
    """x' = -2 x + t, x(0.5) = 1."""
    exact = 2.0 / 2 - 0.25 + (1.0 - 0.5 / 2 + 0.25) * np.exp(-2 * 1.5)
    errors = [abs(two_steps.run(step=h).final["s.x"] - exact) for h in (0.02, 0.01, 0.005)]
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 2.0, atol=0.1)


def test_a_system_observes(two_steps):
    """From the first instant on, with labels and units of its own, from the state at the end of the step."""
    run = two_steps.run()
    np.testing.assert_allclose(run["s.slope"], (run["s.x"] - run["s.x_before"]) / 0.1, rtol=1e-13)
    np.testing.assert_allclose(run["s.moment"], run["s.x"] * run.time, rtol=1e-14)
    assert run.unit("s.slope") == "m/s" and run.unit("s.moment") == "m s"


def test_an_unknown_of_the_scheme_is_named_by_its_label():
    system = nsd.FirstOrderSystem("s", [x], [0 * x], mass=[[0]])
    with pytest.raises(SingularMatrix, match=r"the column of unknown 's\.x_new' depends") as caught:
        nsd.Model("none", [system], scheme=TwoSteps(), step=0.1, end=1.0, initial={x: 1.0}).run()
    assert caught.value.where == "system 's'"
