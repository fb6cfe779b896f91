"""What a law of one's own states wrongly is refused by its name, before any scheme looks at it."""

from dataclasses import dataclass
from typing import Any

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import NsdgenError
from nsdgen.extend import Cone, Law, Slot, coefficient

x, z = dynamicsymbols("x z")
mu = sp.Symbol("mu")


def walled(law, rows=1):
    """A tank with a relation of so many rows under this law."""
    tank = nsd.FirstOrderSystem("tank", [x], [-x])
    lam = nsd.multipliers("lam", rows)
    wall = nsd.FirstOrderRelation("wall", lam, [x] * rows, {tank: [sum(lam)]}, law)
    return nsd.Model("m", [tank], [wall], scheme=nsd.ThetaGamma(), step=0.1, end=1, initial={x: 1})


def touching(law, **words):
    """A ball on a floor under this law."""
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2)
    return nsd.Model(
        "m", [ball], [nsd.Contact("floor", z, law, **words)], scheme=nsd.MoreauJean(), step=0.1, end=1, initial={z: 1}
    )


def own(**members):
    """A law of one's own that has a natural map unless it says otherwise."""
    return type("Own", (Law,), members)


def prop(value):
    return property(lambda self: value)


EQUAL = {"natural_map": lambda self, y, m: y}
GIVING = {"cone": Cone.COMPLEMENTARITY, "expansion": sp.S.Half}
FREE = ((Cone.COMPLEMENTARITY, 1),)
CASES = {
    "neither cone nor map": ({}, "neither a cone nor a natural map.*cone = "),
    "a map that gives nothing": ({"natural_map": lambda self, y, m: None}, "neither a cone nor a natural map"),
    "cone by number": ({"cone": 17}, "there is no cone 17.*EQUALITY"),
    "cone by name": ({"cone": "box"}, "there is no cone 'box'.*BOX"),
    "cone of three rows": ({"cone": Cone.COULOMB_3D, "bounds": lambda self, rows: (1,)}, "COULOMB_3D has 1 rows"),
    "bare cone": ({"cones": lambda self, rows: Cone.BOX}, r"cones\(1\).*BOX.*\(\(Cone.BOX, 1\),\)"),
    "one pair": ({"cones": lambda self, rows: (Cone.BOX, rows)}, r"cones\(1\).*\(\(Cone"),
    "cones of other rows": ({"cones": lambda self, rows: ((Cone.EQUALITY, 2),)}, r"cones\(1\).*2 rows.*1"),
    "no bounds": ({"cone": Cone.BOX}, r"BOX.*takes 2 bounds.*bounds\(1\) gives 0.*lower and upper"),
    "half the bounds": ({"cone": Cone.BOX, "bounds": lambda self, rows: (0,)}, r"takes 2 bounds.*gives 1"),
    "a bare bound": ({"cone": Cone.BOX, "bounds": lambda self, rows: 1}, r"bounds\(1\).*1.*tuple"),
    "no bounds at all": ({"cone": Cone.BOX, "bounds": lambda self, rows: None}, r"bounds\(1\).*None"),
    "bounds for nothing": ({**EQUAL, "bounds": lambda self, rows: (0, 1)}, "takes 0 bounds.*gives 2"),
    "bound of a stranger": ({"cone": Cone.BOX, "bounds": lambda self, rows: (0, mu)}, "bounds.*mu"),
    "slots as a method": ({**EQUAL, "slots": lambda self: ()}, "slots.*property"),
    "slots as a list": ({**EQUAL, "slots": prop([coefficient("Own", "mu", 1)])}, "slots.*list.*tuple"),
    "one slot": ({**EQUAL, "slots": prop(coefficient("Own", "mu", 1))}, "slots.*Slot.*tuple"),
    "slots of numbers": ({**EQUAL, "slots": prop((1.0,))}, r"slots.*1\.0.*coefficient"),
    "two slots of a name": (
        {**EQUAL, "slots": prop((coefficient("Own", "mu", 1), coefficient("Own", "mu", 2)))},
        "two slots.*mu",
    ),
    "slot of a user's symbol": ({**EQUAL, "slots": prop((Slot(mu, sp.S.One),))}, "slots.*mu.*coefficient"),
    "no rows": ({**EQUAL, "rows": lambda self, u, u_k: None}, r"rows\(\.\.\.\).*None"),
    "long rows": ({**EQUAL, "rows": lambda self, u, u_k: [u[0], u[0]]}, "rows.*2 entries, expected 1"),
    "rows of a stranger": ({**EQUAL, "rows": lambda self, u, u_k: mu * u}, "rows.*mu.*slots"),
    "rows of text": ({**EQUAL, "rows": lambda self, u, u_k: "u + u_k?"}, "rows"),
    "long map": ({"natural_map": lambda self, y, m: [y[0], m[0]]}, "natural_map.*2 entries, expected 1"),
    "map of a stranger": ({"natural_map": lambda self, y, m: mu * y - m}, "natural_map.*mu.*slots"),
    "map that asks for a number": (
        {"natural_map": lambda self, y, m: y if y[0] > 0 else m},
        r"natural_map.*truth value.*nsd\.piecewise",
    ),
    "map of a constant": ({"natural_map": lambda self, y, m: [1]}, "natural_map.*neither"),
    "rows that raise": ({**EQUAL, "rows": lambda self, u, u_k: sp.Matrix([u[0], u[1]])}, "rows.*IndexError"),
    "tangents as a number": ({**EQUAL, "tangents": 2}, "tangents.*2.*tuple"),
    "rolling of text": ({**EQUAL, "rolling": "two"}, "rolling.*'two'"),
    "a share, no phase": ({**EQUAL, "expansion": sp.S.Half}, "states expansion.*expanded"),
    "a phase of rows alone": ({**GIVING, "expanded": lambda self, u, more, p: u}, "expanded.*rows, their cones, the"),
    "a phase without a row": (
        {**GIVING, "expanded": lambda self, u, more, p: ([], (), more, ())},
        r"expanded.*0 rows in cones of 0 for 1 .*expansion_multipliers",
    ),
    "a phase of two impulses": (
        {**GIVING, "expanded": lambda self, u, more, p: (u, FREE, [p[0], p[0]], ())},
        "expanded.*2 entries, expected 1",
    ),
    "a phase with bounds": (
        {**GIVING, "expanded": lambda self, u, more, p: (u, FREE, more, (1,))},
        "expanded.*1 bounds, its cones take 0",
    ),
    "a phase of one name": ({**GIVING, "expansion_multipliers": lambda self, rows: "p"}, r"expansion_multipliers.*'p'"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_law_is_refused_by_name(name):
    members, text = CASES[name]
    with pytest.raises(NsdgenError, match=f"(?s)Own.*{text}|{text}.*Own") as caught:
        walled(own(**members)())
    assert caught.value.fix and "scheme" not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "neither cone nor map",
        "long rows",
        "slots as a method",
        "rows of a stranger",
        "no rows",
        "bare cone",
        "half the bounds",
    ],
)
def test_a_law_among_others_too(name):
    members, text = CASES[name]
    with pytest.raises(NsdgenError, match=f"(?s)Own.*{text}|{text}.*Own"):
        walled(nsd.Mixed([nsd.Equality(), own(**members)()]), rows=2)


