"""MJCF, the format of MuJoCo: bodies, joints, geoms; what acts on them stands in ``mjcf_acting``."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from nsdgen.base.solids import Capsule, Cuboid, Cylinder, Ellipsoid, Solid, Sphere, filled
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.robots.description import (
    HERE,
    Description,
    LinkJoint,
    LinkShape,
    Placement,
    RobotLink,
    solid,
    turned,
    turned_about,
)
from nsdgen.symbolic.robots.lined_xml import Element, path_of, refuse_unknown
from nsdgen.symbolic.robots.mesh_files import found_mesh
from nsdgen.symbolic.robots.mjcf_acting import actuators, closures
from nsdgen.symbolic.robots.mjcf_words import MJCF, Defaults, from_z, limited, of_quaternion, read_included, unit
from nsdgen.symbolic.robots.robot import Robot

SOLIDS: dict[str, tuple[int, Callable[..., Solid]]] = {
    "sphere": (1, Sphere),
    "capsule": (2, lambda r, h: Capsule(r, 2 * h)),
    "cylinder": (2, lambda r, h: Cylinder(r, 2 * h)),
    "ellipsoid": (3, lambda *semi_axes: Ellipsoid(semi_axes)),
    "box": (3, lambda *h: Cuboid([2 * e for e in h])),
}
"""The shapes that have a mass: how many sizes they have, radii and half lengths [m], and what they are of these."""

_WATER = 1000.0  # density where a geom gives none [kg/m^3], as MuJoCo has it
_JOINTS = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "floating"}


@named_arguments
def read_mjcf(
    path: str | Path,
    *,
    gravity: Sequence[Any] | None = None,
    without: Sequence[str] = (),
    meshes: bool = True,
    prefix: str = "",
    operators: Sequence[str] = (),
    frames: Sequence[str] = (),
) -> Robot:
    """The robot of an MJCF file, or of its text: bodies, joints, a mechanism, and relations for what acts on joints.

    Read are bodies, joints, geoms (inertia by mass and density), inertials, frames, default classes, includes, options
    of the compiler, actuators (motor, position, velocity, general) on joints, equations (connect, weld, joint); contact
    pairs, excluded pairs and geoms are data of ``robot.description``. What is soft in MuJoCo by ``solref`` and
    ``solimp`` holds exactly here: limits are plastic stops, friction is Coulomb's, equations are constraints.
    ``gravity`` [m/s^2] is that of the file unless given. Whatever else the file says is refused by its line
    unless ``without`` lists it (``["sensor", "option/@density"]``). ``meshes=False`` looks for no mesh, ``prefix``
    begins all names, ``operators``, and ``frames`` by the names of links, are those of :class:`nsd.Mechanism`.
    Raises ``ModelError``, with the line, for what is no robot.
    """
    folder = Path() if isinstance(path, str) and path.lstrip().startswith("<") else path_of(path).parent
    root = refuse_unknown(read_included(path, folder), MJCF, without, "MJCF")
    reader = _BodyReader(root, folder if meshes else None, prefix)
    for world in root.all("worldbody"):
        reader.body(world, None, HERE, "main")
    description = Description(
        prefix + root.text("model", "robot"),
        root.source,
        reader.finished_links(),
        reader.joints,
        tuple(closures(root, reader.standing, prefix)),
        tuple(actuators(root, reader.defaults, reader.setting("autolimits", "true") == "true", prefix)),
        tuple(reader.ground),
        tuple(e.attributes for section in root.all("contact") for e in section.all("pair")),
        tuple(
            (prefix + e.text("body1"), prefix + e.text("body2"))
            for section in root.all("contact")
            for e in section.all("exclude")
        ),
        reader.sites,
    )
    return Robot(description, _gravity(root) if gravity is None else gravity, False, operators, frames)


def _gravity(root: Element) -> list[float]:
    found = [0.0, 0.0, -9.81]
    for option in root.all("option"):
        found = option.numbers("gravity", 3, found)
        if any(flag.choice("gravity", ("enable", "disable"), "enable") == "disable" for flag in option.all("flag")):
            return [0.0, 0.0, 0.0]
    return found


class _BodyReader:
    """Bodies of a file as links and joints; ``standing`` is the place of each link in the world, as the file has it."""

    def __init__(self, root: Element, folder: Path | None, prefix: str) -> None:
        self._root, self._folder, self._prefix = root, folder, prefix
        self.defaults = Defaults.of(root)
        self.links: dict[str, RobotLink] = {}
        self.joints: dict[str, LinkJoint] = {}
        self.ground: list[LinkShape] = []
        self.standing: dict[str | None, Placement] = {None: HERE}
        self.sites: dict[str, tuple[str | None, Placement]] = {}
        self._still: set[str | None] = {None}
        self._radian = self.setting("angle", "degree", ("degree", "radian")) == "radian"
        self.setting("coordinate", "local", ("local",))
        self._sequence = self.setting("eulerseq", "xyz")
        self._from_geom = self.setting("inertiafromgeom", "auto", ("auto", "true", "false"))
        self._groups = self.settings("inertiagrouprange", 2, [0, 5])
        self._assets = [e for assets in root.all("asset") for e in assets.children]

    def setting(self, key: str, default: str, known: Sequence[str] = ()) -> str:
        """An attribute of <compiler>, the last that is given."""
        for element in self._root.all("compiler"):
            if key in element.attributes:
                default = element.choice(key, known) if known else element.text(key)
        return default

    def settings(self, key: str, count: int, default: list[float]) -> list[float]:
        """Numbers of <compiler>."""
        for element in self._root.all("compiler"):
            default = element.numbers(key, count, default)
        return default

    def body(
        self, element: Element, parent: str | None, outer: Placement, class_: str, inside: Placement = HERE
    ) -> None:
        """A body that stands ``inside`` its parent, or the world, and all that hangs on it."""
        class_ = self.defaults.known(element.attributes.get("childclass", class_), element.where)
        world = element.tag == "worldbody"
        name = None if world else self._named(element, f"body {len(self.standing)}", self.links)
        if name is None:
            self.ground += [shape for shape, _ in self._geoms(element, class_)]
        else:
            outer = outer @ inside
            self.standing[name] = outer
            if parent in self._still and not list(self._framed(element, class_, "joint", "freejoint")):
                self._still.add(name)
            self._join(element, name, parent, inside, class_)
            self.links[name] = self._link(element, name, class_)
        for e, own, frame in self._framed(element, class_, "site"):
            if "name" in e.attributes:
                place = frame @ self._placement(self.defaults.full(e, own))
                self.sites[self._prefix + e.text("name")] = name, place
        for child, own, frame in self._framed(element, class_, "body"):
            self.body(child, name, outer, own, frame @ self._placement(child))

    def _framed(
        self, element: Element, class_: str, *tags: str, frame: Placement = HERE
    ) -> Iterator[tuple[Element, str, Placement]]:
        """What stands in an element, or in frames in it, with its class of defaults and the place of its frame."""
        for e in element.all("frame", *tags):
            if e.tag == "frame":
                own = self.defaults.known(e.attributes.get("childclass", class_), e.where)
                yield from self._framed(e, own, *tags, frame=frame @ self._placement(e))
            else:
                yield e, class_, frame

    def _named(self, element: Element, default: str, there: Mapping[str, Any]) -> str:
        return element.named(self._prefix + element.text("name", default), there)

    def _angles(self, given: Sequence[float]) -> list[float]:
        return list(given) if self._radian else [math.radians(e) for e in given]

    def _placement(self, element: Element) -> Placement:
        """By pos and one of quat, axisangle, euler, xyaxes, zaxis, or by both ends."""
        if (ends := _ends(element)) is not None:
            return Placement(from_z(unit(ends[0] - ends[1], element.where)), ends.mean(axis=0))
        given = [key for key in ("quat", "axisangle", "euler", "xyaxes", "zaxis") if key in element.attributes]
        if len(given) > 1:
            raise ModelError(f"has {' and '.join(given)}", where=element.where, fix="give one of them")
        turn = np.eye(3)
        if given == ["quat"]:
            turn = of_quaternion(element.numbers("quat", 4), element.where)
        elif given == ["axisangle"]:
            *axis, angle = element.numbers("axisangle", 4)
            turn = turned_about(unit(axis, element.where), self._angles([angle])[0])
        elif given == ["euler"]:
            steps = list(zip(self._sequence, self._angles(element.numbers("euler", 3)), strict=True))
            for letter, angle in steps:
                one = turned([("xyz".index(letter.lower()), angle)])
                turn = turn @ one if letter.islower() else one @ turn
        elif given == ["xyaxes"]:
            numbers = element.numbers("xyaxes", 6)
            x = unit(numbers[:3], element.where)
            y = unit(np.array(numbers[3:]) - x * (x @ numbers[3:]), element.where)
            turn = np.stack([x, y, np.cross(x, y)], axis=1)
        elif given == ["zaxis"]:
            turn = from_z(unit(element.numbers("zaxis", 3), element.where))
        return Placement(turn, np.array(element.numbers("pos", 3, (0, 0, 0))))

    def _join(self, element: Element, name: str, parent: str | None, inside: Placement, class_: str) -> None:
        """The joints of a body in turn, each on a link without mass but the last; a weld where it has none."""
        stated = [
            (self.defaults.full(e, own), frame) for e, own, frame in self._framed(element, class_, "joint", "freejoint")
        ]
        if not stated:
            weld = f"{name} weld"
            self.joints[weld] = LinkJoint(weld, element.where, "fixed", parent, name, inside, HERE, np.zeros(3))
        for number, (each, frame) in enumerate(stated):
            last = number == len(stated) - 1
            own = f"{name} joint {number + 1}" if number else f"{name} joint"
            joint = self._joint(each, own, parent, name if last else f"{name} {number + 1}", inside, frame, len(stated))
            if not last:
                self.links[joint.child] = RobotLink(joint.child, each.where, 0.0, np.zeros(3), np.zeros((3, 3)))
            self.joints[joint.name] = joint
            parent, inside = joint.child, HERE

    def _joint(
        self, e: Element, default: str, parent: str | None, child: str, inside: Placement, frame: Placement, count: int
    ) -> LinkJoint:
        name = self._named(e, default.removeprefix(self._prefix), self.joints)
        kind = _JOINTS["free" if e.tag == "freejoint" else e.choice("type", list(_JOINTS), "hinge")]
        if kind == "floating":
            if parent is not None or count > 1:
                raise ModelError("is free, and not alone on a body of the world", where=e.where, fix="move it there")
            self._refuse(e, ("stiffness", "frictionloss", "armature"), "free")
            damping = e.number("damping", 0.0)
            return LinkJoint(name, e.where, kind, None, child, inside, HERE, np.zeros(3), damping=damping)
        if kind == "spherical":
            self._refuse(e, ("stiffness", "frictionloss", "armature"), "ball")
        place = Placement(np.eye(3), frame.origin + frame.rotation @ e.numbers("pos", 3, (0, 0, 0)))
        turns = kind == "revolute"
        ref, rest = (self._angles([e.number(k, 0.0)])[0] if turns else e.number(k, 0.0) for k in ("ref", "springref"))
        limits = limited(e, "range", "limited", self.setting("autolimits", "true") == "true")
        if limits is not None and kind == "spherical":
            raise ModelError("not read of a ball joint: limits", where=e.where, fix='set limited="false" there')
        if limits is not None and turns:
            limits = (self._angles(limits)[0], self._angles(limits)[1])
        return LinkJoint(
            name,
            e.where,
            kind,
            parent,
            child,
            inside @ place,
            place,
            np.zeros(3) if kind == "spherical" else frame.rotation @ unit(e.numbers("axis", 3, (0, 0, 1)), e.where),
            at=0.0 if kind == "spherical" else ref,
            limits=limits,
            damping=e.number("damping", 0.0),
            friction=e.number("frictionloss", 0.0),
            stiffness=e.number("stiffness", 0.0),
            rest=rest,
            armature=e.number("armature", 0.0),
        )

    @staticmethod
    def _refuse(element: Element, keys: Sequence[str], what: str) -> None:
        found = [key for key in keys if element.number(key, 0.0) != 0]
        if found:
            raise ModelError(
                f"not read of a {what} joint: {', '.join(found)}",
                where=element.where,
                fix=f'set {found[0]}="0" there, and state it as a relation of your own: nsd.Bushing, nsd.Wrench',
            )

    def _link(self, element: Element, name: str, class_: str) -> RobotLink:
        geoms = self._geoms(element, class_)
        shapes = tuple(shape for shape, _ in geoms)
        inertial = element.one("inertial")
        if inertial is not None and self._from_geom != "true":
            mass, centre, inertia = self._inertial(inertial)
        elif self._from_geom == "false" or (name in self._still and self.settings("settotalmass", 1, [-1])[0] <= 0):
            mass, centre, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        else:
            mass, centre, inertia = solid([self._mass(*geom) for geom in geoms])
        return RobotLink(name, element.where, mass, centre, inertia, shapes)

    def _inertial(self, element: Element) -> tuple[float, np.ndarray, np.ndarray]:
        place = self._placement(element)
        if "fullinertia" in element.attributes:
            xx, yy, zz, xy, xz, yz = element.numbers("fullinertia", 6)
            own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            own = np.diag(element.numbers("diaginertia", 3))
        return element.number("mass"), place.origin, place.rotation @ own @ place.rotation.T

    def _geoms(self, element: Element, class_: str) -> list[tuple[LinkShape, Element]]:
        found = self._framed(element, class_, "geom")
        return [self._geom(self.defaults.full(e, own), frame) for e, own, frame in found]

    def _geom(self, e: Element, frame: Placement) -> tuple[LinkShape, Element]:
        kind = e.choice(
            "type", [*SOLIDS, "plane", "mesh", "hfield"], "sphere" if "mesh" not in e.attributes else "mesh"
        )
        if kind in SOLIDS and "mesh" in e.attributes:
            raise ModelError(f"a {kind} that fits a mesh", where=e.where, fix="give its size, and leave the mesh out")
        sizes, place = list(e.numbers("size", range(1, 4), [0, 0, 0])), frame @ self._placement(e)
        if (ends := _ends(e)) is not None:
            length = float(np.linalg.norm(ends[1] - ends[0])) / 2
            sizes = [sizes[0], length] if kind in ("capsule", "cylinder") else [sizes[0], sizes[0], length]
        count = SOLIDS[kind][0] if kind in SOLIDS else 3
        sizes = sizes[:count]
        if kind in SOLIDS and (len(sizes) < count or min(sizes) <= 0):
            raise ModelError(
                f"a {kind} of sizes {sizes}", where=e.where, fix=f"give size with {count} positive numbers [m]"
            )
        touches = e.number("contype", 1.0) != 0 or e.number("conaffinity", 1.0) != 0
        return (
            LinkShape(
                e.text("name", ""),
                kind,
                tuple(sizes),
                place,
                e.line,
                True,
                touches,
                self._mesh(e) if kind == "mesh" else None,
                self._colour(e),
                e.attributes,
            ),
            e,
        )

    def _asset(self, tag: str, name: str, where: str) -> Element:
        for asset in self._assets:
            if asset.tag == tag and asset.text("name", Path(asset.attributes.get("file", "")).stem) == name:
                return self.defaults.full(asset)
        raise ModelError(f"there is no {tag} {name!r}", where=where, fix="add it to <asset>")

    def _mesh(self, e: Element) -> Path | None:
        if self._folder is None:
            return None
        asset = self._asset("mesh", e.text("mesh"), e.where)
        folder = self._folder / self.setting("meshdir", self.setting("assetdir", ""))
        return found_mesh(asset.text("file"), folder, None, asset.where)

    def _colour(self, e: Element) -> tuple[float, ...] | None:
        if "rgba" not in e.attributes and "material" in e.attributes:
            e = self._asset("material", e.text("material"), e.where)
        return tuple(e.numbers("rgba", 4)) if "rgba" in e.attributes else None

    def _mass(self, shape: LinkShape, e: Element) -> tuple[float, np.ndarray, np.ndarray]:
        """Of a geom, by mass or density, in the frame of its body."""
        nothing = 0.0, np.zeros(3), np.zeros((3, 3))
        density = e.number("density", _WATER)
        if not self._groups[0] <= e.number("group", 0) <= self._groups[1] or e.number("mass", density) == 0:
            return nothing
        if shape.kind not in SOLIDS:
            raise ModelError(
                f"the mass of a {shape.kind} is not computed",
                where=e.where,
                fix='give its body an <inertial>, or the geom mass="0"',
            )
        volume, moments, _ = filled(SOLIDS[shape.kind][1](*shape.sizes))
        mass, turn = e.number("mass", density * volume), shape.place.rotation
        return mass, shape.place.origin, mass * turn @ np.diag(moments) @ turn.T

    def finished_links(self) -> dict[str, RobotLink]:
        """The links with what the compiler's options do to masses."""
        (least,), (smallest,) = self.settings("boundmass", 1, [0]), self.settings("boundinertia", 1, [0])
        (total,) = self.settings("settotalmass", 1, [-1])
        found = dict(self.links)
        carriers = {name for name in found if name not in self.standing}
        for name, link in found.items():
            inertia = (link.inertia + link.inertia.T) / 2
            if name in carriers:
                continue
            if smallest or self.setting("balanceinertia", "false") == "true":
                inertia = _mended(inertia, smallest, self.setting("balanceinertia", "false") == "true")
            found[name] = replace(link, mass=max(link.mass, least), inertia=inertia)
        whole = sum(link.mass for link in found.values())
        if total > 0 and whole > 0:
            scale = total / whole
            found = {n: replace(k, mass=k.mass * scale, inertia=k.inertia * scale) for n, k in found.items()}
        return found


def _mended(inertia: np.ndarray, smallest: float, balanced: bool) -> np.ndarray:
    """With moments above a bound; where they break the triangle inequality, all their mean, if that is wanted."""
    moments, axes = np.linalg.eigh(inertia)
    moments = np.maximum(moments, smallest)
    if balanced and moments[2] > moments[0] + moments[1]:
        moments[:] = moments.mean()
    return axes @ np.diag(moments) @ axes.T


def _ends(e: Element) -> np.ndarray | None:
    """Where a shape begins and ends, (2, 3), if the file says that; its z points to where it begins."""
    return np.array(e.numbers("fromto", 6)).reshape(2, 3) if "fromto" in e.attributes else None
