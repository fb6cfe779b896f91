"""Animations: the numbers in a page are those of the run, and nothing is fetched."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import EmissionError, ModelError, ParameterError
from nsdgen.study.animation.picture import Drawn, Picture


def scene_of(path: Path) -> tuple[dict[str, Any], str]:
    """The scene of a page with its series as numbers, and the page without three.js and numbers."""
    text = path.read_text(encoding="utf-8")

    def part(name: str) -> str:
        found = re.search(rf'<script id="{name}"[^>]*>(.*?)</script>', text, re.DOTALL)
        assert found is not None
        return found[1]

    levels = np.frombuffer(zlib.decompress(base64.b64decode(part("numbers"))), "<u2")
    scene = json.loads(part("scene"))

    def series(packed: dict[str, Any], n: int) -> np.ndarray:
        if "at" not in packed:
            return np.full(n, packed["low"])
        counted = np.cumsum(levels[packed["at"] : packed["at"] + n], dtype=np.uint16)
        found = packed["low"] + counted * ((packed["high"] - packed["low"]) / 65535)
        for first, end in zip(*[iter(packed.get("gaps", ()))] * 2, strict=True):
            found[first:end] = np.nan
        return found

    for run in scene["runs"]:
        for item in run["drawn"]:
            item["values"] = [series(v, run["n"]) for v in item["values"]]
        for column in run["columns"].values():
            column["values"] = series(column, run["n"])
    return scene, text.replace(part("three"), "").replace(part("numbers"), "")


def test_the_page_holds_the_motion_to_a_level_of_its_range(brick: nsd.Model, tmp_path: Path) -> None:
    trajectory = brick.run()
    trajectory.animate(tmp_path / "brick.html", "brick.velocity", frames=100)
    scene, _ = scene_of(tmp_path / "brick.html")
    (run,) = scene["runs"]
    rows = np.searchsorted(trajectory.time, np.array(run["time"]) - 1e-9)
    (body,) = [d for d in run["drawn"] if d["kind"] == "body"]
    for values, name in zip(body["values"], trajectory.names[:7], strict=True):
        exact = trajectory[name][rows]
        assert np.abs(values - exact).max() <= np.ptp(exact) / 65535
    assert run["time"][0] == 0 and run["time"][-1] == pytest.approx(0.5)
    assert run["plotted"] == [f"brick.velocity[{i}]" for i in range(3)]


def test_a_body_that_nobody_drew_is_the_box_of_its_inertia(brick: nsd.Model, tmp_path: Path) -> None:
    brick.run(end=0.01).animate(tmp_path / "brick.html")
    (form,) = next(d for d in scene_of(tmp_path / "brick.html")[0]["runs"][0]["drawn"] if d["kind"] == "body")["solids"]
    w, x, y, z = form["turned"]
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    assert np.allclose(np.abs(turn) @ form["sizes"], [0.24, 0.12, 0.08])  # edges of the brick


def test_impulses_between_two_pictures_add_up(brick: nsd.Model, tmp_path: Path) -> None:
    """What the arrows show sums to the momentum that the ground gave: m v(T) - m v(0) + m g T along z."""
    trajectory = brick.run()
    trajectory.animate(tmp_path / "brick.html", frames=17)
    (run,) = scene_of(tmp_path / "brick.html")[0]["runs"]
    arrows = [d for d in run["drawn"] if d["kind"] == "arrow"]
    assert len(arrows) == 8 and {d["unit"] for d in arrows} == {"N s"}
    total = sum(np.array(d["values"][3:]).sum(axis=1) for d in arrows)
    given = trajectory["brick.velocity"][-1] + np.array([0, 0, 9.81 * 0.5])
    assert np.allclose(total, given, atol=8 * 17 * 3.0 / 65535)


def test_a_page_fetches_nothing_and_says_whose_code_it_holds(brick: nsd.Model, tmp_path: Path) -> None:
    brick.run(end=0.01).animate(tmp_path / "brick.html")
    _, text = scene_of(tmp_path / "brick.html")
    assert not re.search(r"(?:src|href)\s*=|url\(|fetch\(|import\s+[\w{*].*from", text)
    assert "three.js, MIT licence" in text and "Permission is hereby granted" in text


def pendulum() -> tuple[nsd.Model, nsd.Sketch]:
    """Hanging at rest but for a push, drawn by its rod and a spring."""
    (a,) = dynamicsymbols("a,")
    length = sp.Symbol("L", positive=True)
    system = nsd.LagrangianSystem(
        "rod", [a], kinetic=length**2 * a.diff() ** 2 / 2, potential=-9.81 * length * sp.cos(a), units=["rad"]
    )
    tip = [length * sp.sin(a), -length * sp.cos(a)]
    sketch = nsd.Sketch().line([0, 0], tip, name="rod").spring([1, 0], tip, name="spring").circle(tip, length / 10, a)
    sketch.point([nsd.piecewise((1, a > 0), (-1, True)), sp.Abs(a) + nsd.time], name="side")
    model = nsd.Model(
        "pendulum",
        [system],
        scheme=nsd.MoreauJean(),
        step=1e-2,
        end=1,
        parameters={length: 2.0},
        initial={a: 0.3, a.diff(): 1},
        sketch=sketch,
    )
    return model, sketch


def test_a_sketch_is_drawn_where_its_expressions_are(tmp_path: Path) -> None:
    model, _ = pendulum()
    trajectory = model.run(parameters={"L": 1.5})
    trajectory.animate(tmp_path / "p.html", frames=1000)
    (run,) = scene_of(tmp_path / "p.html")[0]["runs"]
    assert run["planar"]
    drawn = {d["name"]: d["values"] for d in run["drawn"]}
    angle = trajectory["a"]
    assert np.allclose(drawn["rod"][3], 1.5 * np.sin(angle), atol=1e-4)
    assert np.allclose(drawn["rod"][5], -1.5 * np.cos(angle), atol=1e-4)
    assert np.allclose(drawn["circle"][3], 0.15)
    assert np.allclose(drawn["side"][0], np.where(angle > 0, 1, -1), atol=1e-4)
    assert np.allclose(drawn["side"][2], np.abs(angle) + trajectory.time, atol=1e-4)


def test_where_z_points_down_pictures_are_turned_and_poses_say_so(tmp_path: Path) -> None:
    body = nsd.RigidBody("kite", 1, sp.diag(1, 2, 3)).apply_force([0, 0, 9.81])
    model = nsd.Model(
        "kite", [body], scheme=nsd.MoreauJean(), step=1e-2, end=0.5, sketch=nsd.Sketch(z="down").plane([0, 0, -1], 0.5),
        initial={body.position: [0, 0.2, -0.3], body.velocity: [1, 0.5, 0], body.angular_velocity: [1, 2, 3]},
    )  # fmt: skip
    run = model.run()
    run.animate(tmp_path / "kite.html")
    run.animate(tmp_path / "kite.json")
    drawn = {d["name"]: d["values"] for d in scene_of(tmp_path / "kite.html")[0]["runs"][0]["drawn"]}
    poses = json.loads((tmp_path / "kite.json").read_text())
    over = Rotation.from_euler("x", np.pi)
    own, shown = poses["bodies"]["kite"], np.array(drawn["kite"]).T
    assert poses["up"] == "-z"
    assert own["position"][-1][2] == pytest.approx(-0.3 + 9.81 * 0.5**2 / 2, abs=0.03)  # it falls along z
    assert shown[:, :3] == pytest.approx(over.apply(own["position"]), abs=1e-4)
    turns = over * Rotation.from_quat(own["quaternion"], scalar_first=True)
    assert Rotation.from_quat(shown[:, 3:], scalar_first=True).as_matrix() == pytest.approx(turns.as_matrix(), abs=1e-3)
    assert np.array(drawn["plane"])[:, 0] == pytest.approx([0, 0, 1, 0.5])  # z_shown = -z = 0.5
    with pytest.raises(ModelError, match="z points 'left'"):
        nsd.Sketch(z="left")


def swing(sketch: nsd.Sketch, x: sp.Expr) -> nsd.Model:
    """A mass on a spring, x(t) = cos(t)."""
    system = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2, potential=x**2 / 2)
    return nsd.Model("swing", [system], scheme=nsd.MoreauJean(), step=1e-2, end=3, initial={x: 1}, sketch=sketch)


def test_a_plane_goes_where_its_expressions_go(tmp_path: Path) -> None:
    """It stood where it was at the start, as a shaken table that never moves."""
    x = dynamicsymbols("x")
    sketch = nsd.Sketch().line([0, 0], [x, 0]).plane([sp.sin(x), 2], 4 * x, name="table")
    run = swing(sketch, x).run()
    run.animate(tmp_path / "s.html", frames=1000)
    drawn = {d["name"]: d["values"] for d in scene_of(tmp_path / "s.html")[0]["runs"][0]["drawn"]}
    assert np.allclose(drawn["table"], [np.sin(run["x"]), 0 * run.time, 2 + 0 * run.time, 4 * run["x"]], atol=2e-4)


def test_what_has_no_number_is_drawn_nowhere(tmp_path: Path) -> None:
    """It was drawn at 0, beside what was there."""
    pytest.importorskip("matplotlib")
    x = dynamicsymbols("x")
    sketch = nsd.Sketch().point([x, sp.sqrt(x)], name="root").point([x, sp.sqrt(-2 - x)], name="none")
    model = swing(sketch, x)
    run = model.run()
    run.animate(tmp_path / "s.html", frames=1000)
    drawn = {d["name"]: d["values"] for d in scene_of(tmp_path / "s.html")[0]["runs"][0]["drawn"]}
    with np.errstate(invalid="ignore"):
        expected = np.sqrt(run["x"])
    assert np.isnan(expected).any() and np.allclose(drawn["root"][2], expected, atol=1e-4, equal_nan=True)
    run.animate(tmp_path / "s.json")
    root, none = json.loads((tmp_path / "s.json").read_text(), parse_constant=pytest.fail)["lines"]
    assert root["points"][0][0] == [1, 0, 1] and root["points"][-1][0][2] is None and none["points"][0][0][2] is None
    run.animate(tmp_path / "s.png", speed=10)


def test_a_circle_seen_upside_down_turns_the_other_way() -> None:
    """A place on its rim is where the turned plane has it."""
    angle, radius = 0.3, 2.0
    ring = np.array([[1.0, 0, 3.0, radius, angle]])
    (drawn,) = Picture(np.zeros(1), [Drawn("circle", "c", ring)], True, up="-z").upright().drawn
    x, _, z, r, a = drawn.values[0]
    rim = [x + r * np.cos(a), z + r * np.sin(a)]
    assert rim == pytest.approx([1 + radius * np.cos(angle), -(3 + radius * np.sin(angle))])


def test_where_two_rows_have_one_instant_what_is_shown_is_that_of_the_picture(tmp_path: Path) -> None:
    """The last one, as that of bodies: beside a ball that flies up stood the velocity with which it came."""
    z = dynamicsymbols("z")
    system = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=10 * z)
    model = nsd.Model(
        "ball", [system], [nsd.Contact("c", gap=z, law=nsd.NewtonImpact(0.5))], scheme=nsd.EventDriven(), step=0.1,
        end=0.7, initial={z: 1}, sketch=nsd.Sketch().point([0, z]),
    )  # fmt: skip
    run = model.run()
    twice = np.flatnonzero(np.diff(run.time) == 0)
    assert len(twice) == 1
    run.animate(tmp_path / "b.html", "z_dot", frames=10**4)
    (seen,) = scene_of(tmp_path / "b.html")[0]["runs"]
    at = seen["time"].index(pytest.approx(run.time[twice[0]]))
    assert run["z_dot"][twice[0]] < 0 < seen["columns"]["ball.z_dot"]["values"][at]


def test_a_run_beside_this_one_has_a_name_of_its_own(tmp_path: Path) -> None:
    """It was drawn in the place of this one."""
    model, _ = pendulum()
    run = model.run()
    with pytest.raises(ParameterError, match="is called 'pendulum', as this one"):
        run.animate(tmp_path / "p.html", beside={"pendulum": model.run(parameters={"L": 1})})


def test_two_runs_one_over_the_other_and_one_read_from_a_file(tmp_path: Path) -> None:
    model, _ = pendulum()
    trajectory = model.run()
    trajectory.save(tmp_path / "p.npz")
    read = nsd.Trajectory.load(tmp_path / "p.npz")
    read.animate(tmp_path / "p.html", beside={"shorter": model.run(parameters={"L": 1})}, model=model)
    first, second = scene_of(tmp_path / "p.html")[0]["runs"]
    assert second["name"] == "shorter" and len(first["drawn"]) == len(second["drawn"]) == 4
    read.animate(tmp_path / "plots.html")  # without its model only its columns are known
    assert scene_of(tmp_path / "plots.html")[0]["runs"][0]["plotted"] == list(read.names[:4])


def test_mechanisms_are_drawn_where_their_bodies_are(tmp_path: Path) -> None:
    """Two rods on hinges: joints in a mechanism are drawn, and bodies stand where the angles say."""
    rods = [nsd.RigidBody(name, 1, sp.diag(0.01, 0.1, 0.1)).apply_force([0, 0, -9.81]) for name in ("upper", "lower")]
    axis = {"axis": [0, 1, 0]}
    shoulder = nsd.Revolute("shoulder", nsd.Marker(rods[0], [-0.5, 0, 0], **axis), nsd.Marker(**axis))
    elbow = nsd.Revolute("elbow", nsd.Marker(rods[1], [-0.5, 0, 0], **axis), nsd.Marker(rods[0], [0.5, 0, 0], **axis))
    arm = nsd.Mechanism("arm", [shoulder, elbow])
    rods[1].draw(nsd.solids.Cylinder(0.05, 1), at=[0.1, 0, 0], turned=nsd.from_axis_angle([0, 1, 0], sp.pi / 2))
    model = nsd.Model("arm", [arm], scheme=nsd.MoreauJean(), step=1e-2, end=0.3, initial={shoulder.angle: 0.4})
    trajectory = model.run()
    trajectory.animate(tmp_path / "arm.html", frames=1000)
    (run,) = scene_of(tmp_path / "arm.html")[0]["runs"]
    bodies = {d["name"]: d for d in run["drawn"] if d["kind"] == "body"}
    a, b = trajectory["arm.shoulder angle"], trajectory["arm.elbow angle"]
    place = [np.cos(a) + 0.5 * np.cos(a + b), 0 * a, -np.sin(a) - 0.5 * np.sin(a + b)]
    assert np.allclose(bodies["lower"]["values"][:3], place, atol=1e-4)
    (form,) = bodies["lower"]["solids"]
    assert form["kind"] == "cylinder" and form["sizes"] == [0.05, 1.0] and form["at"] == [0.1, 0, 0]
    assert {d["name"] for d in run["drawn"] if d["kind"] == "joint"} == {"shoulder", "elbow"}


def test_copies_wear_their_own_sizes(tmp_path: Path) -> None:
    radius = sp.Symbol("r", positive=True)
    ball = nsd.RigidBody("ball", 1, sp.eye(3) * radius**2).draw(nsd.solids.Sphere(radius))
    balls = ball.copies(3, {radius: [0.1, 0.2, 0.3]}, initial={ball.position: [[i, 0, 0] for i in range(3)]})
    nsd.Model("balls", [balls], scheme=nsd.MoreauJean(), step=0.1, end=1).run().animate(tmp_path / "b.html")
    drawn = scene_of(tmp_path / "b.html")[0]["runs"][0]["drawn"]
    assert [d["solids"][0]["sizes"] for d in drawn] == [[0.1], [0.2], [0.3]]
    assert [d["values"][0][0] for d in drawn] == [0, 1, 2]


def test_contacts_of_copies_are_drawn_as_those_written_one_by_one(tmp_path: Path) -> None:
    """Bodies were boxes in place of their spheres, without ground and reactions."""
    radius, radii = sp.Symbol("r", positive=True), [0.1, 0.2, 0.3]
    law, ground = nsd.NewtonImpactFriction(0.5, 0.3), nsd.Plane("ground", [0, 0, 1])
    start = {"position": [[0, 0, 0.5], [0, 0.05, 0.8], [3, 0, 0.3]], "velocity": [[0.1, 0, 0]] * 3}

    def drawn(systems: list[Any], relations: list[Any], initial: dict[Any, Any]) -> dict[Any, Any]:
        model = nsd.Model("m", systems, relations, scheme=nsd.MoreauJean(), step=1e-3, end=0.6, initial=initial)
        model.run().animate(tmp_path / "m.html", frames=40)
        every = scene_of(tmp_path / "m.html")[0]["runs"][0]["drawn"]
        found = {(d["kind"], d["name"]): (d.get("solids"), np.array(d["values"]), d.get("unit")) for d in every}
        return {key: value for key, value in found.items() if key[0] != "arrow" or value[1][3:].any()}

    ball = nsd.RigidBody("ball", 1, 0.1 * sp.eye(3)).apply_force([0, 0, -10])
    balls = ball.copies(3, initial={getattr(ball, name): values for name, values in start.items()})
    one, two = balls[0].body, balls[1].body
    floor = nsd.shapes.sphere_plane("floor", one, radius, ground, law)
    pair = nsd.shapes.sphere_sphere("pair", one, 0.1, two, 0.2, law)
    floors = floor.copies([0, 1, 2], like=balls[0], arguments={radius: radii})
    pairs = pair.copies([(0, 1)], like=(balls[0], balls[1]))
    of_copies = drawn([balls], [floors, pairs], {})

    single = [nsd.RigidBody(f"ball {i}", 1, 0.1 * sp.eye(3)).apply_force([0, 0, -10]) for i in range(3)]
    touch = [nsd.shapes.sphere_plane(f"floor {i}", b, radii[i], ground, law) for i, b in enumerate(single)]
    touch.append(nsd.shapes.sphere_sphere("pair 0", single[0], 0.1, single[1], 0.2, law))
    initial = {getattr(b, name): values[i] for i, b in enumerate(single) for name, values in start.items()}
    expected = drawn(single, touch, initial)
    assert len(expected) == 7 and of_copies.keys() == expected.keys()
    for key, (solids, values, unit) in expected.items():
        assert of_copies[key][0] == solids and of_copies[key][2] == unit
        np.testing.assert_allclose(of_copies[key][1], values, atol=1e-3 * np.abs(values).max())


@pytest.mark.parametrize(
    ("said", "act"),
    [
        ("use a file name that ends with .html", lambda run, model: run.animate("run.avi")),
        ("give speed=", lambda run, model: run.animate("run.gif", speed=1e-6)),
        ("the speed is -1", lambda run, model: run.animate("run.gif", speed=-1)),
        ("create the folder 'nowhere' first", lambda run, model: run.animate("nowhere/run.html")),
        ("frames is 1", lambda run, model: run.animate("a.html", frames=1)),
        ("was not recorded", lambda run, model: model.run(end=0.01, record=["gap"]).animate("run.html")),
    ],
)
def test_what_cannot_be_written_is_refused(brick: nsd.Model, said: str, act: Any) -> None:
    with pytest.raises(ParameterError) as refused:
        act(brick.run(end=0.01), brick)
    assert said in str(refused.value)


def test_what_is_no_place_and_no_solid_is_refused() -> None:
    sketch = nsd.Sketch().line([0, 0], [1, 1])
    with pytest.raises(ModelError, match="a place has 3 coordinates, others 2"):
        sketch.point([0, 0, 0])
    with pytest.raises(ModelError, match="give at least 2"):
        nsd.Sketch().line([0, 0])
    with pytest.raises(ModelError, match="stands in the plane"):
        nsd.Sketch().circle([0, 0, 0], 1)
    with pytest.raises(ModelError, match="is no solid"):
        nsd.RigidBody("b", 1, sp.eye(3)).draw("box")
    with pytest.raises(ModelError, match="outside 0 to 2"):
        nsd.solids.Mesh([[0, 0, 0]] * 3, [[0, 1, 3]])
    with pytest.raises(ModelError, match="are 2 values"):
        nsd.solids.Cuboid([1, 2])


def test_the_expression_graph_on_arrays_agrees_with_sympy() -> None:
    from nsdgen.emit.translate import Translator
    from nsdgen.model.drawing import evaluated
    from nsdgen.symbolic.expressions.nodes import Branch, Floor, Modulo, Sign, Stumpff

    x, y = sp.symbols("x y", real=True)
    expressions = [
        x**3 * sp.exp(-y) / (2 + sp.sin(x) ** 2) - sp.Rational(1, 3) * y,
        sp.sqrt(1 + x**2) * sp.atan2(y, x) + sp.erf(x) ** 2 - sp.pi * sp.tanh(y) ** sp.Rational(5, 2) * 0,
        Branch(x, sp.And(x > 0, sp.Not(y >= 1)), y, sp.Or(x < -1, sp.Eq(y, 0)), x * y, sp.true),
        Modulo(x, y) + Floor(x) * Sign(y) + sp.acosh(2 + x**2) + abs(x) ** sp.Rational(7, 3),
    ]
    translator = Translator(expressions, {x: "x", y: "y"})
    program = translator.graph.compact([translator.translate(e) for e in expressions])
    points = np.random.default_rng(3).uniform(-2, 2, (2, 40))
    found = evaluated(program, {"x": points[0], "y": points[1]}.__getitem__)
    for k in range(40):
        at = {x: sp.Float(points[0, k], 30), y: sp.Float(points[1, k], 30)}
        for expression, values in zip(expressions, found, strict=True):
            if isinstance(expression, Branch):
                arms = zip(expression.values, expression.conditions, strict=True)
                whole = next(value for value, condition in arms if condition.subs(at))
            else:
                whole = expression.replace(lambda n: isinstance(n, Modulo | Floor | Sign), lambda n: n._meaning())
            assert values[k] == pytest.approx(float(whole.subs(at)), rel=1e-12, abs=1e-12)
    odd = Stumpff(sp.Integer(1), x)
    translator = Translator([odd], {x: "x"})
    program = translator.graph.compact([translator.translate(odd)])
    with pytest.raises(EmissionError, match="nsd_stumpff"):
        evaluated(program, {"x": 1.0}.__getitem__)


def test_poses_are_those_of_the_run(brick: nsd.Model, tmp_path: Path) -> None:
    trajectory = brick.run(end=0.1)
    trajectory.animate(tmp_path / "poses.json", frames=1000)
    read = json.loads((tmp_path / "poses.json").read_text())
    assert np.array_equal(read["time"], trajectory.time) and read["up"] == "z"
    assert np.array_equal(read["bodies"]["brick"]["position"], trajectory["brick.position"])
    assert np.array_equal(read["bodies"]["brick"]["quaternion"], trajectory["brick.quaternion"])


def test_all_that_can_be_drawn_is_drawn_in_a_film(tmp_path: Path) -> None:
    images = pytest.importorskip("PIL.Image")
    pytest.importorskip("matplotlib")
    solids = nsd.solids
    tetrahedron = solids.Mesh(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    )
    every = [
        solids.Sphere(0.3),
        solids.Ellipsoid([0.3, 0.2, 0.1]),
        solids.Cylinder(0.2, 0.5),
        solids.Capsule(0.2, 0.5),
        solids.RoundCone(0.2, 0.5),
        tetrahedron,
    ]
    bodies = [nsd.RigidBody(f"body {i}", 1, sp.eye(3)).draw(s) for i, s in enumerate(every)]
    rope = nsd.Spring("rope", bodies[0].point([0, 0, 0]), bodies[1].point([0, 0, 0]), 10)
    model = nsd.Model(
        "all",
        bodies,
        [rope],
        scheme=nsd.MoreauJean(),
        step=0.1,
        end=0.2,
        initial={b.position: [i, 0, 0] for i, b in enumerate(bodies)},
    )
    trajectory = model.run()
    trajectory.animate(tmp_path / "all.png", speed=10)
    trajectory.animate(tmp_path / "all.html")
    names = {s["kind"] for d in scene_of(tmp_path / "all.html")[0]["runs"][0]["drawn"] for s in d.get("solids", ())}
    assert names == {"sphere", "ellipsoid", "cylinder", "capsule", "roundcone", "mesh"}
    assert (
        len(np.unique(np.asarray(images.open(tmp_path / "all_0000.png").convert("RGB")).reshape(-1, 3), axis=0)) > 100
    )
