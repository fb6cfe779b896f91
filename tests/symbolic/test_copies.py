"""Copies: what they refuse, and that a model of copies is the model written out by hand."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError

m, g, e, r, mu, c = sp.symbols("m g e r mu c", positive=True)
z, y = dynamicsymbols("z y")
BEAD = nsd.LagrangianSystem("bead", [z], kinetic=m * z.diff() ** 2 / 2, potential=m * g * z)


def model(systems, relations=(), initial=None, parameters=None, scheme=None):
    return nsd.Model(
        "model",
        systems,
        relations,
        scheme=scheme or nsd.MoreauJean(),
        step=1e-3,
        end=0.1,
        parameters={g: 9.81, e: 0.5, **(parameters or {})},
        initial=initial or {},
    )


def column(n, masses, heights, radii):
    """A column of beads on a floor, from two prototypes."""
    beads = BEAD.copies(n, parameters={m: masses}, initial={z: heights, z.diff(): -1.0})
    low, high = beads[0], beads[1]
    floor = nsd.Contact("floor", gap=low.coordinate(z) - c, law=nsd.NewtonImpact(e), arguments={c: 0.25})
    touch = nsd.Contact("touch", gap=high.coordinate(z) - low.coordinate(z) - r, law=nsd.NewtonImpact(e))
    pairs = [(i, i + 1) for i in range(n - 1)]
    return beads, [floor, touch.copies(pairs, like=(low, high), arguments={r: radii})]


def test_copies_are_the_model_written_out():
    n, masses, heights, radii = 4, [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.5, 5.0], [0.5, 0.625, 0.75]
    beads, relations = column(n, masses, heights, radii)
    short = model(beads, relations)
    coordinates = dynamicsymbols(f"z0:{n}")
    weights = sp.symbols(f"m0:{n}", positive=True)
    systems = [
        nsd.LagrangianSystem(f"bead {i}", [q], kinetic=w * q.diff() ** 2 / 2, potential=w * g * q)
        for i, (q, w) in enumerate(zip(coordinates, weights, strict=True))
    ]
    long_relations = [nsd.Contact("floor", gap=coordinates[0] - c, law=nsd.NewtonImpact(e), arguments={c: 0.25})]
    long_relations += [
        nsd.Contact(
            f"touch {i}", gap=coordinates[i + 1] - coordinates[i] - r, law=nsd.NewtonImpact(e), arguments={r: radii[i]}
        )
        for i in range(n - 1)
    ]
    initial = {**dict(zip(coordinates, heights, strict=True)), **{q.diff(): -1.0 for q in coordinates}}
    written = model(systems, long_relations, initial, dict(zip(weights, masses, strict=True)))
    assert [s.name for s in short.description.systems] == [s.name for s in written.description.systems]
    assert [s.initial for s in short.description.systems] == [s.initial for s in written.description.systems]
    assert [(r.participants, r.cls) for r in short.description.relations] == [
        (r.participants, r.cls) for r in written.description.relations
    ]
    values = [[(a.name, a.source, a.value) for a in r.arguments] for r in short.derive().record.relations[1:]]
    assert values == [[("restitution", "parameter", 0.0), ("r", "value", value)] for value in radii]
    a, b = short.run(), written.run()
    np.testing.assert_array_equal(a["bead 3.z"], b["bead 3.z3"])
    np.testing.assert_array_equal(a["touch 2.impulse"], b["touch 2.impulse"])


def test_instances_have_their_own_functions_of_time():
    beads = BEAD.copies(3, parameters={m: 1.0}, names=["low", "middle", "high"])
    assert [b.name for b in beads] == ["low", "middle", "high"] and len(beads) == 3
    assert beads[-1] == beads[2] and beads[0] != beads[1] and [b.number for b in beads[:2]] == [0, 1]
    assert beads[0].coordinate(z) != beads[1].coordinate(z)
    assert beads[1].coordinate(z.diff()) == beads[1].coordinate(z).diff(nsd.time)
    with pytest.raises(ModelError, match="no function of time of 'bead'"):
        beads[1].coordinate(y)
    with pytest.raises(IndexError):
        beads[3]


def test_the_model_may_set_initial_values_of_single_copies():
    beads = BEAD.copies(3, parameters={m: 1.0}, initial={z: [1.0, 2.0, 3.0]})
    found = model([beads], initial={beads[1].coordinate(z): 7.0, beads[2].coordinate(z).diff(nsd.time): -2})
    assert [s.initial for s in found.description.systems] == [(1.0, 0.0), (7.0, 0.0), (3.0, -2.0)]
    run = found.run(initial={beads[1].coordinate(z): 8.0, "bead 2.z": 9.0})
    assert run["bead 1.z"][0] == 8.0 and run["bead 2.z"][0] == 9.0


def test_copies_of_bodies():
    brick = nsd.RigidBody("brick", mass=m, inertia=sp.eye(3) * m)
    brick.apply_force([0, 0, -m * g])
    bricks = brick.copies(
        2, parameters={m: [1.0, 2.0]}, initial={brick.position: [[0, 0, 1], [5, 0, 2]], brick.velocity: [1, 0, 0]}
    )
    corner = nsd.contacts_between(
        bricks[0].body.point([0, 0, -0.5]), nsd.Plane("floor", [0, 0, 1]), law=nsd.NewtonImpactFriction(e, mu)
    )[0]
    corners = corner.copies(bricks, like=bricks[0], names=["one", "two"], arguments={mu: [0.25, 0.5]})
    found = model(bricks, corners)
    assert [s.initial[:3] for s in found.description.systems] == [(0, 0, 1), (5, 0, 2)]
    assert [s.initial[7:10] for s in found.description.systems] == [(1, 0, 0), (1, 0, 0)]
    record = found.derive().record
    assert [(r.name, r.participants, r.arguments[1].value) for r in record.relations] == [
        ("one", (0,), 0.25),
        ("two", (1,), 0.5),
    ]


def test_copies_of_first_order_systems():
    x = dynamicsymbols("x")
    lam = nsd.multipliers("lam", 1)
    cell = nsd.FirstOrderSystem("cell", [x], [-c * x]).copies(3, parameters={c: [1, 2, 3]}, initial={x: [1, 0, -1]})
    relay = nsd.FirstOrderRelation("relay", lam, [cell[0].coordinate(x)], {cell[0]: lam}, nsd.Relay(r))
    wall = nsd.FirstOrderRelation("wall", [lam[0]], [cell[1].coordinate(x) + 2], {cell[1]: lam}, nsd.Complementarity())
    record = (
        model(
            cell,
            [relay.copies([0, 1, 2], like=cell[0], arguments={r: [1, 2, 3]}), wall.copies(cell[1:], like=cell[1])],
            scheme=nsd.ThetaGamma(),
        )
        .derive()
        .record
    )
    assert [(s.name, r.participants) for s, r in zip(record.systems, record.relations[:3], strict=True)] == [
        ("cell 0", (0,)),
        ("cell 1", (1,)),
        ("cell 2", (2,)),
    ]
    assert [[a.value for a in r.arguments] for r in record.relations[:3]] == [[-1, 1], [-2, 2], [-3, 3]]
    assert [r.participants for r in record.relations[3:]] == [(1,), (2,)]


def test_participants_that_are_not_copied_stay():
    table = nsd.LagrangianSystem("table", [y], kinetic=mu * y.diff() ** 2 / 2)
    beads = BEAD.copies(3, parameters={m: 1.0}, initial={z: 1.0})
    touch = nsd.Contact("touch", gap=beads[2].coordinate(z) - y, law=nsd.NewtonImpact(e))
    found = model([beads, table], [touch.copies([0, 1], like=(beads[2],))], {y: 0}, {mu: 1})
    assert [r.participants for r in found.description.relations] == [(0, 3), (1, 3)]


def touch_of(beads):
    return nsd.Contact("touch", gap=beads[1].coordinate(z) - beads[0].coordinate(z), law=nsd.NewtonImpact(e))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda b: BEAD.copies(0), "0 copies"),
        (lambda b: BEAD.copies(2, parameters={m: [1, 2, 3]}), r"shape \(3,\) for 2 copies"),
        (lambda b: BEAD.copies(2, parameters={m: "heavy"}), "no array of numbers"),
        (lambda b: BEAD.copies(2, parameters={m: np.inf}), "not finite"),
        (lambda b: BEAD.copies(2, names=["one"]), "1 names for 2 copies"),
        (lambda b: BEAD.copies(2, initial={y: 1}), "no coordinate or state"),
        (lambda b: BEAD.copies(2, initial={z: [1, 2, 3]}), "shape"),
        (lambda b: touch_of(b).copies([(0, 1, 2)], like=(b[0], b[1])), "not 2 participants"),
        (lambda b: touch_of(b).copies([(0, 7)], like=(b[0], b[1])), "no copy 7"),
        (lambda b: touch_of(b).copies([(0, "1")], like=(b[0], b[1])), "no instance and no number"),
        (lambda b: touch_of(b).copies([(0, 1)], like=(0, 1)), "no copies of systems"),
        (lambda b: b[0].body, "no rigid body"),
    ],
)
def test_copies_refuse(make, words):
    with pytest.raises(ModelError, match=words) as caught:
        make(BEAD.copies(3, parameters={m: 1.0}))
    assert caught.value.where


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda b, t: ([b[0]], []), "one of several copies"),
        (lambda b, t: ([b, b], []), "listed twice"),
        (lambda b, t: ([b], [t.copies([(0, 0)], like=(b[0], b[1]))]), "joins 'bead 0' to itself"),
        (lambda b, t: ([b], [t.copies([(0, 1)], like=(b[0], b[2]))]), "not written in 'bead 2'"),
        (
            lambda b, t: ([b], [t.copies([(0, 1)], like=(b[0], b[1]), arguments={g: 1})]),
            "both an argument and a parameter",
        ),
        (
            lambda b, t: ([b], [t.copies([(BEAD.copies(1, initial={z: 0})[0], 1)], like=(b[0], b[1]))]),
            "not in the model",
        ),
        (lambda b, t: ([BEAD.copies(2, parameters={m: 1, c: 1})], []), "c occurs in none of its expressions"),
        (
            lambda b, t: ([b], [t.copies([(0, 1)], like=(b[0], b[1]), arguments={c: 1})]),
            "c occurs in none of its expressions",
        ),
        (lambda b, t: ([BEAD.copies(2, parameters={m: 1})], []), "no initial value for z"),
        (lambda b, t: ([b, nsd.LagrangianSystem("bead 1", [y], mass=1)], []), "are called 'bead 1'"),
    ],
)
def test_models_refuse(make, words):
    beads = BEAD.copies(3, parameters={m: 1.0}, initial={z: [0.0, 1.0, 2.0]})
    with pytest.raises(ModelError, match=words):
        model(*make(beads, touch_of(beads)), initial={y: 0} if words.startswith("are") else None)


def test_another_kind_of_system_is_refused():
    beads = BEAD.copies(3, parameters={m: 1.0}, initial={z: 0.0})
    heavy = nsd.LagrangianSystem("heavy", [y], kinetic=y.diff() ** 2, potential=y**2).copies(2, initial={y: 0})
    with pytest.raises(ModelError, match="other equations than 'bead 1'"):
        model([beads, heavy], [touch_of(beads).copies([(beads[0], heavy[1])], like=(beads[0], beads[1]))])


def test_the_record_of_copies_is_compact_and_reads_back():
    from nsdgen.record.model_record import ModelRecord

    n = 300
    beads, relations = column(n, np.linspace(1, 2, n), np.arange(1.0, n + 1), np.linspace(0.5, 1, n - 1))
    record = model(beads, relations).derive().record
    text = record.to_json()
    assert ModelRecord.from_json(text) == record
    assert ModelRecord.from_json(text).to_json() == text
    line = next(line for line in text.splitlines() if '"touch 2"' in line)
    value = repr(float(np.linspace(0.5, 1, n - 1)[2]))
    own = f'[["restitution","parameter",1,0.0,0.0,1.0],["r","value",0,{value}]]'
    assert line.strip() == f'["touch 2",1,[2,3],{own}],'
    assert len(text) < 6000 + 2 * n * 110


@pytest.mark.slow
def test_ten_thousand_instances_are_described_once(monkeypatch):
    """What costs symbolic work is done for the prototypes only; copies carry numbers."""
    seen = []
    for kind in (nsd.LagrangianSystem, nsd.Contact):
        original = kind.describe
        monkeypatch.setattr(
            kind, "describe", lambda self, *args, _own=original: seen.append(self.name) or _own(self, *args)
        )
    n = 10_000
    beads, relations = column(n, np.linspace(1, 2, n), np.arange(1.0, n + 1), np.linspace(0.5, 1, n - 1))
    text = model(beads, relations).derive().record.to_json()
    assert len(seen) < 20
    assert len(text) < 2.5e6
