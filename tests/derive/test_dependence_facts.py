"""What a kernel record claims about its outputs: what they depend on, which entries are zero, which flags hold."""

from __future__ import annotations

from random import Random

import mpmath
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.abi import Flag, Quantity, Role
from nsdgen.derive.kernel import Output
from nsdgen.model.pipeline import emit_model

from .models import EXAMPLES, MODELS, kernel, kernels, pendulum, sample, transistors
from .truth import evaluate

PER_RUN = {Role.RUN, Role.PARAMETERS}


def output(name: str, cls: str, of: str, wanted: str) -> Output:
    return next(o for o in kernel(name, cls, of).outputs if o.name == wanted)


def roles(out: Output) -> set[Role]:
    return {role for role in Role if out.depends >> role & 1}


def places(out: Output) -> set[tuple[int, int]]:
    return {(i, j) for i, j, _ in out.entries}


@pytest.mark.parametrize("name", EXAMPLES)
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_an_input_whose_bit_is_not_set_changes_nothing(name: str, seed: int) -> None:
    for where, k in kernels(name):
        before, other = (sample(k.inputs, name, Random(seed + i)) for i in range(2))
        for out in k.outputs:
            unread = {s for a in k.inputs if not out.depends >> a.role & 1 for s in a.symbols}
            after = {s: other[s] + 3 if s in unread else value for s, value in before.items()}
            with mpmath.workdps(16):
                for i, j, e in out.entries:
                    assert evaluate(e, before) == evaluate(e, after), f"{where}: {out.name}[{i}, {j}]"


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.few(4)
def test_inputs_that_no_output_reads_are_left_out(name: str) -> None:
    """Stage kernels take only what they read; operators keep their signature."""
    for where, k in kernels(name):
        if not any(a.role == Role.OPERAND for a in k.inputs):
            read = set().union(*(roles(o) for o in k.outputs))
            assert {a.role for a in k.inputs} == read, where


@pytest.mark.parametrize(
    ("name", "system"), [("bouncing_ball", "ball"), ("cam_follower", "follower"), ("diode_bridge", "oscillator")]
)
def test_the_iteration_matrix_is_constant_per_run(name: str, system: str) -> None:
    assert roles(output(name, system, "linearize", "iteration_matrix")) <= PER_RUN


def test_the_ball_needs_one_factorisation_for_all_steps() -> None:
    """Not even h enters its matrix: it is the mass."""
    assert roles(output("bouncing_ball", "ball", "linearize", "iteration_matrix")) == {Role.PARAMETERS}


def test_the_brick_iterates() -> None:
    w = output("tumbling_brick", "brick", "linearize", "iteration_matrix")
    assert roles(w) == {Role.UNKNOWN, Role.STATE, Role.TIME, *PER_RUN}


@pytest.mark.parametrize("wanted", ["output_x", "reaction_lambda"])
def test_contact_gradients_are_frozen_per_iteration(wanted: str) -> None:
    """H of the brick is taken at the last iterate: a function of what is frozen, never of the unknown."""
    assert roles(output("tumbling_brick", "brick ground 0", "linearize", wanted)) == {
        Role.FROZEN_ITERATION,
        Role.PARAMETERS,
    }


@pytest.mark.parametrize(
    ("rotation", "body"),
    [("exponential", Role.FROZEN_ITERATION), ("nearly implicit", Role.FROZEN_ITERATION), ("semi-implicit", Role.STATE)],
)
def test_where_a_contact_gradient_is_taken(rotation: str, body: Role) -> None:
    """On the body at its last iterate or at q_k; on the bead, whose reaction it would couple, at its last iterate."""
    out = output(f"body, {rotation}", "touch", "linearize", "reaction_lambda_1")
    assert roles(out) == {body, Role.FROZEN_ITERATION}


def test_a_predicted_mass_is_frozen_per_step() -> None:
    predicted = output("pendulum, mass predicted", "arm", "linearize", "iteration_matrix")
    implicit = output("pendulum, mass implicit", "arm", "linearize", "iteration_matrix")
    assert Role.FROZEN_STEP in roles(predicted)
    assert Role.FROZEN_STEP not in roles(implicit) and Role.UNKNOWN in roles(implicit)


def test_linear_relations_have_constant_blocks() -> None:
    assert roles(output("diode_bridge", "bridge", "linearize", "output_lambda")) == {Role.PARAMETERS}
    assert roles(output("diode_bridge", "bridge", "linearize", "output_x")) == set()
    assert roles(output("diode_bridge", "bridge", "linearize", "reaction_lambda")) == PER_RUN


# Zeros


def test_forces_of_a_body_that_vanish_are_not_stored() -> None:
    """Nothing depends on the position; the moment depends on the quaternion, the gyroscopic terms on Omega."""
    moments, quaternion = {3, 4, 5}, {3, 4, 5, 6}
    force_q, force_v = (output("tumbling_brick", "brick", name, name) for name in ("force_q", "force_v"))
    assert places(force_q) == {(i, j) for i in moments for j in quaternion}
    assert places(force_v) == {(i, j) for i in moments for j in moments - {i}}


