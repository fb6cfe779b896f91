"""What tests of bad input share: a model of a ball that can be spoilt, and what is asked of an error."""

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

m, g, e = sp.symbols("m g e", positive=True)
z, s = dynamicsymbols("z s")


def ball(name="ball", **changes):
    settings = {"kinetic": m * z.diff() ** 2 / 2, "potential": m * g * z} | changes
    return nsd.LagrangianSystem(name, [z], **settings)


def model(systems=None, relations=(), **changes):
    settings = {
        "scheme": nsd.MoreauJean(),
        "step": 0.01,
        "end": 0.1,
        "parameters": {m: 1.0, g: 9.81},
        "initial": {z: 1.0},
    } | changes
    return nsd.Model("bad", systems or [ball()], relations, **settings)


def refused(kind, pattern, call):
    with pytest.raises(kind, match=pattern) as caught:
        call()
    return caught.value
