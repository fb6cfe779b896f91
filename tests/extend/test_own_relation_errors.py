"""What a relation of one's own states wrongly is refused by its name, before a scheme looks at it."""

import dataclasses

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import NsdgenError
from nsdgen.extend import GapClass, OutputClass, OutputRelation, Relation, RelationClass, Slot

x, z = dynamicsymbols("x z")
c = sp.Symbol("c")
TANK = nsd.FirstOrderSystem("tank", [x], [-x])
BALL = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2)


class Wall(OutputRelation):
    """Right: 0 <= x orthogonal to lambda >= 0. Every relation below spoils one statement."""

    def __init__(self):
        lam = nsd.multipliers("lam", 1)
        super().__init__("wall", lam, [x], {TANK: lam}, nsd.Complementarity())


class Floor(nsd.Contact):
    """Right: a contact with a floor."""

    def __init__(self):
        super().__init__("wall", z, nsd.NewtonImpact(0.5))


def changed(base=Wall, **parts):
    return {"describe": lambda self, place: dataclasses.replace(base.describe(self, place), **parts)}


def model(base, members):
    mechanical = base is Floor
    return nsd.Model(
        "m",
        [BALL if mechanical else TANK],
        [type("Own", (base,), members)()],
        scheme=nsd.MoreauJean() if mechanical else nsd.ThetaGamma(),
        step=0.1,
        end=1,
        initial={z if mechanical else x: 1},
    )


def prop(value):
    return property(lambda self: value)


def bare(self, place, **words):
    """A class in words of its own, of the gap alone."""
    return GapClass(self.name, (), place.participants, self.law, **words)


