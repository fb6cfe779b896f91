"""Members of an ensemble in lanes of vectors: the bits of members by themselves, whatever they do."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from nsdgen.runtime._lanes import lanes_of
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.study import run_ensemble

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.conformance.case import load_case


@pytest.fixture(scope="module")
def two_walls(kernel_cache):
    """Two masses between two walls and against each other, driven by everything that a force can be made of."""
    m, e, omega, gap = sp.symbols("m e omega gap", positive=True)
    x, y = dynamicsymbols("x y")
    t = dynamicsymbols._t
    turn = nsd.mod(omega * t + 1, 2 * sp.pi)
    drive = sp.Piecewise(
        (sp.sin(turn) + sp.cos(turn), sp.And(turn > 1, turn < 3)),
        (sp.exp(-turn) * sp.sqrt(turn), turn < 5),
        (sp.atan2(sp.sin(turn), sp.cos(turn)) + sp.sign(sp.cos(3 * turn)), sp.Or(turn < 5.5, turn > 6)),
        (sp.floor(4 * turn) / 4 + sp.Abs(sp.tan(turn)) + sp.tanh(turn) ** sp.Rational(3, 7), True),
    )
    left = nsd.LagrangianSystem(
        "left", coordinates=[x], kinetic=m * x.diff() ** 2 / 2, potential=2 * x**2, forces=[3 * drive]
    )
    right = nsd.LagrangianSystem(
        "right", coordinates=[y], kinetic=y.diff() ** 2 / 2, potential=(y - 1) ** 2, forces=[-sp.sin(omega * t)]
    )
    relations = [
        nsd.Contact("low", gap=x + gap, law=nsd.NewtonImpact(e)),
        nsd.Contact("middle", gap=y - x, law=nsd.NewtonImpact(e)),
        nsd.Contact("high", gap=1.2 - y, law=nsd.NewtonImpact(0.5)),
    ]
    return nsd.Model(
        "two_walls",
        systems=[left, right],
        relations=relations,
        scheme=nsd.MoreauJean(theta=0.5),
        step=1e-3,
        end=5,
        parameters={m: 1.0, e: 0.8, omega: 7.0, gap: 0.3},
        initial={x: 0.0, y: 0.5},
    ).compile()


@pytest.fixture(scope="module")
def swinging(kernel_cache):
    """A double pendulum between stops, whose mass matrix turns with it: Newton's method, contacts that come and go."""
    g, e, stop = sp.symbols("g e stop", positive=True)
    a, b = dynamicsymbols("a b")
    pendulum = nsd.LagrangianSystem(
        "pendulum",
        [a, b],
        potential=-g * (2 * sp.cos(a) + sp.cos(b)),
        kinetic=a.diff() ** 2 + b.diff() ** 2 / 2 + a.diff() * b.diff() * sp.cos(a - b),
    )
    stops = [
        nsd.Contact("elbow", gap=sp.sin(a), law=nsd.NewtonImpact(e)),
        nsd.Contact("hand", gap=sp.sin(a) + sp.sin(b), law=nsd.NewtonImpact(0)),
        nsd.Contact("far", gap=stop - a, law=nsd.NewtonImpact(0.3)),
    ]
    return nsd.Model(
        "swinging",
        [pendulum],
        stops,
        step=1e-3,
        end=3,
        parameters={g: 10.0, e: 0.7, stop: 0.25},
        initial={a: 0.1, b: 0.2},
        scheme=nsd.MoreauJean(theta=0.5),
    ).compile()


@pytest.fixture(scope="module")
def held(kernel_cache):
    """A driven oscillator whose exponential a C function completes, with other matrices in each lane."""
    damping = sp.Symbol("damping")
    oscillator = nsd.LinearSystem(
        "oscillator",
        [[0, 1], [-4, -damping]],
        [[0], [1]],
        [[1, 0]],
        states=["s", "s_dot"],
        inputs={"u": sp.sin(nsd.time)},
        outputs=["measured"],
    )
    return nsd.Model(
        "held", [oscillator], scheme=nsd.ZeroOrderHold(), step=0.05, end=3, parameters={damping: 0.3}
    ).compile()


CASES = {
    "cam_follower": ({"omega": np.linspace(30.0, 75.0, 11)}, 2.0, "cam.impulse"),
    "diode_bridge": ({"R": np.geomspace(10.0, 1e4, 11)}, 5e-3, "bridge.lam[2]"),
    "two_walls": ({"omega": np.linspace(3.0, 20.0, 11), "e": np.linspace(0.0, 1.0, 11)}, 5.0, "middle.impulse"),
    "held": ({"damping": np.linspace(0.1, 1.0, 11)}, 3.0, "measured"),
    "swinging": ({"e": np.linspace(0.0, 1.0, 11), "stop": np.linspace(0.15, 0.4, 11)}, 3.0, "elbow.impulse"),
    "gene_network": ({"k": np.linspace(1.5, 2.5, 11)}, 5.0, "switches of toggle.output[0]"),
    "step_system": ({"genes.x": np.linspace(0.8, 1.2, 11)}, 3.0, "steps.lam[2]"),
    "loudspeaker": ({"U": np.linspace(6.0, 24.0, 11)}, 0.05, "plate.impulse"),
    "two_link_manipulator": ({"arm.a": np.linspace(0.8, 1.0, 11)}, 0.3, "arm.b"),
    "bouncing_ball_ts_d1minus": ({"R": np.linspace(0.1, 0.3, 11)}, 2.0, "floor.impulse"),
}


