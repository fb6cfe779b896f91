"""What a family of one's own states wrongly is refused where it is stated: what was said, by whom, what to do."""

import dataclasses

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, NsdgenError
from nsdgen.extend import (
    Configuration,
    System,
    Term,
    Variables,
    enter_matrix,
    first_order_class,
    function_symbols,
    mechanical_class,
)

x, y, z = dynamicsymbols("x y z")
k = sp.Symbol("k")
A, B = sp.symbols("a b", real=True)


class Pair(System):
    """Right: x' = -k x, y' = x. Every family below spoils one statement."""

    def __init__(self, name="pair"):
        self.name = name
        self.states = (x, y)
        self.variables = function_symbols(self.states, where=f"system {name!r}")

    equations = property(lambda self: 2)
    functions = property(lambda self: dict(zip(self.states, self.variables, strict=True)))

    def flow(self, scope):
        return enter_matrix(sp.Matrix([-k * x, x]), {**scope.parameters, **self.functions}, where=self.name)

    def describe(self, scope):
        flow = self.flow(scope)
        return first_order_class(self.name, scope.used([flow]), self.variables, sp.eye(2), flow)


def first_order(mass=None, rhs=(1, 1), **words):
    """A description that only differs in what is said here."""
    return lambda self, scope: first_order_class(
        self.name,
        words.pop("parameters", ()),
        self.variables,
        sp.eye(2) if mass is None else mass,
        sp.Matrix(rhs),
        **words,
    )


def described(**changes):
    """The right class with some of its parts replaced."""
    return lambda self, scope: dataclasses.replace(Pair.describe(self, scope), **changes)


def with_term(*args, **words):
    """The right class with a term of its own."""

    def describe(self, scope):
        cls = Pair.describe(self, scope)
        return dataclasses.replace(cls, terms={**cls.terms, "heat": Term(*args, **words)})

    return describe


def group(role, names=("a", "b"), units=("", "")):
    return Variables(role, (A, B), names, units)


def model(**members):
    family = type("Own", (Pair,), members)
    return nsd.Model(
        "m", [family("pair")], scheme=nsd.ThetaGamma(), step=0.1, end=1, parameters={k: 1.0}, initial={x: 1.0, y: 0.0}
    )


