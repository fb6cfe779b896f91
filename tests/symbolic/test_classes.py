"""Classes: systems and relations with the same mathematics share kernels, others never do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.symbolic.description.model_description import ModelDescription

ROOT = Path(__file__).resolve().parents[2]
x, y = dynamicsymbols("x y")
m1, m2, g, e = sp.symbols("m1 m2 g e", positive=True)


def ball(name: str, q: sp.Expr, m: sp.Symbol, weight: Any = None) -> nsd.LagrangianSystem:
    potential = m * g * q if weight is None else weight
    return nsd.LagrangianSystem(name, [q], kinetic=m * q.diff() ** 2 / 2, potential=potential)


def description(systems: Sequence[Any], relations: Sequence[Any] = (), **parameters: Any) -> ModelDescription:
    given = {m1: 1.0, m2: 2.0, g: 9.81, e: 0.5} | parameters.pop("parameters", {})
    model = nsd.Model(
        "classes",
        systems,
        relations,
        scheme=nsd.MoreauJean(),
        step=0.1,
        end=1.0,
        parameters=given,
        initial={q: 1.0 for s in systems for q in s.coordinates},
    )
    return model.description


def classes(*systems: Any, **options: Any) -> list[int]:
    return [s.cls for s in description(systems, **options).systems]


# Merged


def test_names_and_parameters_make_no_difference() -> None:
    """Two balls with other coordinates and masses: one class, two sets of arguments."""
    found = description([ball("first", x, m1), ball("second", y, m2)])
    assert len(found.system_classes) == 1
    assert [[str(a.value) for a in s.arguments] for s in found.systems] == [["m1", "g"], ["m2", "g"]]


def test_arguments_follow_slots_not_names() -> None:
    """Slots are ordered as the model's parameters are: roles that swap their order do not merge wrongly."""
    k, c = sp.symbols("k c", positive=True)

    def mass(name: str, q: sp.Expr, stiffness: sp.Symbol, damping: sp.Symbol) -> nsd.LagrangianSystem:
        return nsd.LagrangianSystem(
            name,
            [q],
            kinetic=q.diff() ** 2 / 2,
            potential=stiffness * q**2 / 2,
            dissipation=damping * q.diff() ** 2 / 2,
        )

    found = description([mass("a", x, k, c), mass("b", y, c, k)], parameters={k: 1.0, c: 2.0})
    for s in found.systems:
        cls, q = found.system_classes[s.cls], (x, y)[s.name == "b"]
        back = dict(zip(cls.parameters, (a.value for a in s.arguments), strict=True))
        stiffness = {"a": "k", "b": "c"}[s.name]
        assert str(-cls.terms["force"].values[0].diff(cls.group("q")[0]).xreplace(back)) == stiffness, q


def test_the_corners_of_the_brick_are_one_class(example: Any) -> None:
    found = example("tumbling_brick").model.description
    assert len(found.relations) == 8
    assert len(found.relation_classes) == 1
    corners = {tuple(str(a.value) for a in r.arguments if a.name.startswith("point")) for r in found.relations}
    assert corners == {(i, j, k) for i in ("a", "-a") for j in ("b", "-b") for k in ("c", "-c")}


def test_contacts_differ_in_their_restitution() -> None:
    relations = [
        nsd.Contact("a", x, nsd.NewtonImpact(e)),
        nsd.Contact("b", x, nsd.NewtonImpact(0.25)),
        nsd.Contact("c", x, nsd.NewtonImpact(e / 2)),
    ]
    found = description([ball("ball", x, m1)], relations)
    assert [r.cls for r in found.relations] == [0, 0, 0]
    assert [str(r.arguments[0].value) for r in found.relations] == ["e", "0.250000000000000", "e/2"]
    assert {(r.arguments[0].min, r.arguments[0].max) for r in found.relations} == {(0.0, 1.0)}


def test_contacts_on_merged_systems_merge() -> None:
    relations = [nsd.Contact("a", x, nsd.NewtonImpact(e)), nsd.Contact("b", y, nsd.NewtonImpact(e))]
    found = description([ball("first", x, m1), ball("second", y, m2)], relations)
    assert [(r.cls, r.participants) for r in found.relations] == [(0, (0,)), (0, (1,))]


# Not merged


@pytest.mark.parametrize(
    "other",
    [
        ball("b", y, m2, weight=-m2 * g * y),
        ball("b", y, m2, weight=m1 * g * y),  # the mass in the weight is another parameter
        nsd.LagrangianSystem("b", [y], mass=[[m2]], external=[-m2 * g]),  # no potential energy to ask for
        nsd.LagrangianSystem("b", [y], kinetic=m2 * y.diff() ** 2, potential=m2 * g * y),
    ],
)
def test_other_expressions_are_other_classes(other: Any) -> None:
    assert classes(ball("a", x, m1), other) == [0, 1]


def test_other_assumptions_are_other_classes() -> None:
    """sqrt(k^2) is k for a positive k and |k| for a real one."""
    k, r = sp.Symbol("k", positive=True), sp.Symbol("r")
    pair = ball("a", x, m1, weight=k * x), ball("b", y, m2, weight=r * y)
    assert classes(*pair, parameters={k: 1.0, r: 1.0}) == [0, 1]


def test_other_laws_are_other_classes() -> None:
    laws = [nsd.NewtonImpact(e), nsd.Complementarity(), nsd.NewtonImpact(0)]
    relations = [nsd.Contact(f"c{i}", x, law) for i, law in enumerate(laws)] + [nsd.Bilateral("d", x)]
    found = description([ball("ball", x, m1)], relations)
    assert [r.cls for r in found.relations] == [0, 1, 0, 2]