CONFORMANCE = ("bouncing_ball_ts_d1minus", "step_system", "two_link_manipulator")


# Stages, a test that is absolute; and what the others have, too: Newton's method, bounds.
SLOW = ("bouncing_ball_ts_d1minus", "two_link_manipulator", "gene_network", "swinging", "loudspeaker", "two_walls")


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in CASES]
)
def case(request, compiled):
    name = request.param
    vary, end, column = CASES[name]
    group = "parameters" if all(isinstance(key, str) and "." not in key for key in vary) else "initial"
    if name in ("two_walls", "swinging", "held"):
        model = request.getfixturevalue(name)
    else:
        model = load_case(name).model.compile() if name in CONFORMANCE else compiled(name)
    return model, {group: vary}, end, column


def in_lanes(monkeypatch, wanted):
    monkeypatch.setattr(run_ensemble, "_WORTH", 0 if wanted else 1e300)


def same(one, other):
    return (
        one.table.tobytes() == other.table.tobytes()
        and one.time.tobytes() == other.time.tobytes()
        and one.final.tobytes() == other.final.tobytes()
        and np.array_equal(one.member, other.member)
        and np.array_equal(one.steps, other.steps)
        and all(one.reduced[k].tobytes() == other.reduced[k].tobytes() for k in one.reduced)
    )


@pytest.mark.parametrize(
    "keep", [{}, {"every": 1}, {"every": 7, "threads": 1}, {"every": 1, "late": True, "when": True, "reduce": True}]
)
@pytest.mark.few(4)
def test_lanes_have_the_bits_of_members_by_themselves(case, keep, monkeypatch):
    model, vary, end, column = case
    keep = dict(keep)
    if keep.pop("late", False):
        keep["since"] = end / 2
    if keep.pop("when", False):
        keep["when"] = column
    if keep.pop("reduce", False):
        keep["reduce"] = [f"max {column}", f"mean {column}"]
    in_lanes(monkeypatch, False)
    alone = model.ensemble(**vary, end=end, **keep)
    in_lanes(monkeypatch, True)
    together = model.ensemble(**vary, end=end, **keep)
    assert lanes_of(model._in_lanes) > 1 and lanes_of(model.table) == 0
    assert same(alone, together) and not together.failures
    assert alone.steps.min() == round(end / model.record.step)


def test_members_that_fail_leave_the_others_their_bits(compiled, monkeypatch):
    model = compiled("cam_follower")
    mass = np.array([1.0, -1.0, 2.0, np.nan, 3.0, 1.0, 1.0, 1.0, 4.0])
    late = np.array([0.5, 0.5, 0.5, 0.5, 0.5, 1e308, 0.5, 0.5, 0.5])  # the sixth leaves the numbers during the run
    found = []
    for wanted in (False, True):
        in_lanes(monkeypatch, wanted)
        found.append(model.ensemble(parameters={"mu": mass}, initial={"u": late, "u_dot": late}, end=0.5, every=50))
    assert same(*found)
    assert [f.member for f in found[0].failures] == [f.member for f in found[1].failures] == [1, 3, 5]
    assert [str(f.error) for f in found[0].failures] == [str(f.error) for f in found[1].failures]
    assert 0 < found[1].steps[5] < found[1].steps[0] or found[1].steps[5] == 0


def test_a_model_whose_steps_are_the_general_stepper_s_has_no_lanes(compiled):
    model = compiled("tumbling_brick")
    assert not model.fused and model._in_lanes is model.table


def test_neither_has_one_with_friction(compiled):
    """Its one-step problem is most of a step, and one lane's after the other."""
    model = load_case("ball2d_kernel_only_with_friction").model.compile()
    assert model.fused and model._in_lanes is model.table


def test_without_a_compiler_members_go_one_by_one(compiled, monkeypatch):
    model = compiled("bouncing_ball")
    model.__dict__.pop("_in_lanes", None)
    monkeypatch.setenv("CC", "/nowhere/cc")
    in_lanes(monkeypatch, True)
    found = model.ensemble(parameters={"e": [0.5, 0.6, 0.7]}, end=1.0)
    assert model._in_lanes is model.table and found.complete
    model.__dict__.pop("_in_lanes")


