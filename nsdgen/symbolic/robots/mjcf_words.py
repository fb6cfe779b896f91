"""What is read of MJCF (mujoco.readthedocs.io/en/stable/XMLreference.html), includes, default classes, values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nsdgen.base.suggest import nearest
from nsdgen.errors import ModelError
from nsdgen.symbolic.robots.description import turned_about
from nsdgen.symbolic.robots.lined_xml import UNREAD, Element, Vocabulary, read_xml

ACTUATORS = {"motor": "", "position": "kp kv", "velocity": "kv", "general": "gaintype gainprm biastype biasprm dyntype"}
"""Actuators and the attributes that are their gains."""
_TURNED = "quat axisangle euler xyaxes zaxis"
_SOFT = "solref solimp"  # softness of MuJoCo's constraints: laws have their own words here
_TOUCH = f"contype conaffinity condim friction priority margin gap solmix {_SOFT}"
_FRAMED = "body joint freejoint geom site camera light frame"
_DRIVE = "name class group joint gear ctrlrange ctrllimited forcerange forcelimited user"
MJCF: Vocabulary = {
    "mujoco": ("model", "compiler option default asset worldbody contact equality actuator size visual statistic"),
    "compiler": (
        "angle eulerseq coordinate autolimits inertiafromgeom inertiagrouprange boundmass boundinertia settotalmass "
        "balanceinertia meshdir texturedir assetdir convexhull discardvisual fusestatic usethread exactmeshinertia",
        "",
    ),
    "option": (
        "gravity timestep integrator cone jacobian solver iterations tolerance ls_iterations ls_tolerance impratio "
        "noslip_iterations noslip_tolerance ccd_iterations ccd_tolerance collision",
        "flag",
    ),
    "flag": ("gravity contact warmstart energy nativeccd multiccd", ""),
    "default": ("class", "default joint geom site mesh material equality pair motor position velocity general"),
    "default/equality": (_SOFT, ""),
    "default/mesh": ("scale", ""),
    "asset": ("", "mesh material texture hfield"),
    "mesh": ("name class file scale refpos refquat inertia maxhullvert smoothnormal", ""),
    "material": ("name class rgba texture texrepeat texuniform emission specular shininess reflectance", ""),
    "worldbody": ("", f"{_FRAMED} inertial"),
    "frame": (f"name pos {_TURNED} childclass user", _FRAMED),
    "body": (f"name pos {_TURNED} childclass user", f"{_FRAMED} inertial"),
    "inertial": (f"pos {_TURNED} mass diaginertia fullinertia", ""),
    "joint": (
        "name class group type pos axis range limited ref springref stiffness damping frictionloss armature margin "
        "solreflimit solimplimit solreffriction solimpfriction user",
        "",
    ),
    "freejoint": ("name group", ""),
    "geom": (
        f"name class group type pos {_TURNED} fromto size mass density material rgba mesh hfield {_TOUCH} user",
        "",
    ),
    "site": (f"name class group type pos {_TURNED} fromto size material rgba user", ""),
    "contact": ("", "pair exclude"),
    "pair": (f"name class geom1 geom2 condim friction margin gap {_SOFT} solreffriction", ""),
    "exclude": ("name body1 body2", ""),
    "equality": ("", "connect weld joint"),
    "connect": (f"name class active body1 body2 anchor {_SOFT}", ""),
    "weld": (f"name class active body1 body2 relpose anchor torquescale {_SOFT}", ""),
    "equality/joint": (f"name class active joint1 joint2 polycoef {_SOFT}", ""),
    "actuator": ("", " ".join(ACTUATORS)),
    **{tag: (f"{_DRIVE} {own}", "") for tag, own in ACTUATORS.items()},
    **dict.fromkeys(("size", "visual", "statistic", "camera", "light", "texture", "hfield"), UNREAD),
}


def read_included(path: str | Path, folder: Path, above: tuple[Path, ...] = ()) -> Element:
    """The root of a file with what it includes in its place; files lie beside the first one, ``folder``."""
    root = read_xml(path)
    if root.tag not in ("mujoco", "mujocoinclude"):
        raise ModelError(f"the outermost element is <{root.tag}>", where=root.where, fix="give an MJCF file: <mujoco>")

    def spread(element: Element) -> None:
        children: list[Element] = []
        for child in element.children:
            spread(child)
            if child.tag != "include":
                children.append(child)
                continue
            file = folder / child.text("file")
            if file in above:
                raise ModelError("the file includes itself", where=child.where, fix="take one of the includes out")
            if not file.is_file():
                raise ModelError(f"the file {file} is not there", where=child.where, fix="put it there")
            children += read_included(file, folder, (*above, file)).children
        element.children[:] = children

    spread(root)
    return root


@dataclass(frozen=True, eq=False)
class Defaults:
    """Of each class the attributes of elements that give none, by tag."""

    classes: Mapping[str, Mapping[str, Mapping[str, str]]]

    @staticmethod
    def of(root: Element) -> Defaults:
        """Those of <default> elements; classes inside others inherit theirs."""
        classes: dict[str, dict[str, dict[str, str]]] = {"main": {}}

        def enter(element: Element, name: str, inherited: Mapping[str, Mapping[str, str]]) -> None:
            own = classes.setdefault(name, {tag: dict(known) for tag, known in inherited.items()})
            for child in element.children:
                if child.tag != "default":
                    own[child.tag] = _over(own.get(child.tag, {}), child.attributes)
            for child in element.all("default"):
                enter(child, child.text("class"), own)

        for element in root.all("default"):
            enter(element, "main", {})
            if element.attributes.get("class", "main") != "main":
                classes[element.text("class")] = classes["main"]
        return Defaults(classes)

    def known(self, name: str, where: str) -> str:
        """A class that is there."""
        if name not in self.classes:
            raise ModelError(
                f"there is no default class {name!r}", where=where, fix=nearest(name, self.classes) or "add it"
            )
        return name

    def full(self, element: Element, inside: str = "main") -> Element:
        """An element with the attributes of its class, or of the class ``inside`` which it stands."""
        name = self.known(element.attributes.get("class", inside), element.where)
        given = self.classes[name].get(element.tag, {})
        if element.tag in ACTUATORS:
            given = self._drive(element, self.classes[name])
        return Element(element.tag, _over(given, element.attributes), element.source, element.line, element.children)

    @staticmethod
    def _drive(element: Element, tags: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
        """Actuators share their defaults; gains are taken from those of the same tag alone."""
        found: dict[str, str] = {}
        for tag, gains in ACTUATORS.items():
            foreign = [key for key in tags.get(tag, {}) if key in gains.split()] if tag != element.tag else []
            if foreign and element.tag != "motor":  # which has none
                raise ModelError(
                    f"its defaults are gains of <{tag}>: {', '.join(foreign)}",
                    where=element.where,
                    fix=f"write it as <{tag}>, or give it a class whose defaults are of <{element.tag}>",
                )
            found = _over(found, tags.get(tag, {}))
        return found


_LISTS = ("size", "polycoef", "gear", "gainprm", "biasprm")


def _over(known: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Attributes over those of a class; of lists of any length entries that are left out stay as the class has them."""
    found = {**known, **given}
    for key in _LISTS:
        if key in known and key in given:
            found[key] = " ".join([*given[key].split(), *known[key].split()[len(given[key].split()) :]])
    return found


