"""URDF: links and joints as http://wiki.ros.org/urdf/XML states them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nsdgen.base.suggest import named_arguments, nearest
from nsdgen.errors import ModelError
from nsdgen.symbolic.robots.description import (
    HERE,
    Closure,
    Description,
    LinkJoint,
    LinkShape,
    Placement,
    RobotLink,
    turned,
)
from nsdgen.symbolic.robots.lined_xml import Element, Vocabulary, read_xml, refuse_unknown
from nsdgen.symbolic.robots.mesh_files import found_mesh
from nsdgen.symbolic.robots.robot import Robot

_KNOWN: Vocabulary = {
    "robot": ("name version", "link joint material"),
    "link": ("name", "inertial visual collision"),
    "inertial": ("", "origin mass inertia"),
    "origin": ("xyz rpy", ""),
    "mass": ("value", ""),
    "inertia": ("ixx ixy ixz iyy iyz izz", ""),
    "visual": ("name", "origin geometry material"),
    "collision": ("name", "origin geometry material"),
    "geometry": ("", "box cylinder sphere capsule mesh"),
    "box": ("size", ""),
    "cylinder": ("radius length", ""),
    "sphere": ("radius", ""),
    "capsule": ("radius length", ""),
    "mesh": ("filename scale", ""),
    "material": ("name", "color texture"),
    "color": ("rgba", ""),
    "texture": ("filename", ""),
    "joint": ("name type", "origin parent child axis limit dynamics mimic safety_controller calibration"),
    "parent": ("link", ""),
    "child": ("link", ""),
    "axis": ("xyz", ""),
    "limit": ("lower upper effort velocity", ""),
    "dynamics": ("damping friction", ""),
    "mimic": ("joint multiplier offset", ""),
    "safety_controller": ("soft_lower_limit soft_upper_limit k_position k_velocity", ""),
    "calibration": ("rising falling reference_position", ""),
}
_KINDS = {"continuous": "revolute"}
_TYPES = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating")
_SIZES = {"box": (("size", 3),), "sphere": (("radius", 1),), "mesh": ()}
_NOT_A_UNIT = 1e-3  # beyond what three digits of a direction round to


@named_arguments
def read_urdf(
    path: str | Path,
    *,
    packages: Mapping[str, str | Path] | Sequence[str | Path] | None = None,
    free: bool = False,
    gravity: Sequence[Any] = (0, 0, -9.81),
    without: Sequence[str] = (),
    meshes: bool = True,
    prefix: str = "",
    operators: Sequence[str] = (),
    frames: Sequence[str] = (),
) -> Robot:
    """The robot of a URDF file, or of its text: bodies, joints, a mechanism, and relations for what acts on joints.

    The first link is welded to the ground, or moves freely (``free``). ``packages`` says where ``package://name/...``
    lies: a folder for each name, or folders that hold packages (as ROS_PACKAGE_PATH does); ``meshes=False`` looks for
    none. ``gravity`` [m/s^2] acts on all links. Whatever the format does not have is refused by its line unless
    ``without`` lists it (``["gazebo", "transmission", "joint/@foo"]``). ``prefix`` stands before all names, for several
    robots of one file. ``operators``, and ``frames`` by the names of links, are those of :class:`nsd.Mechanism`. Raises
    ``ModelError``, with the line, for what is no robot: loops, two roots, joints without an axis, tensors that are no
    inertia.
    """
    root = read_xml(path)
    if root.tag != "robot":
        raise ModelError(f"the outermost element is <{root.tag}>", where=root.where, fix="give a URDF file: <robot>")
    root = refuse_unknown(root, _KNOWN, without, "URDF")
    folder = Path() if root.source == "text" else Path(path).parent
    colours = {m.text("name"): c for m in root.all("material") if (c := _colour(m, {})) is not None}

    def shapes(link: Element) -> tuple[LinkShape, ...]:
        return tuple(
            _shape(e, colours, lambda g: found_mesh(g.text("filename"), folder, packages, g.where) if meshes else None)
            for e in link.all("visual", "collision")
        )

    links: dict[str, RobotLink] = {}
    for e in root.all("link"):
        links[e.named(prefix + e.text("name"), links)] = _link(e, prefix, shapes(e))
    joints: dict[str, LinkJoint] = {}
    for e in root.all("joint"):
        joints[e.named(prefix + e.text("name"), joints)] = _joint(e, prefix)
    for joint in joints.values():
        _check_ends(joint, links)
    description = Description(
        prefix + root.text("name", "robot"),
        root.source,
        links,
        _in_order(links, joints, root),
        _checked(tuple(closure for e in root.all("joint") for closure in _mimic(e, prefix))),
    )
    return Robot(description, gravity, free, operators, frames)


def _placement(element: Element) -> Placement:
    """Of the <origin> of an element."""
    origin = element.one("origin")
    if origin is None:
        return HERE
    roll, pitch, yaw = origin.numbers("rpy", 3, (0, 0, 0))
    return Placement(turned([(2, yaw), (1, pitch), (0, roll)]), np.array(origin.numbers("xyz", 3, (0, 0, 0))))


def _link(element: Element, prefix: str, shapes: tuple[LinkShape, ...]) -> RobotLink:
    name, inertial = prefix + element.text("name"), element.one("inertial")
    if inertial is None:
        return RobotLink(name, element.where, 0.0, np.zeros(3), np.zeros((3, 3)), shapes)
    place = _placement(inertial)
    mass = inertial.needed("mass", 'add <mass value="..."/> [kg], or leave <inertial> out').number("value")
    tensor = inertial.needed("inertia", 'add <inertia ixx="..." .../>, or leave <inertial> out')
    xx, xy, xz, yy, yz, zz = (tensor.number(f"i{ij}", 0 if ij[0] != ij[1] else None) for ij in _ENTRIES)
    turned_ = place.rotation @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ place.rotation.T
    return RobotLink(name, element.where, mass, place.origin, (turned_ + turned_.T) / 2, shapes)


_ENTRIES = ("xx", "xy", "xz", "yy", "yz", "zz")


def _shape(element: Element, colours: Mapping[str, tuple[float, ...]], mesh: Any) -> LinkShape:
    geometry = element.needed("geometry", "add <geometry> with a box, cylinder, sphere, capsule or mesh")
    if len(geometry.children) != 1:
        raise ModelError(f"holds {len(geometry.children)} shapes", where=geometry.where, fix="give one")
    (form,) = geometry.children
    sizes = _SIZES.get(form.tag, (("radius", 1), ("length", 1)))
    given = [e for key, count in sizes for e in form.numbers(key, count)]
    if any(e <= 0 for e in given):
        raise ModelError("a size is not positive", where=form.where, fix="give lengths [m]")
    halves = {"box": [e / 2 for e in given], "mesh": form.numbers("scale", 3, (1, 1, 1)), "sphere": given}
    scale = halves.get(form.tag) or [given[0], given[1] / 2]
    material, seen = element.one("material"), element.tag == "visual"
    return LinkShape(
        element.text("name", ""),
        form.tag,
        tuple(scale),
        _placement(element),
        element.line,
        seen,
        not seen,
        mesh(form) if form.tag == "mesh" else None,
        None if material is None else _colour(material, colours),
        {f"{e.tag}/{k}": v for m in element.all("material") for e in (m, *m.children) for k, v in e.attributes.items()},
    )


def _colour(material: Element, known: Mapping[str, tuple[float, ...]]) -> tuple[float, ...] | None:
    own = material.one("color")
    return known.get(material.text("name", "")) if own is None else tuple(own.numbers("rgba", 4))


def _joint(element: Element, prefix: str) -> LinkJoint:
    name, kind = prefix + element.text("name"), element.choice("type", _TYPES)
    ends = [prefix + element.needed(e, f'add <{e} link="..."/>').text("link") for e in ("parent", "child")]
    limit, dynamics, limits = element.one("limit"), element.one("dynamics"), None
    if kind in ("revolute", "prismatic"):
        if limit is None:
            raise ModelError(
                f"a {kind} joint has limits",
                where=element.where,
                fix='add <limit lower="..." upper="..." effort="..." velocity="..."/>'
                + (', or make it type="continuous"' if kind == "revolute" else ""),
            )
        limits = limit.number("lower", 0.0), limit.number("upper", 0.0)
        if limits[0] > limits[1]:
            raise ModelError(
                f"the lower limit {limits[0]} lies above the upper one, {limits[1]}",
                where=limit.where,
                fix="exchange them",
            )
    damping, friction = _not_negative(dynamics, "damping"), _not_negative(dynamics, "friction")
    if kind == "floating" and (damping or friction):
        raise ModelError(
            "damping and friction of a floating joint are not read",
            where=element.where,
            fix="take them out, and state them as relations of your own: nsd.Wrench",
        )
    return LinkJoint(
        name,
        element.where,
        _KINDS.get(kind, kind),
        ends[0],
        ends[1],
        _placement(element),
        HERE,
        np.zeros(3) if kind in ("fixed", "floating") else _axis(element),
        limits=limits,
        damping=damping,
        friction=friction,
        effort=None if limit is None or "effort" not in limit.attributes else limit.number("effort"),
        speed=None if limit is None or "velocity" not in limit.attributes else limit.number("velocity"),
        data={f"{e.tag}/{k}": v for e in element.all(*_KEPT) for k, v in e.attributes.items()},
    )


_KEPT = ("safety_controller", "calibration")


def _not_negative(dynamics: Element | None, key: str) -> float:
    value = 0.0 if dynamics is None else dynamics.number(key, 0.0)
    if value < 0:
        assert dynamics is not None
        raise ModelError(f"the {key} {value} is negative", where=dynamics.where, fix="give 0 or more")
    return value


def _axis(element: Element) -> np.ndarray:
    axis = np.array(
        element.needed("axis", 'add <axis xyz="..."/>; what the format takes where there is none is 1 0 0').numbers(
            "xyz", 3
        )
    )
    length = float(np.linalg.norm(axis))
    if abs(length - 1) > _NOT_A_UNIT:
        raise ModelError(
            f"the axis has length {length:.6g}",
            where=element.where,
            fix="give a unit vector" if length else "give the direction of the axis",
        )
    return axis if length == 1 else axis / length


def _mimic(joint: Element, prefix: str) -> list[Closure]:
    """joint = multiplier other + offset, where it says so."""
    name = prefix + joint.text("name")
    return [
        Closure(
            f"{name} mimic",
            mimic.where,
            "joint",
            joints=(name, prefix + mimic.text("joint")),
            polynomial=(mimic.number("offset", 0.0), mimic.number("multiplier", 1.0)),
        )
        for mimic in (joint.one("mimic"),)
        if mimic is not None and joint.text("type") != "fixed"  # which stands where it is
    ]


def _checked(mimics: tuple[Closure, ...]) -> tuple[Closure, ...]:
    """The same; raises ``ModelError`` where joints mimic each other in a ring: nothing would say where they are."""
    leaders = {m.joints[0]: m.joints[1] for m in mimics}
    for mimic in mimics:
        way = [mimic.joints[0]]
        while (leader := leaders.get(way[-1])) is not None and leader not in way:
            way.append(leader)
        if leader == way[0]:
            raise ModelError(
                f"{' mimics '.join(repr(name) for name in (*way, leader))}",
                where=mimic.where,
                fix="one of them is the joint that the others follow: leave out its <mimic>",
            )
    return mimics


def _check_ends(joint: LinkJoint, links: Mapping[str, RobotLink]) -> None:
    for end in (joint.parent, joint.child):
        if end not in links:
            raise ModelError(
                f"there is no link {end!r}", where=joint.where, fix=nearest(str(end), links) or "add it, or correct it"
            )


def _in_order(links: Mapping[str, RobotLink], joints: Mapping[str, LinkJoint], root: Element) -> dict[str, LinkJoint]:
    """The joints from the root on; raises ``ModelError`` for what is no tree."""
    above: dict[str, LinkJoint] = {}
    for joint in joints.values():
        if joint.child in above:
            raise ModelError(
                f"the link {joint.child!r} has a parent already: {above[joint.child].where}; that is a loop, no tree",
                where=joint.where,
                fix="cut the loop there: take this joint out of the file, and state it between markers of both links, "
                "nsd.Revolute(name, robot.marker(...), robot.marker(...)), in the model's relations",
            )
        above[joint.child] = joint
    if not links:
        raise ModelError("has no links", where=root.where, fix="add them; a xacro file is expanded first")
    roots = [name for name in links if name not in above]
    if len(roots) != 1:
        shown = " and ".join(f"{name!r} ({links[name].where})" for name in roots[:3])
        raise ModelError(
            f"has {len(roots)} roots: {shown}" if roots else "has no root: every link has a parent, they form a loop",
            where=root.where,
            fix="join all links to one" if roots else "cut the loop: take one joint out",
        )
    found: dict[str, LinkJoint] = {}
    reached = set(roots)
    left = list(joints.values())
    while left:
        now = [joint for joint in left if joint.parent in reached]
        if not now:
            raise ModelError(
                f"{left[0].name!r} and {len(left) - 1} other joints form a loop that hangs on nothing",
                where=left[0].where,
                fix="cut it, and join it to the other links",
            )
        found |= {joint.name: joint for joint in now}
        reached |= {joint.child for joint in now}
        left = [joint for joint in left if joint.name not in found]
    return found
