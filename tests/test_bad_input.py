"""Bad input: every mistake a user is likely to make has its own clear error, before any work is lost."""

import ast
import math
from pathlib import Path

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen import errors
from nsdgen.errors import EmissionError, ModelError, NsdgenError

from .bad_input import ball, e, g, m, model, refused, s, z

PACKAGE = Path(nsd.__file__).parent


def test_a_missing_parameter_is_named_with_its_place():
    error = refused(ModelError, "g: nobody's symbol", lambda: model(parameters={m: 1.0}))
    assert error.model == "bad"
    assert "system 'ball', potential" in error.where


def test_a_symbol_that_is_nobodys():
    q = sp.Symbol("q")
    refused(
        ModelError,
        r"relation 'floor', gap.*q: nobody's symbol",
        lambda: model(relations=[nsd.Contact("floor", z - q, nsd.NewtonImpact(0))]),
    )


def test_a_coordinate_of_no_system():
    refused(
        ModelError,
        r"s\(t\): nobody's symbol",
        lambda: model(relations=[nsd.Contact("floor", z - s, nsd.NewtonImpact(0))]),
    )


@pytest.mark.parametrize(
    ("make", "pattern"),
    [
        (lambda: nsd.LagrangianSystem("b", [z, s], mass=[[1]]), "mass.*has shape 1x1, expected 2x2"),
        (lambda: nsd.FirstOrderSystem("b", [z, s], [1]), "rhs.*has shape 1x1, expected 2x1"),
        (lambda: nsd.FirstOrderSystem("b", [z], [1], mass=[[1, 2]]), "mass.*has shape 1x2, expected 1x1"),
        (lambda: nsd.RigidBody("b", 1, [[1, 0], [0, 1]]), "inertia.*has shape 2x2, expected 3x3"),
        (lambda: nsd.RigidBody("b", 1, [[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "not symmetric"),
        (lambda: nsd.FirstOrderRelation("r", nsd.multipliers("l", 2), [1], {}, nsd.Equality()), "output.*expected 2x1"),
    ],
)
def test_wrong_shapes(make, pattern):
    refused(ModelError, pattern, make)


@pytest.mark.parametrize("restitution", [-0.1, 1.5, sp.Rational(3, 2)])
def test_restitution_outside_its_range(restitution):
    refused(ModelError, r"outside \[0, 1\]", lambda: nsd.NewtonImpact(restitution))


@pytest.mark.parametrize("value", [math.nan, math.inf, "high", None])
def test_unusable_initial_values(value):
    refused(NsdgenError, "initial value of ball.z", lambda: model(initial={z: value}))


def test_a_missing_initial_value():
    refused(ModelError, "no initial value for z", lambda: model(initial={}))


def test_an_initial_value_for_nobody():
    refused(ModelError, "no coordinate, state or multiplier", lambda: model(initial={z: 1.0, s: 2.0}))


def test_names_that_collide_after_mangling():
    refused(
        ModelError,
        "'a b' and 'a_b' would both be 'a_b'",
        lambda: model(
            relations=[nsd.Contact("a b", z, nsd.NewtonImpact(0)), nsd.Contact("a_b", z, nsd.NewtonImpact(0))]
        ),
    )


@pytest.mark.parametrize("name", ["", "a\nb", "a/b", "a.b", "\x07", "end */ of comment"])
def test_names_that_cannot_be_shown(name):
    refused(ModelError, "name", lambda: model([ball(name)]))


NASTY = [
    'quo"te',
    "apo'strophe",
    "back\\slash",
    "* not a comment",
    "{{ brace }}",
    "{% raw %}",
    '"""',
    "#define x",
    "lambda",
    "in",
    "I",
    "naïve Ω",
    "%s %d",
    "a;b",
    "__import__",
]


def test_nothing_a_user_types_reaches_the_text_unescaped():
    """Every nasty name compiles, and the columns show it as it was typed."""
    units = ["*/", "{{ u }}", "new\nline", '"', "\\", "{# c #}", "m/s", "'", "%"]
    values = {sp.Symbol(f"p {text}"): nsd.Parameter(1.0, unit) for text, unit in zip(NASTY, units, strict=False)}
    bodies = []
    for index, text in enumerate(NASTY):
        q = dynamicsymbols(f"q{index}")
        extra = sum(values, sp.S.Zero) if index == 0 else 0
        bodies.append(nsd.LagrangianSystem(f"{text}", [q], mass=[[1 + index]], external=[-q * index + extra]))
    initial = {f: 0.0 for b in bodies for f in b.coordinates}
    nasty = nsd.Model(
        'nasty "model" \\ {{ x }}',
        bodies,
        scheme=nsd.MoreauJean(),
        step=0.1,
        end=0.2,
        parameters=values,
        initial=initial,
    )
    run = nasty.run()
    assert {name.split(".")[0] for name in run.names if "." in name} == set(NASTY)


def test_parameters_with_the_names_of_nsdgens_own_symbols():
    """h, theta, t_k, z_k, restitution ... are the user's first; the answer is that of plain names."""
    names = ["h", "theta", "t_k", "z_k", "z_dot", "restitution", "x0", "out", "in_", "gap_rate_k", "lambda", "t_next"]
    own = dict(zip(names, sp.symbols(" ".join(f"{n}" for n in names), real=True), strict=True))
    total = sum((i + 1) * p for i, p in enumerate(own.values()))
    system = nsd.LagrangianSystem("ball", [z], mass=[[1]], external=[-total])
    run = nsd.Model(
        "names",
        [system],
        [nsd.Contact("floor", z, nsd.NewtonImpact(own["theta"]))],
        scheme=nsd.MoreauJean(),
        step=0.01,
        end=1.0,
        parameters=dict.fromkeys(own.values(), 0.1),
        initial={z: 1.0},
    ).run()
    weight = 0.1 * len(names) * (len(names) + 1) / 2
    plain = nsd.Model(
        "plain",
        [ball(potential=g * z * m)],
        [nsd.Contact("floor", z, nsd.NewtonImpact(e))],
        scheme=nsd.MoreauJean(),
        step=0.01,
        end=1.0,
        parameters={m: 1.0, g: weight, e: 0.1},
        initial={z: 1.0},
    ).run()
    assert run["ball.z"] == pytest.approx(plain["ball.z"], abs=1e-12)


def test_a_name_that_is_a_coordinate_and_a_parameter():
    refused(
        ModelError,
        "both a coordinate and a parameter",
        lambda: model(parameters={m: 1.0, g: 9.81, sp.Symbol("z"): 1.0}),
    )


def test_two_symbols_of_one_name():
    refused(
        ModelError, "two parameters are called 'm'", lambda: model(parameters={m: 1.0, g: 9.81, sp.Symbol("m"): 2.0})
    )


def test_a_piecewise_without_a_last_branch():
    gap = sp.Piecewise((z, z > 0))
    refused(
        ModelError,
        "no value when none of its conditions holds",
        lambda: model(relations=[nsd.Contact("floor", gap, nsd.NewtonImpact(0))]),
    )


def test_a_contact_on_a_first_order_system():
    system = nsd.FirstOrderSystem("s", [s], [0])
    refused(
        ModelError,
        "not a mechanical system",
        lambda: nsd.Model(
            "bad",
            [system],
            [nsd.Contact("c", s, nsd.NewtonImpact(0))],
            scheme=nsd.ThetaGamma(),
            step=1,
            end=2,
            initial={s: 0},
        ),
    )


def test_a_scheme_of_the_wrong_family():
    refused(
        ModelError,
        "MoreauJean has no discretisation",
        lambda: nsd.Model(
            "bad", [nsd.FirstOrderSystem("s", [s], [0])], scheme=nsd.MoreauJean(), step=1, end=2, initial={s: 0}
        ).derive(),
    )


def test_a_function_without_code():
    error = refused(
        EmissionError, "besselj has no translation", lambda: model([ball(potential=m * g * sp.besselj(0, z))]).compile()
    )
    assert (error.model, error.where) == ("bad", "system 'ball', residual (0, 0)")


@pytest.mark.parametrize(
    ("changes", "pattern"),
    [
        ({"kinetic": m * z**2 / 2}, r"gives z no mass.*is a \.diff\(\) missing"),
        ({"kinetic": m * z.diff()}, "gives z no mass"),
        ({"dissipation": g * z**2 / 2}, r"dissipation function does not depend on velocities.*\.diff\(\) missing"),
    ],
)
def test_a_forgotten_derivative(changes, pattern):
    with pytest.raises(ModelError, match=f"(?s){pattern}"):
        model([ball(**changes)])


def test_a_symbol_with_other_assumptions():
    refused(
        ModelError,
        "(?s)m: nobody's symbol.*with other assumptions",
        lambda: model(parameters={sp.Symbol("m"): 1.0, g: 9.81}),
    )


def test_the_wrong_time():
    wrong = sp.Symbol("t", positive=True)
    refused(
        ModelError,
        "(?s)t: nobody's symbol.*time is nsd.time",
        lambda: model(relations=[nsd.Contact("floor", z - wrong, nsd.NewtonImpact(0))]),
    )


def test_a_force_that_uses_another_systems_coordinate():
    other = nsd.LagrangianSystem("other", [s], mass=[[1]], external=[z])
    refused(
        ModelError,
        "(?s)belongs to 'ball'; a system uses its own coordinates",
        lambda: model([ball(), other], initial={z: 1.0, s: 0.0}),
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: nsd.Parameter("abc"),
        lambda: nsd.MoreauJean(theta="a"),
        lambda: nsd.NewtonImpact(sp.I),
        lambda: nsd.Projection(on_limit="never"),
        lambda: nsd.Contact("c", z, nsd.Mixed([nsd.Complementarity()])),
        lambda: nsd.FirstOrderRelation("r", nsd.multipliers("l", 1), [1], {}, nsd.NewtonImpact(0.5)),
        lambda: nsd.Model("m", ball(), scheme=nsd.MoreauJean(), step=1, end=2),
        lambda: model([ball(potential=sp.oo * z)]),
    ],
)
def test_other_unusable_things_have_errors_of_their_own(call):
    with pytest.raises(NsdgenError):
        call()


def test_a_model_name_cannot_end_the_block_of_c():
    name = 'm""" / cdef'.replace(" / ", " ")
    run = nsd.Model(
        name, [ball()], scheme=nsd.MoreauJean(), step=0.01, end=0.02, parameters={m: 1.0, g: 9.81}, initial={z: 1.0}
    ).run()
    assert run.model == name


@pytest.mark.parametrize(
    ("make", "pattern"),
    [
        (lambda: nsd.RigidBody("b", 1, sp.eye(3)).apply_moment([1, 2]), "moment: has shape 2x1.*three components"),
        (lambda: nsd.RigidBody("b", [1, 2], sp.eye(3)), "mass: has shape 2x1.*one number"),
        (lambda: nsd.Parameter(1, min=3, max=2), "range .3, 2. is empty"),
        (lambda: model(scheme="MoreauJean"), "scheme: 'MoreauJean' is no scheme.*nsd.MoreauJean()"),
        (lambda: model(scheme={}), "no scheme for ball"),
        (
            lambda: model([(b := ball())], scheme={b: nsd.MoreauJean(), ball("other"): nsd.MoreauJean()}),
            "'other' is no system of this model",
        ),
        (
            lambda: model(
                relations=[nsd.Contact("floor", z, nsd.NewtonImpact(2 * e))], parameters={m: 1.0, g: 9.81, e: 0.8}
            ),
            r"relation 'floor': restitution is 1.6, outside .0, 1.",
        ),
        (lambda: model(initial={z: [1, 2]}), "initial value of ball.z.*one finite number"),
        (lambda: nsd.LagrangianSystem("b", []), "coordinates: lists none"),
        (lambda: nsd.FirstOrderSystem("b", [], []), "state: lists none"),
        (lambda: nsd.Contact("c", None, nsd.NewtonImpact(0)), "gap: None is not a matrix of expressions"),
    ],
)
def test_what_is_refused_when_the_model_is_made(make, pattern):
    refused(NsdgenError, f"(?s){pattern}", make)


def test_what_a_scheme_refuses_names_model_and_system():
    body = nsd.RigidBody("body", 1, sp.eye(3))
    error = refused(
        ModelError,
        "no discretisation",
        lambda: nsd.Model(
            "m", [body], scheme=nsd.SchatzmanPaoli(), step=0.1, end=1, initial={body.position: [0, 0, 0]}
        ).derive(),
    )
    assert (error.model, error.where) == ("m", "system 'body'")
    error = refused(
        ModelError,
        "no discretisation",
        lambda: nsd.Model(
            "m", [nsd.FirstOrderSystem("s", [s], [0])], scheme=nsd.MoreauJean(), step=1, end=2, initial={s: 0}
        ).derive(),
    )
    assert (error.model, error.where) == ("m", "system 's'")


def test_an_initial_vector_that_holds_no_numbers():
    body = nsd.RigidBody("body", 1, sp.eye(3))
    refused(
        ModelError,
        "(?s)initial position is .*list of 3 numbers",
        lambda: nsd.Model("m", [body], scheme=nsd.MoreauJean(), step=0.1, end=1, initial={body.position: ["a", 0, 0]}),
    )


def test_every_error_says_what_to_do():
    """No error of nsdgen is raised without a remedy (the public solvers, which name rows, and claims apart)."""
    silent = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] in ("solvers", "verify"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
                continue
            kind = getattr(errors, getattr(node.exc.func, "id", ""), None)
            if (
                isinstance(kind, type)
                and issubclass(kind, NsdgenError)
                and not any(word.arg == "fix" for word in node.exc.keywords)
            ):
                silent.append(f"{path.name}:{node.lineno}")
    assert silent == []


def test_a_body_that_the_model_does_not_list_and_two_of_one_name() -> None:
    """Users know their bodies, not the functions of time that nsdgen makes of them."""
    here, there, double = (nsd.RigidBody(name, 1, sp.eye(3)) for name in ("here", "there", "here"))
    pin = nsd.Spherical("pin", nsd.Marker(here), nsd.Marker(there))
    with pytest.raises(nsd.errors.ModelError, match="list 'there' among the systems"):
        nsd.Model("m", [here], [pin], scheme=nsd.Rattle(), step=1e-3, end=1, initial={here.position: [0, 0, 0]}).run()
    with pytest.raises(nsd.errors.ModelError, match="two systems have this name"):
        nsd.Model("m", [here, double], scheme=nsd.Rattle(), step=1e-3, end=1, initial={here.position: [0, 0, 0]}).run()
