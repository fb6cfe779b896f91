"""Systems and relations that differ in numbers alone: one class, these numbers as arguments, the same motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError

K = sp.Symbol("k", positive=True)
N1 = sp.Symbol("n1", real=True)  # a name that an argument might have


def bodies(n: int, *, sizes: Any = None, **options: Any) -> nsd.Model:
    """A chain of rigid bodies that hangs from the ground by spherical joints, each with numbers of its own."""
    found, joints, initial, before, end = [], [], {}, [0, 0, 0], 0
    for i, f in enumerate(sizes or [1 + sp.Rational(i, 7) for i in range(n)]):
        inertia = sp.diag(0.021 * f, 0.025 * f + 0.001 * f**2, 0.031 * f) + sp.Rational(1, 500) * sp.ones(3)
        body = nsd.RigidBody(f"b{i}", 1.3 * f, inertia)
        body.apply_force([0, 0, -1.3 * 9.81 * f])
        body.apply_moment([0, 0.1 * sp.sin(3 * f * nsd.time), -K * body.angular_velocity[2]])
        joints.append(nsd.Spherical(f"j{i}", before, body.point([-0.2 * f, 0, 0])))
        before = body.point([0.2 * f, 0, 0])
        initial[body.position] = [end + 0.2 * f, 0, 0]
        end += 0.4 * f
        found.append(body)
    return nsd.Model(
        "chain",
        found,
        joints,
        scheme=nsd.MoreauJean(),
        initial=initial,
        step=1e-3,
        end=0.05,
        parameters={K: 0.02},
        **options,
    )


def oscillators(*terms: Any, parameters: Any = None) -> nsd.Model:
    """Systems q'' m = f, one for each pair (m, f(q))."""
    functions = [dynamicsymbols(f"q{i}") for i in range(len(terms))]
    systems = [
        nsd.LagrangianSystem(f"s{i}", [q], kinetic=m * q.diff() ** 2 / 2, forces=[f(q)])
        for i, (q, (m, f)) in enumerate(zip(functions, terms, strict=True))
    ]
    return nsd.Model(
        "oscillators",
        systems,
        scheme=nsd.MoreauJean(),
        initial=dict.fromkeys(functions, 0.1),
        parameters=parameters or {},
        step=1e-3,
        end=0.01,
    )


def classes(model: nsd.Model) -> list[int]:
    return [s.cls for s in model.description.systems]


def test_different_bodies_and_joints_have_a_handful_of_classes_and_move_as_they_did(monkeypatch) -> None:
    merged = bodies(4)
    assert (len(merged.description.system_classes), len(merged.description.relation_classes)) == (1, 4)
    longer = bodies(5)
    assert (len(longer.description.system_classes), len(longer.description.relation_classes)) == (1, 2)
    found = longer.compile(interpret=True).run()
    monkeypatch.setattr("nsdgen.symbolic.description.number_arguments._MOST_LITERAL", 99)
    apart = bodies(5)
    assert len(apart.description.system_classes) == 5
    expected = apart.compile(interpret=True).run()
    # products of numbers round otherwise: 50 steps of a chain that amplifies errors by less than e
    assert np.allclose(found.table, expected.table, rtol=0, atol=1e-12)
    assert found.columns == expected.columns


def test_a_number_is_no_part_of_the_text() -> None:
    plain = bodies(5).derive()
    other = bodies(5, sizes=[1 + sp.Rational(i, 5) for i in range(5)]).derive()
    assert plain.module == other.module
    assert plain.record != other.record


def test_a_few_keep_their_numbers() -> None:
    assert classes(oscillators(*[(m, lambda q: -2.5 * q) for m in (1.5, 2.5, 3.5)])) == [0, 1, 2]
    found = oscillators(*[(m, lambda q: -2.5 * q) for m in (1.5, 2.5, 3.5, 4.5)])
    assert classes(found) == [0, 0, 0, 0]
    cls = found.description.system_classes[0]
    assert [s.name for s in cls.parameters] == ["number/n1", "number/n2"]  # m, and m/2 of the kinetic energy
    assert cls.terms["force"].values == sp.Matrix([-2.5 * cls.group("q")[0]])  # equal in all
    assert [float(a.value) for a in found.description.systems[2].arguments] == [3.5, 1.75]


def test_operators_show_the_numbers_of_their_instance() -> None:
    found = oscillators(
        *[(m, lambda q, m=m: -m * K * sp.sin(m * q)) for m in (1, 3, sp.Rational(1, 3), 4.5, 5)], parameters={K: 2.0}
    )
    assert classes(found) == [0, 1, 1, 1, 1]  # without a factor 1 there is another form
    force = found["s2"].force
    (q,) = force["q"]
    assert force.matrix == sp.Matrix([-force.symbol("k") * sp.sin(q / 3) / 3])
    assert list(force.parameters.values()) == [2.0]
    assert found["s4"].mass.matrix == sp.Matrix([5])


def test_arguments_of_numbers_take_no_name_of_the_model() -> None:
    found = oscillators(*[(m, lambda q, m=m: -N1 * m * q) for m in (2, 3, 4, 5)], parameters={N1: 7.0})
    labels = [a.name for a in found.description.systems[0].arguments]
    assert labels[0] == "n1"
    assert len(set(labels)) == len(labels)
    run = found.compile(interpret=True).run()
    # q'' = -7 q for all of them, whatever their mass
    assert all(np.allclose(run[f"s{i}.q{i}"], run["s0.q0"], rtol=0, atol=1e-15) for i in range(4))


@pytest.mark.parametrize(
    "force",
    [
        lambda q, k: -(q ** (k + 1)),
        lambda q, k: -sp.Mod(q, k + 1),
        lambda q, k: -sp.Piecewise((q, q > k), (2 * q, True)),
        lambda q, k: -((sp.Integer(k) + 2) ** q),
    ],
)
def test_exponents_periods_and_conditions_are_structure(force) -> None:
    assert classes(oscillators(*[(2, lambda q, k=k: force(q, k)) for k in (1, 2, 3, 4, 5)])) == [0, 1, 2, 3, 4]


def test_singular_matrices_keep_their_numbers() -> None:
    """Their schemes look for the equations that have no acceleration, which numbers decide."""

    def pair(i: int, a: float, b: float) -> nsd.LagrangianSystem:
        x, y = dynamicsymbols(f"x{i} y{i}")
        return nsd.LagrangianSystem(
            f"s{i}",
            [x, y],
            potential=x**2 + y**2,
            kinetic=(a * x.diff() ** 2 + 2 * 2 * x.diff() * y.diff() + b * y.diff() ** 2) / 2,
        )

    def of(numbers: list[tuple[float, float]]) -> list[int]:
        systems = [pair(i, *ab) for i, ab in enumerate(numbers)]
        return classes(
            nsd.Model(
                "pairs",
                systems,
                scheme=nsd.MoreauJean(),
                step=1e-3,
                end=0.01,
                initial={f: 0.0 for s in systems for f in s.functions if not f.is_Derivative},
            )
        )

    assert of([(8, 3), (5, 7), (6, 9), (7, 5)]) == [0, 0, 0, 0]
    assert of([(8, 3), (5, 7), (6, 9), (8, sp.Rational(1, 2))]) == [0, 1, 2, 3]


def test_what_is_wrong_is_refused_where_it_was_written() -> None:
    with pytest.raises(ModelError, match="b3"):
        bodies(5, sizes=[1, 2, 3, -4, 5])


def test_numbers_of_a_relation_are_none_of_its_system() -> None:
    """An output that is differentiated holds the rates of its system: n1 of these was n1 of the relation, silently."""
    found = []
    for i in range(4):
        x, v = dynamicsymbols(f"x{i} v{i}")
        system = nsd.FirstOrderSystem(f"s{i}", [x, v], [(0.7 + 0.4 * i) * v - (0.21 + 0.03 * i) * x, -v])
        lam = nsd.multipliers(f"lam{i}", 1)
        output = (1.7 - 0.13 * i) * x - (0.2 + 0.05 * i)
        found.append((system, nsd.FirstOrderRelation(f"r{i}", lam, output, {system: [0, *lam]}, nsd.Relay(2.0))))
    systems, relations = zip(*found, strict=True)
    rest = {"scheme": nsd.EventDriven(), "step": 0.01, "end": 0.1}
    model = nsd.Model("twisting", systems, relations, initial={s: 0.5 for m in systems for s in m.state}, **rest)
    (cls,) = model.description.relation_classes
    (seen,) = cls.participants
    numbers = [seen.rename(s) for s in seen.system.parameters]
    assert len(numbers) == 2 and not {*numbers} & {*cls.parameters}