@pytest.mark.parametrize(
    ("law", "alike", "other"),
    [
        (
            nsd.PiecewiseLinear([(0, -1), (0, 1), (1, 2)]),
            nsd.PiecewiseLinear([(1, -2), (1, 0), (3, 1)]),
            nsd.PiecewiseLinear([(0, -1), (0.5, 1), (1, 2)]),  # no jump
        ),
        (
            nsd.PiecewiseLinear([(0, -1), (1, 1), (2, 1), (3, 2)]),
            nsd.PiecewiseLinear([(0, -1), (2, 1), (3, 1), (4, 3)]),
            nsd.PiecewiseLinear([(0, -1), (1, 1), (2, 1.5), (3, 2)]),  # nowhere flat
        ),
        (
            nsd.NormalCone([[1], [-1]], [1, 1]),
            nsd.NormalCone([[2], [-1]], [1, 3]),
            nsd.NormalCone([[-1], [-1]], [1, 1]),  # not bounded: it passes impulses on
        ),
    ],
)
def test_curves_and_sets_of_other_kinds_are_other_classes(law: Any, alike: Any, other: Any) -> None:
    """What a law is by its values is said of a class: a jump of the first curve stood for a slope of the second."""
    weight = ball("ball", x, m1)
    relations = [
        nsd.OutputRelation(f"r{i}", lam, x.diff(), {weight: [lam]}, each)
        for i, each in enumerate((law, alike, other))
        for lam in nsd.multipliers(f"lam{i}", 1)
    ]
    found = description([weight], relations)
    assert [r.cls for r in found.relations] == [0, 0, 1]


def test_other_systems_make_other_relations() -> None:
    """The same gap on systems of different classes."""
    systems = [ball("a", x, m1), ball("b", y, m2, weight=0)]
    relations = [nsd.Contact("a floor", x, nsd.NewtonImpact(e)), nsd.Contact("b floor", y, nsd.NewtonImpact(e))]
    found = description(systems, relations)
    assert [r.cls for r in found.relations] == [0, 1]


def test_other_gaps_are_other_classes() -> None:
    relations = [
        nsd.Contact("up", x, nsd.NewtonImpact(e)),
        nsd.Contact("down", 2 - x, nsd.NewtonImpact(e)),
        nsd.Contact("later", x - sp.sin(nsd.time), nsd.NewtonImpact(e)),
    ]
    assert [r.cls for r in description([ball("ball", x, m1)], relations).relations] == [0, 1, 2]


def test_the_order_of_participants_counts() -> None:
    """y - x and x - y between two balls of one class are different gaps; participants stand in the model's order."""
    relations = [nsd.Contact("a", y - x, nsd.NewtonImpact(e)), nsd.Contact("b", x - y, nsd.NewtonImpact(e))]
    found = description([ball("first", x, m1), ball("second", y, m2)], relations)
    assert [(r.cls, r.participants) for r in found.relations] == [(0, (0, 1)), (1, (0, 1))]


# Independent of everything else

SCRIPT = """
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols
{before}
import nsdgen as nsd
from nsdgen.model.pipeline import emit_model
m1, m2, g, e, k = sp.symbols("m1 m2 g e k", positive=True)
q = dynamicsymbols("q0:4")
def ball(i, m):
    energy = m * q[i].diff()**2 / 2
    return nsd.LagrangianSystem(f"ball {{i}}", [q[i]], kinetic=energy, potential=m * g * q[i] + k * q[i]**2)
systems = [ball(i, m1 if i % 2 else m2) for i in range(4)]
gaps = [q[i + 1] - q[i] - sp.Mod(m1 * nsd.time, e) for i in range(3)]
contacts = [nsd.Contact(f"contact {{i}}", gap, nsd.NewtonImpact(e)) for i, gap in enumerate(gaps)]
model = nsd.Model("chain", systems, contacts, scheme=nsd.MoreauJean(), step=0.1, end=1.0,
                  parameters={{m1: 1, m2: 2, g: 3, e: 0.5, k: 1}}, initial={{s: i for i, s in enumerate(q)}})
print(emit_model(model).text)
"""


@pytest.mark.slow
def test_nothing_depends_on_hashes_or_on_what_was_created_before() -> None:
    """The whole derivation, as text, under other hash seeds and after other symbols: the same bytes."""
    earlier = ("", "sp.symbols('k e g m2 m1'); dynamicsymbols('q3 q2 q1 q0'); sp.Symbol('m1', positive=True) + 1")
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT.format(before=before)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        ).stdout
        for seed, before in zip("07", earlier, strict=True)
    }
    assert len(outputs) == 1
    text = outputs.pop()
    assert text.count("system class") == 1  # four systems share it
    assert text.count("relation class") == 1


def test_merged_systems_keep_their_own_names_and_units() -> None:
    systems = [
        nsd.LagrangianSystem(n, [q], kinetic=m * q.diff() ** 2 / 2, units=[unit])
        for n, q, m, unit in (("a", x, m1, "m"), ("b", y, m2, "mm"))
    ]
    run = nsd.Model(
        "two",
        systems,
        scheme=nsd.MoreauJean(),
        step=0.1,
        end=0.2,
        parameters={m1: 1.0, m2: 2.0},
        initial={x: 0.0, y: 0.0},
    ).run()
    assert [(c.name, c.unit) for c in run.columns][2:4] == [("b.y", "mm"), ("b.y_dot", "mm/s")]