def test_a_gap_above_the_ground_has_no_horizontal_gradient() -> None:
    """z and the quaternion; of the velocities v_z and all Omega: a corner at generic coordinates moves with each."""
    assert places(output("tumbling_brick", "brick ground 0", "gap_q", "gap_q")) == {(0, j) for j in range(2, 7)}
    assert places(output("tumbling_brick", "brick ground 0", "gap_twist", "gap_twist")) == {(0, j) for j in range(2, 6)}


def test_zero_blocks_have_no_entries() -> None:
    assert output("diode_bridge", "bridge", "reaction_x", "reaction_x").entries == ()
    for name in EXAMPLES:
        for where, k in kernels(name):
            assert k.name != "linearize" or all(o.name != "reaction_x" for o in k.outputs), where


DERIVATIVES = (
    Quantity.ITERATION_MATRIX,
    Quantity.OUTPUT_X,
    Quantity.OUTPUT_LAMBDA,
    Quantity.REACTION_X,
    Quantity.REACTION_LAMBDA,
    Quantity.OPERATOR,
    Quantity.MEMORY,
)  # memory: of the stage that owns it


@pytest.mark.parametrize("name", MODELS)
def test_entries_come_in_row_major_order(name: str) -> None:
    """The order in which the runtime unpacks them; columns keep their zeros, derivatives leave theirs out."""
    for where, k in kernels(name):
        for out in k.outputs:
            found = [(i, j) for i, j, _ in out.entries]
            assert found == sorted(set(found)), f"{where}: {out.name}"
            assert out.dense or out.cols > 1 or out.quantity in DERIVATIVES, f"{where}: {out.name}"


# Flags


def test_reactions_that_vanish_with_their_multiplier() -> None:
    for name, relation in (("bouncing_ball", "floor"), ("cam_follower", "cam"), ("tumbling_brick", "brick ground 0")):
        assert output(name, relation, "evaluate", "reaction").flags & Flag.VANISHES


def test_reactions_that_do_not_vanish() -> None:
    """Standard theta-gamma remembers the last reaction; a reaction may hold a term without multiplier."""
    assert not output("diode_bridge", "bridge", "evaluate", "reaction").flags & Flag.VANISHES
    left, right = (output("theta-gamma, full", "gate", "evaluate", f"reaction_{i}") for i in (1, 2))
    assert not left.flags & Flag.VANISHES  # its second entry holds z
    assert right.flags & Flag.VANISHES


@pytest.mark.parametrize("name", MODELS)
def test_symmetry_holds_at_random_points(name: str) -> None:
    for where, k in kernels(name):
        values = sample(k.inputs, name, Random(where))
        for out in k.outputs:
            entries = {(i, j): evaluate(e, values) for i, j, e in out.entries if out.symmetric}
            place = f"{where}: {out.name}"
            if out.symmetric:  # the same expression twice: no tolerance
                assert all(entries.get((j, i)) == e for (i, j), e in entries.items()), place
            if out.diagonal:
                assert all(i == j for i, j in entries), place


def test_symmetric_and_diagonal_masses() -> None:
    brick, body, arm, left = (
        output(*where, "mass", "mass")
        for where in (
            ("tumbling_brick", "brick"),
            ("body, exponential", "body"),
            ("pendulum, mass implicit", "arm"),
            ("theta-gamma, full", "left"),
        )
    )
    assert brick.symmetric and brick.diagonal
    assert body.symmetric and not body.diagonal
    assert arm.symmetric and not arm.diagonal
    assert not left.symmetric and not left.diagonal


# Run values


def test_nothing_is_claimed_that_holds_only_for_special_values() -> None:
    """theta, gamma and the step are symbols: records for 0, 1/2 and 1 are the same text."""
    for build in (
        lambda x: pendulum(nsd.MoreauJean(theta=x, mass_gamma=x, activation_gamma=x)),
        lambda x: transistors(nsd.ThetaGamma(theta=x, gamma=x)),
    ):
        assert len({emit_model(build(x)).text for x in (0.0, 0.5, 1.0)}) == 1


def test_nothing_is_claimed_that_holds_only_for_special_parameters() -> None:
    """A parameter whose value is zero stays in the formula: a damper of 0 N s/m is still in W."""
    m, c = sp.symbols("m c", positive=True)
    x = dynamicsymbols("x")
    system = nsd.LagrangianSystem("mass", [x], kinetic=m * x.diff() ** 2 / 2, dissipation=c * x.diff() ** 2 / 2)

    def emitted(damping: float) -> str:
        parameters = {m: 1, c: damping}
        scheme = nsd.MoreauJean()
        model = nsd.Model("damped", [system], scheme=scheme, step=0.1, end=1.0, parameters=parameters, initial={x: 0})
        return emit_model(model).text

    assert emitted(0.0) == emitted(2.0)
