"""Steps that fail: the error names model, place, time and iteration, and keeps the trajectory so far."""

import re

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import NonFinite, NotConverged, SingularMatrix, SolverError

m, k = sp.symbols("m k", real=True)
x, y = dynamicsymbols("x y")


def test_singular_iteration_matrix():
    system = nsd.LagrangianSystem("slider", [x], mass=[[m]], external=[1])
    model = nsd.Model(
        "massless", [system], scheme=nsd.MoreauJean(), step=0.1, end=1.0, parameters={m: 0.0}, initial={x: 0.0}
    )
    with pytest.raises(SingularMatrix, match=r"'massless'.*'slider'.*singular at step 1 from t = 0.*'slider\.x_dot'"):
        model.run()


def test_a_singular_iteration_matrix_names_the_coordinate_without_mass():
    """Two coordinates, the mass matrix [[2, 2], [2, 2]]: the second column repeats the first."""
    system = nsd.LagrangianSystem("pair", [x, y], mass=sp.Matrix([[2, 2], [2, 2]]))
    model = nsd.Model("twice", [system], scheme=nsd.MoreauJean(), step=0.1, end=1.0, initial={x: 0.0, y: 0.0})
    with pytest.raises(SingularMatrix, match=r"the column of unknown 'pair\.y_dot' depends on those before it"):
        model.run()


def test_iteration_matrix_that_becomes_singular_keeps_the_trajectory():
    """W = 1 - h k t_next with k = 10, h = 0.1 is zero in the step that ends at t = 1."""
    system = nsd.FirstOrderSystem("s", [x], [k * nsd.time * x])
    model = nsd.Model(
        "late", [system], scheme=nsd.ThetaGamma(theta=1.0), step=0.125, end=4.0, parameters={k: 8.0}, initial={x: 1.0}
    )
    with pytest.raises(SingularMatrix, match=r"step 8 from t = 0\.875") as caught:
        model.run()
    run = caught.value.trajectory
    np.testing.assert_array_equal(run.time, np.arange(8) * 0.125)
    assert np.isfinite(run.table).all()


def test_newton_that_does_not_converge_says_how_far_it_got():
    scheme = nsd.ThetaGamma(theta=1.0, newton=nsd.Newton(max_iterations=2, line_search="never"))
    model = nsd.Model(
        "hard", [nsd.FirstOrderSystem("s", [x], [-1e4 * x**3])], scheme=scheme, step=1.0, end=3.0, initial={x: 1.0}
    )
    with pytest.raises(NotConverged, match=r"'hard', system 's'.*stage 'step', iteration 2") as caught:
        model.run()
    assert len(caught.value.trajectory) == 1
    kept = nsd.ThetaGamma(theta=1.0, newton=nsd.Newton(max_iterations=2, line_search="never", on_limit="keep"))
    run = nsd.Model(
        "hard", [nsd.FirstOrderSystem("s", [x], [-1e4 * x**3])], scheme=kept, step=1.0, end=3.0, initial={x: 1.0}
    ).run()
    assert run["newton_iterations"].max() == 2


def test_a_state_that_blows_up():
    model = nsd.Model(
        "blow",
        [nsd.FirstOrderSystem("s", [x], [x**2])],
        scheme=nsd.ThetaGamma(theta=0.0),
        step=1.0,
        end=50.0,
        initial={x: 10.0},
    )
    with pytest.raises((NonFinite, SingularMatrix), match="'blow'") as caught:
        model.run()
    assert np.isfinite(caught.value.trajectory.table).all()


@pytest.mark.parametrize(
    ("rhs", "initial", "says", "mend"),
    [
        (sp.sqrt(x) - 1, -1.0, "at the start, t = 0|at step 1 from t = 0", "so for the initial values and parameters"),
        (sp.sqrt(1 - nsd.time), 1.0, "at step 1[12] from", "a smaller step only comes closer"),
        (-1 / sp.sqrt(x), 1.0, "iteration", "left for where it is not defined: reduce the step"),
    ],
)
def test_numbers_that_are_not_finite_say_where_and_whether_a_smaller_step_helps(rhs, initial, says, mend):
    model = nsd.Model(
        "root",
        [nsd.FirstOrderSystem("s", [x], [rhs])],
        scheme=nsd.ThetaGamma(theta=0.0),
        step=0.1,
        end=5.0,
        initial={x: initial},
    )
    with pytest.raises(NonFinite, match=says) as caught:
        model.run()
    assert "kernels residual and linearize of class 's'" in str(caught.value)
    assert re.search(mend, caught.value.fix) and "a division by zero" in caught.value.fix


def test_constraints_that_contradict_each_other():
    t = nsd.time
    system = nsd.LagrangianSystem("mass", [x], mass=[[1]])
    model = nsd.Model(
        "torn",
        [system],
        [nsd.Bilateral("still", x), nsd.Bilateral("moving", x - t)],
        scheme=nsd.MoreauJean(),
        step=0.1,
        end=1.0,
        initial={x: 0.0},
    )
    with pytest.raises(SolverError, match=r"'torn', relation '(still|moving)'.*contradicts") as caught:
        model.run()
    assert caught.value.reason == "inconsistent"


