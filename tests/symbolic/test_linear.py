"""Linear systems from matrices: forms of input, names, numbers as data, open inputs, use in relations."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.signal
import scipy.sparse
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError

A = np.array([[0.0, 1.0], [-2.0, -0.3]])
B, C, D = [[0.0], [1.5]], [[1.0, 0.5]], [[0.25]]
SCHEME = nsd.ThetaGamma(theta=0.5)


def plant(a: Any = A, **options: Any) -> nsd.LinearSystem:
    given = {"states": ["x", "v"], "inputs": {"u": sp.sin(nsd.time)}, "outputs": ["y"], **options}
    return nsd.LinearSystem("plant", a, B, C, D, **given)


def model(system: nsd.LinearSystem, **options: Any) -> nsd.Model:
    return nsd.Model("loop", [system], scheme=SCHEME, **{"step": 1e-2, "end": 0.5, **options})


def expected(a: np.ndarray, x: np.ndarray, steps: int = 50, h: float = 1e-2) -> np.ndarray:
    """The trapezoidal rule by hand."""
    left, right, b = np.eye(2) - h / 2 * a, np.eye(2) + h / 2 * a, np.array([0.0, 1.5])
    for k in range(steps):
        x = np.linalg.solve(left, right @ x + h / 2 * b * (np.sin(k * h) + np.sin((k + 1) * h)))
    return x


def test_another_matrix_of_the_same_pattern_runs_with_the_same_code() -> None:
    other = np.array([[0.0, 2.0], [-7.0, -0.1]])
    first, second = (model(plant(a), initial={}).compile() for a in (A, other))
    assert first.table.hash == second.table.hash and first.text == second.text
    for a, compiled in ((A, first), (other, second)):
        run = compiled.run(initial={"plant.x": 1.0})
        assert np.array([run["plant.x"][-1], run["plant.v"][-1]]) == pytest.approx(
            expected(a, np.array([1.0, 0.0])), rel=1e-12
        )


def test_another_pattern_is_other_code() -> None:
    full = np.array([[1.0, 2.0], [-7.0, -0.1]])
    assert model(plant(full)).compile().table.hash != model(plant()).compile().table.hash


def test_numbers_are_parameters_called_by_their_place() -> None:
    system = plant()
    assert {str(s): v for s, v in system.own_parameters.items()} == {
        "plant.A[0,1]": 1.0,
        "plant.A[1,0]": -2.0,
        "plant.A[1,1]": -0.3,
        "plant.B[1,0]": 1.5,
        "plant.C[0,0]": 1.0,
        "plant.C[0,1]": 0.5,
        "plant.D[0,0]": 0.25,
    }
    by_run = model(system, initial={system.state("x"): 1.0}).run(parameters={system.A[1, 0]: -5.0})
    by_model = model(system, initial={system.state("x"): 1.0}, parameters={system.A[1, 0]: -5.0}).run()
    new = plant(np.array([[0.0, 1.0], [-5.0, -0.3]]))
    by_matrix = model(new, initial={new.state("x"): 1.0}).run()
    assert by_run["plant.x"][-1] == by_model["plant.x"][-1] == by_matrix["plant.x"][-1] != 0.0


@pytest.mark.parametrize(
    "form", [np.asarray, np.ndarray.tolist, sp.Matrix, scipy.sparse.csr_array, scipy.sparse.coo_matrix]
)
def test_every_form_of_a_matrix_is_the_same_system(form: Any) -> None:
    assert plant(form(A)).own_parameters == plant().own_parameters


def test_stored_zeros_of_a_sparse_matrix_belong_to_its_pattern() -> None:
    stored = scipy.sparse.csr_array((np.array([0.0, 1.0, -2.0, -0.3]), ([0, 0, 1, 1], [0, 1, 0, 1])), shape=(2, 2))
    system = plant(stored)
    assert system.own_parameters[system.A[0, 0]] == 0.0 and len(system.A.free_symbols) == 4


def test_duplicates_of_a_sparse_matrix_are_summed() -> None:
    coo = scipy.sparse.coo_array((np.array([0.5, 0.5, -2.0, -0.3]), ([0, 0, 1, 1], [1, 1, 0, 1])), shape=(2, 2))
    assert plant(coo).own_parameters == plant().own_parameters


def test_entries_may_be_functions_of_time_and_parameters() -> None:
    """x' = -(a + cos t) x: x = exp(-a t - sin t)."""
    a = sp.Symbol("a")
    system = nsd.LinearSystem("plant", [[-a - sp.cos(nsd.time)]], states=["x"])
    run = model(system, parameters={a: 0.5}, initial={system.state("x"): 1.0}, step=1e-3, end=1.0).run()
    assert run["plant.x"][-1] == pytest.approx(np.exp(-0.5 - np.sin(1.0)), rel=1e-6)