@pytest.mark.parametrize(
    "name",
    [
        "neither cone nor map",
        "long rows",
        "slots as a method",
        "rows of a stranger",
        "tangents as a number",
        "no bounds",
    ],
)
def test_a_law_of_a_contact_too(name):
    members, text = CASES[name]
    with pytest.raises(NsdgenError, match=f"(?s)Own.*{text}|{text}.*Own"):
        touching(own(of_rates=True, unilateral=True, **members)())


def test_a_law_is_an_instance():
    with pytest.raises(NsdgenError, match=r"(?s)is not a law, but a class.*Equality\(\)"):
        walled(nsd.Equality)


class Bare(Law):
    width: Any = 1

    def natural_map(self, rows, multiplier):
        return rows - self.width * multiplier


class Constructed(Law):
    def __init__(self, width):
        self.width = width


@pytest.mark.parametrize("make", [lambda: Bare(2), lambda: Bare(width=2), Bare, lambda: Constructed(2)])
def test_a_law_is_a_dataclass(make):
    with pytest.raises(NsdgenError, match=r"(?s)(Bare|Constructed).*@dataclass\(frozen=True\)"):
        make()


@dataclass(frozen=True)
class Sprung(Law):
    """Right: y + compliance lambda = 0, by a cone."""

    compliance: Any = 1
    cone = Cone.EQUALITY

    @property
    def slots(self):
        return (coefficient("Sprung", "compliance", self.compliance, 0.0),)

    def natural_map(self, rows, multiplier):
        return rows + self.slots[0].symbol * multiplier


def test_a_right_law_runs():
    """x' = -x + lambda, lambda = -x / c: x_1 = x_0 / (1 + 3 h) for c = 1/2 (theta = 1)."""
    run = walled(Sprung(0.5)).run(options={"theta": 1.0})
    assert abs(run["tank.x"][-1] - 1.3**-10) < 1e-14


def test_multipliers_of_a_laws_own_need_rows():
    """One name, but rows and cones for the relation's own multiplier alone."""
    law = own(cone=Cone.EQUALITY, own_multipliers=lambda self, rows: ("inner",))
    with pytest.raises(NsdgenError, match=r"imposed\(\.\.\.\) gives 1 rows in cones of 1 for 2 multipliers"):
        walled(dataclass(frozen=True)(law)())
