"""Fused steps: a small model's own function makes the steps of the general stepper, bit for bit."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.conformance.case import load_case  # noqa: E402

EVENTS = "goes from event to event"
REPEATED = "stages are repeated until nothing is violated"
GENERAL = {  # the cases whose steps are the general stepper's alone, and why
    "bead_column_ed_lzb": EVENTS,
    "bead_column_ed_newton": EVENTS,
    "bouncing_ball_ed": EVENTS,
    "bouncing_ball_ed_initial_impact": EVENTS,
    "bouncing_ball_ed_resting": EVENTS,
    "simple_pendulum_ed_lsodar": EVENTS,
    "bouncing_ball_ts_combined_projection": REPEATED,
    "bouncing_ball_ts_direct_projection": REPEATED,
    "column_of_beads_ts_direct_projection_level1": REPEATED,
    "slider_crank_direct_projection": REPEATED,
    "ne_3ds_3knee_1prism_mlcp_combined_projection": REPEATED,
    "buck_converter": "more than 8 rows",
    "nonlinear_switch": "more than 8 rows",
    "column_of_beads_ts": "more than 8 systems and relations",
    "ne_3ds_3knee_1prism_mlcp": "more than 8 rows",
    "springs_ne_3ds_3knee_1prism_mlcp": "more than 8 rows",
    "impacting_bar_d1minus": "more than 8 unknowns of a system",
}
KINDS = [  # one of each kind; the others are slow tests
    "circuit_rlcd",
    "diode_bridge",  # affine, with complementarity rows
    "simple_example_relay",  # with bounds
    "step_system",  # Newton's method, with bounds
    "double_pendulum_ts",  # a number of iterations, an approximate matrix
    "ne_1ds_1knee_mlcp",  # equalities, an absolute test
    "slider_crank_moreau_jean",  # friction in the plane, contacts that come and go
    "bouncing_ball_nets",  # friction in space
    "bouncing_ball_ts_d1minus",  # stages
]
CASES = sorted({p.stem for p in (ROOT / "tests/conformance/cases").glob("[a-z]*.py")} - set(GENERAL))
EXAMPLES = [
    "bouncing_ball",
    "buck_converter",
    "cam_follower",
    "diode_bridge",
    "dzhanibekov",
    "gene_network",
    "heavy_top",
    "motor_control",
    "rectifiers",
    "sliding_mode",
    "tippe_top",
    "twisting",
]
STEPS = 1500


def outcome(compiled, **options):
    """The table of a run, and how it ended."""
    from nsdgen.errors import StepError

    try:
        return compiled.run(**options).table, ""
    except StepError as error:
        return error.trajectory.table, str(error)


def same_bits(compiled, steps=STEPS, **options):
    """Whether the function and the general stepper make one table, and end alike."""
    record = compiled.record
    end = record.start + min(steps * record.step, record.end - record.start)
    own, said = outcome(compiled, end=end, **options)
    general, general_said = outcome(compiled, end=end, generic=True, **options)
    return compiled.fused and own.tobytes() == general.tobytes() and said == general_said


@pytest.mark.parametrize(
    "slug", [slug if slug in KINDS else pytest.param(slug, marks=pytest.mark.slow) for slug in CASES]
)
@pytest.mark.few(3)
def test_a_case_has_the_bits_of_the_general_stepper(slug):
    from nsdgen.model.pipeline import build_model, emit_model

    compiled, _ = build_model(emit_model(load_case(slug).model))
    assert same_bits(compiled)


LIKE_OTHERS = {
    "diode_bridge",
    "dzhanibekov",
    "gene_network",
    "heavy_top",
    "rectifiers",
    "sliding_mode",
    "tippe_top",
    "twisting",
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LIKE_OTHERS else name for name in EXAMPLES]
)
@pytest.mark.few(2)
def test_an_example_has_them_too(compiled, name):
    assert same_bits(compiled(name))


ONE_OF_EACH = {why: slug for slug, why in GENERAL.items()}.values()


@pytest.mark.parametrize(
    "slug", [slug if slug in ONE_OF_EACH else pytest.param(slug, marks=pytest.mark.slow) for slug in sorted(GENERAL)]
)
@pytest.mark.few(2)
def test_why_the_general_stepper_makes_the_steps_of_a_case(slug):
    from nsdgen.emit.fusible import reason_against
    from nsdgen.model.pipeline import derive_model

    derivation = derive_model(load_case(slug).model)
    assert reason_against(derivation.module, derivation.record) == GENERAL[slug]


@pytest.mark.parametrize("size", [1.0, 1e-13])
def test_a_matrix_that_changes_with_time_is_factored_anew(size):
    """However little it changes: 1e-13 is nothing for the certificate of a row with bounds, and some of its bits."""
    import sympy as sp
    from sympy.physics.mechanics import dynamicsymbols

    import nsdgen as nsd

    x, lam = dynamicsymbols("x"), nsd.multipliers("lam", 1)
    plant = nsd.FirstOrderSystem("plant", [x], [-(2 + size * sp.sin(3 * nsd.time)) * x + sp.cos(nsd.time)])
    relay = nsd.FirstOrderRelation("relay", lam, [x], {plant: lam}, nsd.Relay(0.7))
    compiled = nsd.Model(
        f"drifting_{size:g}".replace("-", "_"),
        [plant],
        [relay],
        scheme=nsd.ThetaGamma(theta=1.0),
        step=0.1,
        end=100,
        initial={x: 1.0},
    ).compile()
    assert same_bits(compiled)


@pytest.mark.parametrize(("slug", "step"), [("ne_1ds_1knee_mlcp", 2.0), ("slider_crank_moreau_jean", 0.1)])
def test_a_failure_is_the_general_steppers(slug, step):
    """A step that cannot be made: the same exception, the same words, the same rows before it."""
    from nsdgen.errors import StepError

    model = load_case(slug).model.compile()
    ends = []
    for generic in (False, True):
        with pytest.raises(StepError) as caught:
            model.run(step=step, end=40 * step, generic=generic)
        ends.append((str(caught.value), caught.value.trajectory.table.tobytes()))
    assert ends[0] == ends[1]


def test_what_is_kept_of_a_run_does_not_matter(compiled):
    model = compiled("cam_follower")
    whole, some = model.run(end=1.0), model.run(end=1.0, every=7, record=["u", "impulse"])
    rows = [*range(0, len(whole), 7), *([] if (len(whole) - 1) % 7 == 0 else [len(whole) - 1])]
    assert np.array_equal(some["follower.u"], whole["follower.u"][rows])
    assert np.array_equal(some["cam.impulse"], whole["cam.impulse"][rows])


def test_a_run_does_not_depend_on_the_runs_before(compiled):
    model = compiled("cam_follower")
    first = model.run(end=0.5)
    model.run(end=1.2, step=3e-4, start=1.0, parameters={"omega": 75.0, "e": 0.1}, initial={"u": 1.0}, generic=True)
    model.run(end=0.2, options={"theta": 1.0})
    assert model.run(end=0.5).table.tobytes() == first.table.tobytes()


def two_masses(order, name):
    """Two masses, and relays on what they do together and on one of them: relations that meet on two systems."""
    import sympy as sp
    from sympy.physics.mechanics import dynamicsymbols

    import nsdgen as nsd

    x, y = dynamicsymbols("x y")
    one = nsd.LagrangianSystem(
        "one", [x], kinetic=x.diff() ** 2 * (1 + sp.sin(x) ** 2 / 2) / 2, potential=x**2, forces=[sp.sin(3 * nsd.time)]
    )
    two = nsd.LagrangianSystem("two", [y], kinetic=y.diff() ** 2 / 2, potential=2 * y**2, forces=[sp.cos(2 * nsd.time)])
    relays = [
        nsd.RateForce("apart", along=x - y / 3, law=nsd.Relay(0.3)),
        nsd.RateForce("own", along=y, law=nsd.Relay(0.06)),
        nsd.RateForce("turned", along=sp.sin(x) + 2 * y, law=nsd.Relay(0.15)),
        nsd.VelocityConstraint("tied", x.diff() - y.diff() * sp.cos(x)),
    ]
    return nsd.Model(
        name,
        [one, two],
        [relays[i] for i in order],
        scheme=nsd.MoreauJean(theta=0.5),
        step=0.01,
        end=3,
        initial={x: 0.1, y: -0.1},
    ).compile()


@pytest.mark.parametrize("order", ["103", pytest.param("023", marks=pytest.mark.slow)])
def test_rows_with_bounds_of_several_relations_add_up_in_the_order_of_the_graph(order):
    assert same_bits(two_masses(map(int, order), f"relays_{order}"))


@pytest.mark.parametrize(
    ("count", "force_at"), [(3, "ends"), *(pytest.param(6, at, marks=pytest.mark.slow) for at in ("ends", "linear"))]
)
def test_reactions_that_are_solved_together_do_not_change_the_bits(count, force_at):
    """An arm whose hinges rub: a column of W^-1 rho_lambda for each, all in one substitution."""
    import sympy as sp

    import nsdgen as nsd

    links = [nsd.RigidBody(f"link {i}", 1, sp.eye(3) / 20).apply_force([0, 0, -9.81]) for i in range(count)]
    hinges = []
    for i, body in enumerate(links):
        axis = [i % 2, (i + 1) % 2, 0]
        above = nsd.Marker(links[i - 1], [0, 0, -0.5], axis=axis) if i else nsd.Marker(axis=axis)
        hinges.append(nsd.Revolute(f"hinge {i}", nsd.Marker(body, [0, 0, 0.5], axis=axis), above))
    compiled = nsd.Model(
        "rubbing",
        [nsd.Mechanism("arm", hinges)],
        [hinge.friction(0.3) for hinge in hinges],
        scheme=nsd.MoreauJean(gradient_at="predicted", force_at=force_at),
        step=2e-3,
        end=2,
        initial={hinges[0].rate: 2, hinges[count // 2].angle: 0.5},
    ).compile()
    assert same_bits(compiled, steps=300)


def test_rows_that_the_graph_numbers_otherwise_are_the_general_steppers():
    """From a relation it goes to all that meet it on its first system, and then to those on its second."""
    assert not two_masses((0, 1, 2), "relays_otherwise").fused


@pytest.mark.parametrize("bent", [False, True], ids=["W of the run", "W of every iteration"])
@pytest.mark.parametrize("wall", [False, True], ids=["free", "against a wall"])
def test_forces_without_rows_are_part_of_w(bent, wall, monkeypatch):
    """They were left out: kernels with a constant W did not compile, others took ten iterations in place of one."""
    import sympy as sp
    from sympy.physics.mechanics import dynamicsymbols

    import nsdgen as nsd
    from nsdgen.study import run_ensemble

    z, k = dynamicsymbols("z"), sp.Symbol("k", positive=True)
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=sp.cos(z) if bent else 0 * z)
    spring = nsd.ForceElement("spring", along=[z], force=[-k * z - 20 * z.diff()])
    walls = [nsd.Contact("wall", gap=z + 0.001, law=nsd.NewtonImpact(0.5))] if wall else []
    compiled = nsd.Model(
        f"sprung_{bent}_{wall}".lower(),
        [ball],
        [spring, *walls],
        scheme=nsd.MoreauJean(theta=0.5),
        step=1e-2,
        end=1,
        parameters={k: 100.0},
        initial={z: 1.0},
    ).compile()
    assert same_bits(compiled)
    monkeypatch.setattr(run_ensemble, "_WORTH", 0)  # lanes from two members on
    values = np.linspace(90, 110, 9)
    together = compiled.ensemble(parameters={"k": values}).final
    alone = [compiled.run(parameters={"k": value}, generic=True).table[-1] for value in values]
    assert together.tobytes() == np.array(alone).tobytes()


def with_several_solutions():
    """Rows whose matrix leaves one solution before 0.5 s, and several behind it."""
    import sympy as sp
    from sympy.physics.mechanics import dynamicsymbols

    import nsdgen as nsd

    x, y = dynamicsymbols("x y")
    lam = nsd.multipliers("lam", 2)
    plant = nsd.FirstOrderSystem("plant", [x, y], [-x - 1, -y - 1])
    output = [x + lam[0] + 2 * nsd.time * lam[1], y + 2 * nsd.time * lam[0] + lam[1]]
    rows = nsd.FirstOrderRelation("rows", lam, output, {plant: sp.zeros(2, 1)}, nsd.Complementarity())
    initial = {x: -0.5, y: -0.5}
    return nsd.Model("several", [plant], [rows], scheme=nsd.ThetaGamma(theta=1.0), step=1e-3, end=1, initial=initial)


@pytest.mark.parametrize(
    "slug", ["woodpecker", "slider_crank_d1minus_acceleration", "bouncing_ball_ts", "two_link_manipulator", "several"]
)
@pytest.mark.parametrize("options", [{}, {"every": 3}], ids=["all rows", "every third"])
@pytest.mark.few(5)
def test_bits_do_not_depend_on_the_load_of_the_machine(slug, options, monkeypatch):
    """It decides after how many steps a run returns for progress and interrupts, from one to all that are left.

    There the general stepper made a step. It rounded otherwise where W is full, and it alone sees that a step has
    several solutions: ``rank_deficiency`` added up to 1 or to 1001 in the same run.
    """
    from nsdgen.runtime.simulation import _Tape

    model = with_several_solutions() if slug == "several" else load_case(slug).model
    compiled = model.compile()
    record, advance = compiled.record, _Tape.advance
    end = record.start + min(1000 * record.step, record.end - record.start)
    found = set()
    random = np.random.default_rng(5)
    for seconds in (
        lambda: 1e-9,
        lambda: 1e9,
        lambda: 10 ** random.uniform(-3, 0),
        lambda: 10 ** random.uniform(-3, 0),
    ):
        monkeypatch.setattr(_Tape, "advance", lambda self, want, took=seconds: (advance(self, want)[0], took()))
        found.add(compiled.run(end=end, **options).table.tobytes())
    assert compiled.fused and len(found) == 1


@pytest.mark.parametrize("generic", [True, False])
def test_a_gap_that_is_no_number_ends_the_run(generic):
    """log q of a body that falls past q = 0 within a step: no contact ever closed, and it fell for good."""
    import sympy as sp
    from sympy.physics.mechanics import dynamicsymbols

    import nsdgen as nsd
    from nsdgen.errors import NonFinite

    x = dynamicsymbols("x")
    body = nsd.LagrangianSystem("body", [x], kinetic=x.diff() ** 2 / 2, potential=10 * x)
    floor = nsd.Contact("floor", gap=sp.log(x), law=nsd.NewtonImpact(0))
    compiled = nsd.Model(
        "sunk", [body], [floor], scheme=nsd.MoreauJean(), step=0.25, end=3.0, initial={x: 2.0}
    ).compile()
    assert compiled.fused
    with pytest.raises(NonFinite, match=r"floor\.gap is no number after step 3 from t = 0\.5") as caught:
        compiled.run(generic=generic)
    assert caught.value.trajectory.time[-1] == 0.5 and np.isfinite(caught.value.trajectory.table).all()
    members = compiled.ensemble(initial={"x": [2.0] * 12 + [100.0]})
    assert [f.member for f in members.failures] == list(range(12))