CASES = {
    "nothing described": (Wall, {"describe": lambda self, place: None}, r"describe\(place\) gives None.*RelationClass"),
    "a system class": (
        Wall,
        {"describe": lambda self, place: place.participants[0].system},
        r"describe\(place\) gives a SystemClass",
    ),
    "no name": (Wall, {"__init__": lambda self: None}, "Own.*name"),
    "no law": (Wall, {"__init__": lambda self: setattr(self, "name", "wall")}, "wall.*law"),
    "law of text": (Wall, {"law": prop("stick"), "__init__": lambda self: setattr(self, "name", "wall")}, "'stick'"),
    "entries as a method": (Wall, {"entries": lambda self: [x]}, "entries.*property"),
    "no entries": (Wall, {"entries": prop(None)}, "entries.*None"),
    "one entry": (Wall, {"entries": prop(x)}, "entries.*list"),
    "entries of text": (Wall, {"entries": prop(["x +"])}, "entries.*'x \\+'"),
    "reacts on a name": (Wall, {"reacts_on": prop(["tank"])}, "reacts_on.*'tank'"),
    "reacts on one system": (Wall, {"reacts_on": prop(TANK)}, "reacts_on.*list"),
    "variables too few": (
        Wall,
        {"variables": (), "__init__": lambda self: (Wall.__init__(self), setattr(self, "variables", ()))[0]},
        "1 multipliers.*0 variables",
    ),
    "slots of values": (Wall, {"slots": (1.0,)}, r"slots.*1\.0"),
    "slots as a list": (Wall, {"slots": [Slot(c, sp.S.One)]}, "slots.*tuple"),
    "arguments as a list": (Wall, {"arguments": [c]}, "arguments.*list"),
    "argument without slot": (
        Wall,
        {
            "arguments": {c: sp.Symbol("slot/c", real=True)},
            "__init__": lambda self: (Wall.__init__(self), setattr(self, "output", sp.Matrix([x - c])))[0],
        },
        "argument.*c.*slot",
    ),
    "terms of lists": (Wall, changed(terms={"output": [x]}), "term 'output'.*list"),
    "terms of users": (Wall, changed(terms={"output": sp.Matrix([x])}), "term 'output'.*x.*place.entered"),
    "terms of strangers": (Wall, changed(terms={"output": sp.Matrix([c])}), "term 'output'.*c.*place.entered"),
    "terms in a row": (Wall, changed(terms={"output": sp.ones(1, 2)}), "term 'output'.*1x2.*column"),
    "no terms": (Wall, changed(terms={}), "needs the term 'output'"),
    "terms without names": (Wall, changed(terms=sp.Matrix([1])), "terms.*name"),
    "no reactions": (Wall, changed(reactions=()), "0 reactions on 1"),
    "two reactions": (Wall, changed(reactions=(sp.Matrix([1]), sp.Matrix([1]))), "2 reactions on 1"),
    "wide reaction": (Wall, changed(reactions=(sp.Matrix([1, 2]),)), "reaction on 'tank'.*2 entries, expected 1"),
    "reaction of users": (Wall, changed(reactions=(sp.Matrix([x]),)), "reaction on 'tank'.*x.*place.entered"),
    "multipliers of none": (Wall, changed(multipliers=(), units=()), "multipliers.*variables"),
    "participants of its own": (Wall, changed(participants=(), reactions=()), "participants.*place.participants"),
    "other law": (Wall, changed(law=nsd.Equality()), "law.*self.law"),
    "units too many": (Wall, changed(units=("N", "m")), "2 units.*1"),
    "no sliding": (
        Floor,
        {"describe": lambda self, place: bare(self, place, terms={"gap": sp.Matrix([1])})},
        "terms 'gap' and 'sliding'.*it has gap;",
    ),
    "no gap": (
        Floor,
        {"describe": lambda self, place: bare(self, place, terms={"sliding": sp.zeros(0, 1)})},
        "terms 'gap' and 'sliding'",
    ),
    "gap of text": (
        Floor,
        {
            "describe": lambda self, place: bare(
                self, place, terms={"gap": sp.Matrix([place.symbols[z.diff()]]), "sliding": sp.zeros(0, 1)}
            )
        },
        "gap.*velocit",
    ),
    "gap of a list": (
        Floor,
        {
            "describe": lambda self, place: bare(
                self, place, terms={"gap": place.entered([z, "?"], "gap"), "sliding": sp.zeros(0, 1)}
            )
        },
        "gap.*'\\?'",
    ),
    "output without output": (
        Wall,
        {
            "describe": lambda self, place: OutputClass(
                self.name, (), place.participants, self.law, {"h": sp.Matrix([1])}, (sp.Matrix([1]),), self.variables
            )
        },
        "term 'output'",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_relation_is_refused_by_name(name):
    base, members, text = CASES[name]
    with pytest.raises(NsdgenError, match=f"(?s){text}") as caught:
        model(base, members)
    assert caught.value.fix and ("'wall'" in caught.value.where or "Own" in str(caught.value))
    assert "scheme" not in caught.value.message


@pytest.mark.parametrize("missing", ["entries", "describe"])
def test_an_incomplete_relation_says_what_it_lacks(missing):
    members = {m: getattr(Wall, m) for m in ("entries", "describe") if m != missing}
    with pytest.raises(NsdgenError, match=f"Own.*{missing}"):
        type("Own", (Relation,), members)()


def test_lists_are_entered():
    """``place.entered`` takes what users write: a list, a row, one expression."""

    class Own(Wall):
        def describe(self, place):
            terms = {"output": place.entered([x], "output")}
            return RelationClass(
                self.name, (), place.participants, self.law, terms, (sp.Matrix(self.variables),), self.variables
            )

    found = nsd.Model("m", [TANK], [Own()], scheme=nsd.ThetaGamma(), step=0.1, end=1, initial={x: 1})
    assert found.run()["tank.x"].min() > 0


def test_a_gap_wants_velocities():
    class Own(Wall):
        def describe(self, place):
            return bare(self, place, terms={"gap": sp.Matrix(place.entered([x], "gap")), "sliding": sp.zeros(0, 1)})

    with pytest.raises(NsdgenError, match=r"gap: on 'tank', which has x, .* velocities"):
        nsd.Model("m", [TANK], [Own()], scheme=nsd.MoreauJean(), step=0.1, end=1, initial={x: 1})