CASES = {
    "wide mass": ({"describe": first_order(mass=sp.eye(3))}, "mass.*3x3, expected 2x2"),
    "short flow": ({"describe": first_order(rhs=[1])}, "rhs.*1x1, expected 2x1"),
    "no matrix": ({"describe": first_order(mass="heavy")}, "mass.*text, which is never evaluated"),
    "few names": ({"describe": first_order(names=["x"])}, "group 'x'.*1 names for 2 symbols"),
    "few units": ({"describe": first_order(units=["K"])}, "group 'x'.*1 units for 2 symbols"),
    "names as one text": ({"describe": first_order(names="xy")}, "group 'x'.*names are the text 'xy'"),
    "users' parameter": ({"describe": first_order(parameters=(k,))}, "parameters.*k.*no parameter of the model"),
    "forgotten parameter": (
        {"describe": lambda self, scope: dataclasses.replace(Pair.describe(self, scope), parameters=())},
        "rhs.*k, which is none of its parameters.*scope.used",
    ),
    "not entered": ({"describe": first_order(rhs=[-k * x, 1])}, "rhs.*(x.t.|k).*enter"),
    "nothing described": ({"describe": lambda self, scope: None}, r"describe\(scope\) gives None.*SystemClass"),
    "a matrix described": ({"describe": lambda self, scope: sp.eye(2)}, r"describe\(scope\) gives a .*Matrix"),
    "two groups of a role": (
        {"describe": described(variables=(group("x"), group("x")))},
        "two groups have the role 'x'",
    ),
    "a role called t": ({"describe": lambda self, scope: group("t")}, "the role 't'"),
    "a role of two words": ({"describe": lambda self, scope: group("my x")}, "'my x'.*identifier"),
    "one group, no tuple": ({"describe": described(variables=group("x"))}, "variables.*tuple"),
    "a group of other symbols": ({"describe": described(variables=(group("x"),))}, "functions.*x, y.*a, b"),
    "terms without Term": ({"describe": described(terms={"rhs": sp.eye(2)})}, "term 'rhs'.*Term"),
    "derivative by nothing": (
        {"describe": with_term(sp.eye(2), ("x",), "H", derivatives=("q",))},
        "term 'heat'.*derivatives.*'q'.*only x",
    ),
    "term of nothing": ({"describe": with_term(sp.eye(2), ("q",), "H")}, "term 'heat'.*'q'.*only t, x"),
    "roles as a text": ({"describe": with_term(sp.eye(2), "x", "H")}, "term 'H'.*the text 'x'.*of="),
    "term of a list": ({"describe": with_term([[1, 2], [3]], ("x",))}, "heat|term"),
    "term without operand": (
        {"describe": lambda self, scope: with_term(sp.Matrix([self.variables[0]]), ("t",), "H")(self, scope)},
        "term 'heat'.*x.*of=.*'x'",
    ),
    "operator twice": (
        {
            "describe": lambda self, scope: dataclasses.replace(
                Pair.describe(self, scope), terms={**Pair.describe(self, scope).terms, "rhs_x": Term(sp.eye(2), ("x",))}
            )
        },
        "two operators.*'rhs_x'",
    ),
    "term with a strange name": (
        {
            "describe": lambda self, scope: dataclasses.replace(
                Pair.describe(self, scope), terms={"my term": Term(sp.eye(2), ("x",))}
            )
        },
        "'my term'.*identifier",
    ),
    "too many equations": ({"equations": property(lambda self: 3)}, "equations.*3.*2"),
    "equations as a method": ({"equations": lambda self: 2}, "equations.*property"),
    "equations as a text": ({"equations": property(lambda self: "2")}, "equations.*'2'"),
    "functions as a method": ({"functions": lambda self: {}}, "functions.*property"),
    "functions as a list": ({"functions": property(lambda self: [x, y])}, "functions.*list"),
    "functions without symbols": ({"functions": property(lambda self: {x: "x", y: "y"})}, "functions.*'x'.*symbol"),
    "functions of one symbol": (
        {"functions": property(lambda self: dict.fromkeys((x, y), self.variables[0]))},
        "functions.*x.*twice|same symbol",
    ),
    "functions of nothing": (
        {"functions": property(lambda self: {k: self.variables[0], y: self.variables[1]})},
        "functions.*k.*function of time",
    ),
    "functions in another order": (
        {
            "functions": property(lambda self: dict(zip((x, y), self.variables[::-1], strict=True))),
            "describe": first_order(),
        },
        "functions.*y, x, the class x, y",
    ),
    "flat names": ({"describe_names": lambda self: ("x_", "y_")}, "describe_names.*one tuple for each group"),
    "names too few": ({"describe_names": lambda self: (("x",),)}, "describe_names.*1.*2"),
    "too few values": ({"initial_values": lambda self, given, model: [1.0]}, "initial_values.*1.*2"),
    "no values": ({"initial_values": lambda self, given, model: None}, "initial_values.*None"),
    "no name": ({"__init__": lambda self, name: None}, "Own.*name"),
    "name of a number": ({"__init__": lambda self, name: setattr(self, "name", 3)}, "Own.*name.*3"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_family_is_refused_by_name(name):
    members, text = CASES[name]
    with pytest.raises(ModelError, match=f"(?s){text}") as caught:
        model(**members)
    assert caught.value.fix and ("'pair'" in caught.value.where or "Own" in str(caught.value))


def test_the_right_family_runs():
    assert abs(model().run()["pair.x"][-1] - 1 / 1.05**10 * 0.95**10) < 1e-12


@pytest.mark.parametrize("missing", ["describe", "functions", "equations"])
def test_an_incomplete_family_says_what_it_lacks(missing):
    members = {m: getattr(Pair, m) for m in ("describe", "functions", "equations") if m != missing}
    with pytest.raises(NsdgenError, match=f"Own.*{missing}"):
        type("Own", (System,), {"name": "pair", **members})()


# mechanics in one's own words


@dataclasses.dataclass(frozen=True)
class Bent(Configuration):
    """Of the plane q = (a, b) with one velocity; what is given here replaces a rule."""

    twist: object = None
    turned: object = None
    normal: object = None
    norms: object = ()
    even: object = False
    speed: object = None

    flat = property(lambda self: self.even)
    unit_norm = property(lambda self: self.norms)

    def twist_map(self, q):
        return sp.Matrix([-q[1], q[0]]) if self.twist is None else self.twist

    def rate(self, q, v):
        return [-q[1] * v[0], q[0] * v[0]] if self.speed is None else self.speed(q, v)

    def moved(self, q, twist):
        return [q[0] - q[1] * twist[0], q[1] + q[0] * twist[0]] if self.turned is None else self.turned

    def normalised(self, q):
        return list(q) if self.normal is None else self.normal


class Wheel(System):
    """A mechanical family: q = (x, y), one velocity."""

    name = "wheel"
    equations = property(lambda self: 1)
    functions = property(lambda self: {x: A, y: B, z: sp.Symbol("w", real=True)})

    def __init__(self, mass=((2,),), force=(1,), space=None, **words):
        self.words = (sp.Matrix(mass), sp.Matrix(force)), {"configuration": Bent() if space is None else space, **words}

    def describe(self, scope):
        terms, words = self.words
        v = Variables("v", (sp.Symbol("w", real=True),), ("w",), ("",))
        return mechanical_class(self.name, (), group("q"), v, *terms, **words)


MECHANICAL = {
    "mass": ({"mass": sp.eye(2)}, "mass.*2x2, expected 1x1"),
    "force": ({"force": [1, 2]}, "force.*2x1, expected 1x1"),
    "energy": ({"energies": {"heat": 1}}, "energ.*'heat'.*kinetic_energy"),
    "extra": ({"extra": {"heat": 3}}, "term 'heat'.*Term"),
    "space": ({"space": 3}, "configuration.*3"),
    "twist map": ({"space": Bent(twist=sp.eye(2))}, "twist_map.*2x2.*2x1"),
    "moved": ({"space": Bent(turned=[1])}, "moved.*1.*2"),
    "normalised": ({"space": Bent(normal=[1, 2, 3])}, "normalised.*3.*2"),
    "norms": ({"space": Bent(norms=((0, 5),))}, "unit_norm.*5"),
    "two rates": ({"space": Bent(speed=lambda q, v: [q[1] * v[0], q[0] * v[0]])}, "rate.q, v. is not twist_map.q. v"),
    "two ways": ({"space": Bent(turned=[A, B])}, "moved.q, v. does not begin along twist_map.q. v"),
    "a norm that moves": ({"space": Bent(norms=((0,),))}, "norm.*0"),
    "never normal": ({"space": Bent(normal=[2 * A, B])}, "normalised.normalised"),
    "flat": ({"space": Bent(even=True)}, "flat.*2.*1"),
}


@pytest.mark.parametrize("name", MECHANICAL)
def test_mechanics_in_the_wrong_words(name):
    words, text = MECHANICAL[name]
    with pytest.raises(ModelError, match=f"(?s){text}") as caught:
        nsd.Model("m", [Wheel(**words)], scheme=nsd.MoreauJean(), step=0.1, end=1, initial={x: 1, y: 0, z: 0})
    assert "'wheel'" in caught.value.where and caught.value.fix