def test_descriptor_and_constant_term() -> None:
    """2 x' = -x + 3 tends to 3."""
    system = nsd.LinearSystem("plant", -1, E=2, e=3, states=["x"])
    run = model(system, end=1.0, step=1e-3).run()
    assert run["plant.x"][-1] == pytest.approx(3 * (1 - np.exp(-0.5)), rel=1e-6)


def test_inputs_and_outputs_are_recorded_with_units() -> None:
    system = plant(units={"x": "m", "u": "N", "y": "V"})
    run = model(system).run()
    u, x, v = run["plant.u"], run["plant.x"], run["plant.v"]
    assert u == pytest.approx(np.sin(run.time), abs=1e-15)
    assert run["plant.y"] == pytest.approx(x + 0.5 * v + 0.25 * u, abs=1e-15)
    assert {c.name: c.unit for c in run.columns} | {"plant.x": "m", "plant.u": "N", "plant.y": "V", "plant.v": ""} == {
        c.name: c.unit for c in run.columns
    }


def test_unnamed_quantities_are_vectors() -> None:
    system = nsd.LinearSystem("plant", A, B, C, D, inputs={"u": 0})
    run = model(system, initial={system.x: [1.0, 2.0]}).run()
    assert run["plant.x"][0].tolist() == [1.0, 2.0] and run["plant.y"].shape == (len(run), 1)


def test_initial_values_as_a_vector() -> None:
    """In the model and in a run, whether states have names or are a vector; each once."""
    for names in (None, ["x", "v"]):
        system = nsd.LinearSystem("plant", A, states=names)
        of_model, of_run = model(system, initial={system.x: [1.0, 2.0]}), model(system)
        for run in (of_model.run(), of_run.run(initial={system.x: [1.0, 2.0]})):
            first = [run.table[0, i] for i in range(2)]
            assert first == [1.0, 2.0]
        assert of_run.run(initial={system.x[1]: 3.0}).table[0, 1] == 3.0
        with pytest.raises(ModelError, match="by itself and in the vector"):
            model(system, initial={system.x: [1.0, 2.0], system.x[0]: 3.0})
        with pytest.raises(ModelError, match="no vector of 2 states"):
            model(system, initial={system.x: [1.0]})
        with pytest.raises(ParameterError):
            of_run.run(initial={system.x: [1.0]})


def test_an_open_input_is_refused_by_name_and_may_be_a_constant_of_the_model() -> None:
    system = plant(inputs=["force"])
    assert system.open_inputs == (system.u[0],)
    with pytest.raises(ModelError, match="nothing defines the input 'force'"):
        model(system)
    run = model(system, parameters={system.input("force"): 2.0}, end=60.0).run()
    assert run["plant.x"][-1] == pytest.approx(1.5, rel=1e-3)  # 2 x = 1.5 u
    assert run["plant.force"][-1] == 2.0


def test_a_state_space_of_scipy() -> None:
    of_scipy = scipy.signal.StateSpace(A, B, C, D)
    system = nsd.LinearSystem.of("plant", of_scipy, inputs={"u": 1})
    run = model(system, step=1e-3, end=2.0).run()
    _, y = scipy.signal.step(of_scipy, T=run.time)
    assert run["plant.y"].ravel() == pytest.approx(y, abs=1e-5)


def test_a_state_space_with_labels() -> None:
    labelled = SimpleNamespace(
        A=A, B=B, C=C, D=D, dt=0, state_labels=["q", "p"], input_labels=["f"], output_labels=["z"]
    )
    system = nsd.LinearSystem.of("plant", labelled)
    assert (system.state_names, system.input_names, system.output_names) == (("q", "p"), ("f",), ("z",))


@pytest.mark.parametrize("dt", [0.1, True])
def test_discrete_time_is_refused(dt: Any) -> None:
    with pytest.raises(ModelError, match="in discrete time"):
        nsd.LinearSystem.of("plant", SimpleNamespace(A=A, B=B, C=C, D=D, dt=dt))