SOURCE = """
#include "nsdgen_math.h"
#include "nsdgen_step.h"
#include "nsdgen_lanes.h"
void both(long n, const double *a, const double *b, double *one, double *lanes)
{
    for (long i = 0; i < n; i += NSD_LANES) {
        nsd_lanes x, y, m;
        for (int k = 0; k < NSD_LANES; ++k) {
            x[k] = a[i + k];
            y[k] = b[i + k];
            one[i + k] = nsd_mod(a[i + k], b[i + k]);
        }
        m = nsd_lanes_mod(~(nsd_mask){0}, x, y);
        memcpy(lanes + i, &m, sizeof m);
    }
}
"""


@pytest.mark.parametrize("flags", ["-march=native", ""])
def test_the_modulus_of_vectors_is_that_of_numbers(tmp_path, flags):
    (tmp_path / "mod.c").write_text(SOURCE)
    compiler = (os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or "clang").split()
    subprocess.run(
        [
            *compiler,
            *flags.split(),
            "-std=gnu99",
            "-O2",
            "-ffp-contract=off",
            "-fno-math-errno",
            "-shared",
            "-fPIC",
            "-I",
            str(files("nsdgen") / "abi" / "include"),
            "mod.c",
            "-o",
            "mod.so",
            "-lm",
        ],
        cwd=tmp_path,
        check=True,
    )
    rng = np.random.default_rng(3)
    n = 1 << 16
    a = rng.choice([-1.0, 1.0], n) * 2.0 ** rng.uniform(-60, 60, n)
    b = rng.choice([-1.0, 1.0], n) * 2.0 ** rng.uniform(-8, 8, n)
    whole = np.arange(n) % 4 == 0  # multiples, and what lies next to them
    a[whole] = np.round(rng.uniform(-1e6, 1e6, n))[whole] * b[whole] * (1 + 2.0**-52 * rng.integers(-1, 2, n))[whole]
    odd = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e308, 1.0, -1.0, 2 * np.pi, 1e-310]
    a[:144], b[:144] = np.repeat(odd, 12), np.tile(odd, 12)
    a[256:400] = np.repeat(odd, 12)
    one, lanes = np.empty(n), np.empty(n)
    pointers = [ctypes.c_void_p(v.ctypes.data) for v in (a, b, one, lanes)]
    ctypes.CDLL(str(tmp_path / "mod.so")).both(ctypes.c_long(n), *pointers)
    nan = np.isnan(one)
    assert np.array_equal(nan, np.isnan(lanes)) and one[~nan].tobytes() == lanes[~nan].tobytes()


def test_users_may_call_things_what_emitted_functions_call_theirs(kernel_cache):
    """Arguments, masks and macros of C: in C over vectors names are as they are written."""
    words = active, carried, left, arm, lock = sp.symbols("active carried left_0 arm_0 F_LOCK")
    x, t = dynamicsymbols("x"), nsd.time
    turned = sp.sin(active * t)
    drive = turned * sp.cos(active * t) ** 2 + sp.exp(carried - turned) * sp.sqrt(2 + sp.cos(left * t))
    jumps = nsd.piecewise((sp.sin(t) * arm + sp.cos(lock * t), t > arm), (sp.log(1 + t), t > left / 9), (0, True))
    plant = nsd.LagrangianSystem("plant", [x], kinetic=x.diff() ** 2 / 2, potential=x**2, forces=[drive + jumps])
    model = nsd.Model(
        "words", [plant], scheme=nsd.MoreauJean(), step=0.1, end=1, parameters=dict.fromkeys(words, 0.3), initial={x: 0}
    ).compile()
    assert lanes_of(model._in_lanes) > 1


def test_kernels_for_this_processor_round_as_all_others_do(kernel_cache, monkeypatch):
    """Products and sums beside each other, a b + c and a b - c: no operation of a vector may round them once."""
    x, y = dynamicsymbols("x y")
    a = sp.Symbol("a", positive=True)
    plant = nsd.FirstOrderSystem(
        "plant", [x, y], [2 * sp.tanh(x) - a * x, 2 * sp.tanh(a * sp.sin(x)) - y], mass=sp.diag(1 + a, 1 + a)
    )
    relation = nsd.multipliers("lam", 2)
    walls = nsd.FirstOrderRelation("walls", relation, [x + 2, y + 2], {plant: relation}, nsd.Complementarity())
    model = nsd.Model(
        "beside",
        [plant],
        [walls],
        scheme=nsd.ThetaGamma(theta=0.5),
        step=0.05,
        end=2,
        parameters={a: 0.6},
        initial={x: -0.35, y: 0.68},
    ).compile()
    found = []
    for wanted in (False, True):  # the first step of all is the general stepper's, with kernels compiled for lanes
        in_lanes(monkeypatch, wanted)
        found.append(model.ensemble(parameters={"a": np.linspace(0.3, 0.9, 61)}, every=1))
    assert same(*found)