def test_a_problem_without_solution_is_infeasible():
    """0 <= y = -1 - x, lambda >= 0 without effect on x: nothing can make y nonnegative."""
    lam = nsd.multipliers("lam", 1)
    system = nsd.FirstOrderSystem("s", [x], [0])
    wall = nsd.FirstOrderRelation("wall", lam, [-1 - x], {system: [lam[0]]}, nsd.Complementarity())
    model = nsd.Model("stuck", [system], [wall], scheme=nsd.ThetaGamma(), step=0.1, end=1.0, initial={x: 0.0})
    with pytest.raises(SolverError, match="'stuck', relation 'wall'") as caught:
        model.run()
    assert caught.value.reason in ("infeasible", "ray")


def test_errors_survive_pickling():
    import pickle

    error = SolverError("no", model="m", where="relation 'r'", fix="do")
    error.reason = "ray"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.reason, type(again)) == (str(error), "ray", SolverError)


def test_projection_that_cannot_finish():
    """Constraints x = 0 and x = 1 after a step: no position satisfies both, the repetitions run out."""
    system = nsd.LagrangianSystem("mass", [x, y], mass=[[1, 0], [0, 1]])
    scheme = nsd.MoreauJean(projection=nsd.Projection(tolerance=1e-12, max_iterations=2))
    model = nsd.Model(
        "curve",
        [system],
        [nsd.Bilateral("curve", y - sp.sin(20 * x) * sp.exp(x))],
        scheme=scheme,
        step=0.05,
        end=2.0,
        initial={x: 0.0, y: 0.0, x.diff(): 3.0, y.diff(): 60.0},
    )
    with pytest.raises(NotConverged, match=r"violation of .* left after the last repetition.*'projection'"):
        model.run()


def test_an_infeasible_circuit_is_told_about_outputs_not_gaps():
    """A source that forces a current against a diode: no voltage makes the law hold."""
    voltage = dynamicsymbols("voltage")
    drop = nsd.multipliers("drop", 1)
    node = nsd.FirstOrderSystem("node", [voltage], [-voltage])
    diode = nsd.FirstOrderRelation("diode", drop, [-1 - voltage - drop[0]], {node: [0]}, nsd.Complementarity())
    model = nsd.Model("forced", [node], [diode], scheme=nsd.ThetaGamma(), step=0.1, end=1, initial={voltage: 1})
    with pytest.raises(SolverError, match="relation 'diode'") as caught:
        model.run()
    assert "gap" not in str(caught.value) and "forces a current against a diode" in caught.value.fix


@pytest.mark.parametrize(
    ("scheme", "told"),
    [
        (nsd.ThetaGamma(gamma=0), "give initial values with which the law holds"),
        (nsd.ThetaGamma(gamma=0, initial_multiplier="zero"), "does not move this output"),
    ],
)
def test_multipliers_that_move_no_output_are_told(scheme, told):
    """gamma = 0 without D: multipliers act at the start of a step, the law is asked of its end."""
    held = nsd.multipliers("held", 1)
    system = nsd.FirstOrderSystem("s", [x], [-x])
    kept = nsd.FirstOrderRelation("kept", held, [x], {system: [held[0]]}, nsd.Equality())
    model = nsd.Model("explicit", [system], [kept], scheme=scheme, step=0.1, end=1.0, initial={x: 1.0})
    with pytest.raises(SolverError, match="relation 'kept'") as caught:
        model.run()
    assert told in caught.value.fix and "diode" not in caught.value.fix


def test_what_holds_the_same_body_is_named():
    """A motor turns what is fixed: the joint, the motor and what fixes it are named."""
    body = nsd.RigidBody("arm", 1, sp.eye(3))
    joint = nsd.Revolute("hinge", nsd.Marker(body), nsd.Marker())
    held = [joint, nsd.Fixed("weld", nsd.Marker(body), nsd.Marker()), joint.motor(speed=1.0)]
    model = nsd.Model("m", [body], held, scheme=nsd.Rattle(), step=0.1, end=0.1, initial={body.position: [0, 0, 0]})
    with pytest.warns(UserWarning, match="hinge motor"), pytest.raises(SolverError) as caught:
        model.run()
    assert all(f"'{name}'" in str(caught.value) for name in ("hinge", "hinge motor", "weld"))


def test_a_run_of_one_step_has_no_large_fixed_cost():
    """What does not change from run to run is made once: layout, columns, their index."""
    voltage = dynamicsymbols("voltage")
    model = nsd.Model(
        "rc",
        [nsd.FirstOrderSystem("node", [voltage], [-voltage])],
        scheme=nsd.ThetaGamma(),
        step=0.1,
        end=0.1,
        initial={voltage: 1},
    )
    compiled = model.compile()
    first, second = compiled.run(), compiled.run()
    assert first.columns is second.columns or first.columns == second.columns
    assert first.index is second.index
