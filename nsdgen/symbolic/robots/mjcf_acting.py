"""Actuators and equations of an MJCF file."""

from collections.abc import Iterator, Mapping

import numpy as np

from nsdgen.base.suggest import nearest
from nsdgen.errors import ModelError
from nsdgen.symbolic.robots.description import HERE, Actuator, Closure, Placement
from nsdgen.symbolic.robots.lined_xml import Element
from nsdgen.symbolic.robots.mjcf_words import Defaults, limited, of_quaternion


def actuators(root: Element, defaults: Defaults, automatic: bool, prefix: str) -> Iterator[Actuator]:
    """Motors and servos on joints; ``automatic``: a range that is given counts."""
    stated = [e for section in root.all("actuator") for e in section.children]
    known: dict[str, Element] = {}
    for number, element in enumerate(stated):
        e = defaults.full(element)
        name = e.named(prefix + e.text("name", f"actuator {number + 1}"), known)
        known[name] = e
        gain, bias = _GAINS[e.tag](e)
        gear = e.numbers("gear", range(1, 7), [1])
        if any(gear[1:]):
            raise ModelError(f"gear is {gear}: it is on a joint with one freedom", where=e.where, fix="give one number")
        yield Actuator(
            name,
            e.where,
            prefix + e.text("joint"),
            gear[0],
            gain,
            bias,
            limited(e, "ctrlrange", "ctrllimited", automatic),
            limited(e, "forcerange", "forcelimited", automatic),
        )


Gains = tuple[float, tuple[float, float, float]]


def _position(e: Element) -> Gains:
    kp, kv = e.number("kp", 1.0), e.number("kv", 0.0)
    return kp, (0.0, -kp, -kv)


def _velocity(e: Element) -> Gains:
    kv = e.number("kv", 1.0)
    return kv, (0.0, 0.0, -kv)


def _general(e: Element) -> Gains:
    e.choice("gaintype", ("fixed",), "fixed")
    e.choice("dyntype", ("none",), "none")
    affine = e.choice("biastype", ("none", "affine"), "none") == "affine"
    gain = e.numbers("gainprm", range(1, 11), [1])
    bias = [*e.numbers("biasprm", range(1, 11), [0]), 0.0, 0.0] if affine else [0.0] * 3
    return gain[0], (bias[0], bias[1], bias[2])


_GAINS = {"motor": lambda e: (1.0, (0.0, 0.0, 0.0)), "position": _position, "velocity": _velocity, "general": _general}


def closures(root: Element, standing: Mapping[str | None, Placement], prefix: str) -> Iterator[Closure]:
    """Equations that are active; bodies meet where the file has them: ``standing`` is the place of each."""
    stated = [e for section in root.all("equality") for e in section.children if e.flag("active")]
    for number, e in enumerate(stated):
        name = prefix + e.text("name", f"equality {number + 1}")
        if e.tag == "joint":
            other = prefix + e.text("joint2") if "joint2" in e.attributes else None
            given = e.numbers("polycoef", range(1, 6), ())
            polynomial = (*given, *(0.0, 1.0)[len(given) :])  # what is left out is as where nothing is said
            joints = prefix + e.text("joint1"), other
            yield Closure(name, e.where, "joint", joints=joints, polynomial=polynomial)
            continue
        first = _body(e, "body1", standing, prefix)
        second = _body(e, "body2", standing, prefix) if "body2" in e.attributes else None
        between = standing[first].inverse @ standing[second]
        if e.tag == "connect":
            on_first = Placement(np.eye(3), np.array(e.numbers("anchor", 3)))
            frames = on_first, Placement(np.eye(3), (between.inverse @ on_first).origin)
        else:
            *place, w, x, y, z = e.numbers("relpose", 7, [0] * 7)
            turn = (w, x, y, z)
            told = Placement(of_quaternion(turn, e.where), np.array(place)) if any(turn) else between
            frames = told, HERE
        yield Closure(name, e.where, e.tag, links=(first, second), frames=frames)


def _body(e: Element, key: str, standing: Mapping[str | None, Placement], prefix: str) -> str | None:
    name = e.text(key)
    if name == "world":
        return None
    if prefix + name not in standing:
        known = [known for known in standing if known is not None]
        raise ModelError(f"there is no body {name!r}", where=e.where, fix=nearest(prefix + name, known) or "correct it")
    return prefix + name