_STRAIGHT = 1e-10  # sine of an angle below which a direction is z, or -z, up to rounding


def limited(e: Element, key: str, flag: str, automatic: bool) -> tuple[float, float] | None:
    """A range and whether it counts: told, or by its being there."""
    told = e.choice(flag, ("true", "false", "auto"), "auto")
    if told == "false" or (told == "auto" and not (automatic and key in e.attributes)):
        return None
    lower, upper = e.numbers(key, 2)
    if lower >= upper:
        raise ModelError(f"{key} is {lower} to {upper}", where=e.where, fix="give the lower bound, then the upper one")
    return lower, upper


def unit(given: Sequence[float] | np.ndarray, where: str) -> np.ndarray:
    """A direction of length 1."""
    vector = np.array(given, dtype=float)
    length = np.linalg.norm(vector)
    if length == 0:
        raise ModelError("a direction has length 0", where=where, fix="give the direction of the axis")
    return vector if length == 1 else vector / length


def of_quaternion(given: Sequence[float], where: str) -> np.ndarray:
    """The rotation of a quaternion, scalar first, of any length but 0."""
    if not any(given):
        raise ModelError("a quaternion has length 0", where=where, fix="give the quaternion, scalar first")
    w, x, y, z = np.array(given)
    n = w * w + x * x + y * y + z * z
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 / n * (w * skew + skew @ skew)


def from_z(axis: np.ndarray) -> np.ndarray:
    """The smallest turn that carries z into a unit vector."""
    across = np.cross([0.0, 0.0, 1.0], axis)
    length = float(np.linalg.norm(across))
    if length < _STRAIGHT:
        return np.eye(3) if axis[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return turned_about(across / length, math.atan2(length, axis[2]))