def test_a_transfer_function_is_refused() -> None:
    with pytest.raises(ModelError, match="has no matrix A"):
        nsd.LinearSystem.of("plant", scipy.signal.TransferFunction([1], [1, 2]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"B": [[1.0]]}, "B: has shape 1x1, expected 2x1"),
        ({"C": [[1.0, 2.0, 3.0]]}, "C: has shape 1x3"),
        ({"A": [[1.0, 2.0]]}, "A: has shape 1x2"),
        ({"A": [[np.nan, 0], [0, 1]]}, r"entry \(0, 0\) is nan"),
        ({"A": [[1j, 0], [0, 1]]}, "finite real"),
        ({"A": [[1.0], [1.0, 2.0]]}, "rows of different lengths"),
        ({"E": np.eye(3)}, "E: has shape 3x3"),
        ({"e": [1.0, 2.0, 3.0]}, "e: has shape 3x1"),
        ({"A": [["0", "1"], ["2", "3"]]}, "text"),
        ({"inputs": {"u": "sin(t)"}}, "text"),
        ({"states": ["x"]}, "1 names for 2"),
        ({"states": ["x", "y"]}, "are called 'y'"),
        ({"units": {"z": "m"}}, "units of 'z'"),
        ({"states": ["x", "a.b"]}, "'a.b' is no name"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(options: dict[str, Any], message: str) -> None:
    matrices = {"A": A, "B": [[0.0], [1.0]], "C": [[1.0, 0.0]]} | {k: v for k, v in options.items() if len(k) == 1}
    rest = {"states": ["x", "v"], "inputs": ["u"], "outputs": ["y"]} | {k: v for k, v in options.items() if len(k) > 1}
    with pytest.raises(ModelError, match=message):
        nsd.LinearSystem("plant", **matrices, **rest)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ModelError, match="has no state 'z'") as caught:
        plant().state("z")
    assert "x, v" in caught.value.fix


def test_outputs_in_relations_and_columns_of_b_in_reactions() -> None:
    """x' = -sgn(y), y = 2 x: zero is reached at t = 1 and kept, whatever the numbers of C."""
    system = nsd.LinearSystem("plant", [[0.0]], [[1.0]], [[2.0]], states=["x"], inputs={"u": 0}, outputs=["y"])
    lam = nsd.multipliers("lam", 1)
    relay = nsd.FirstOrderRelation("relay", lam, system.y, {system: system.B * sp.Matrix(lam)}, nsd.Relay(1))
    run = nsd.Model(
        "slide", [system], [relay], scheme=nsd.ThetaGamma(theta=1), step=0.01, end=2.0, initial={system.state("x"): 1.0}
    ).run(parameters={"plant.B[0,0]": 2.0})
    assert run["plant.x"][25] == pytest.approx(0.5) and abs(run["plant.x"][60:]).max() < 1e-14
    assert run["relay.output"] == pytest.approx(run["plant.y"])


def test_states_may_be_functions_of_time_of_the_user() -> None:
    x, v = dynamicsymbols("x v")
    system = plant(states=[x, v])
    run = model(system, initial={x: 1.0, v: 0.5}).run()
    assert (run["plant.x"][0], run["plant.v"][0]) == (1.0, 0.5)


def test_plants_of_one_pattern_share_a_class_and_have_their_own_labels() -> None:
    first = plant()
    second = nsd.LinearSystem("other", 2 * A, B, C, D, states=["a", "b"], inputs={"w": sp.sin(nsd.time)}, outputs=["z"])
    both = nsd.Model("two", [first, second], scheme=SCHEME, step=1e-2, end=0.1, initial={second.x: [1.0, 0.0]})
    assert len(both.description.system_classes) == 1
    run = both.run()
    assert run["other.a"][0] == 1.0 and run["other.z"][0] == 1.0 and run["plant.y"][0] == 0.0


def test_copies_differ_in_entries() -> None:
    system = nsd.LinearSystem("cell", [[-1.0]], states=["x"])
    cells = system.copies(3, parameters={system.A[0, 0]: [-1.0, -2.0, -3.0]}, initial={system.state("x"): 1.0})
    run = nsd.Model("cells", cells, scheme=SCHEME, step=1e-3, end=1.0).run()
    assert [run[f"cell {i}.x"][-1] for i in range(3)] == pytest.approx(np.exp([-1.0, -2.0, -3.0]), rel=1e-5)
