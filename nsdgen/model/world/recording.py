"""What is kept of a world's run: states, counts, what sensors saw; and its pictures."""

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nsdgen.base.counted import counted
from nsdgen.base.solids import Compound, quaternion_of
from nsdgen.errors import ModelWarning
from nsdgen.record.columns import STATE, Column, Columns
from nsdgen.study.animation.picture import Drawn, DrawnSolid, Picture
from nsdgen.study.samples import Samples
from nsdgen.study.trajectory import Trajectory

_WHOLE = (
    Column("contacts", "", "contacts that acted in the step"),
    Column("sweeps", "", "sweeps there and back over the contacts of the step"),
    Column("factorizations", "", "factorisations of the step, where sweeps were not enough"),
    Column("left", "m/s", "how far any relative velocity is off its law after the step"),
    Column("deepest", "m", "how deep shapes are inside each other at the start of the step, 0 or below"),
    Column("kinetic_energy", "J", "of all bodies"),
    Column("asleep", "", "bodies that sleep; their contacts are not counted"),
)


class WorldRecording:
    """The table of a run of a world, written row by row."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.sensors = (*world.sensors, *world.joints.all, *world.springs.all)
        self.seen: list[list[float]] = []
        self.times: list[float] = []
        self.rows: list[NDArray[np.float64]] = []
        self.whole: list[list[float]] = []
        self.standing: list[list[tuple[NDArray[np.float64], NDArray[np.float64]]]] = []
        self.present: list[tuple[list[bool], list[bool]]] = []  # bodies and what stands, not taken out
        self.last = [0.0, 0.0, 0.0, 0.0, 0.0]
        self.left: list[tuple[float, float]] = []  # (what was left, when) of steps less accurate than asked

    def after_step(self) -> None:
        """Look at the step that was made."""
        engine, world = self.world.engine.run, self.world
        sweeps, factored, inaccurate, left = engine.pools.piled
        if inaccurate:
            self.left.append((left, world.time))
        self.last = [0.0, sweeps, factored, left, world.find.deepest]

    def take(self) -> None:
        """Keep the world as it is."""
        world = self.world
        states, poses = world.states, world.poses
        here = [b.exists for b in world.bodies]
        masses = np.array([b.mass if b.exists else 0.0 for b in world.bodies]).reshape(-1, 1)
        moments = np.array([b.moments if b.exists else (0, 0, 0) for b in world.bodies]).reshape(-1, 3)
        energy = 0.5 * float((masses * poses[:, 7:10] ** 2).sum() + (moments * poses[:, 10:13] ** 2).sum())
        if self.times:  # a step was made
            self.last[0] = float(sum(world.engine.run.pools.rows(k)[1].sum() for k in range(2)))
        self.times.append(world.time)
        self.rows.append(states.reshape(-1).copy())
        self.standing.append([s.place(world.shapes) for s in world.standing])
        self.present.append((here, [bool(world.shapes.exists[s.shapes[0]]) for s in world.standing]))
        self.whole.append([*self.last, energy, float(world.sleep.asleep.sum())])
        self.seen.append([value for own in self.sensors for value in own.row()])

    def trajectory(self) -> Trajectory:
        """The record; a body that came later stands where it was put until then. Warns of steps that are inaccurate."""
        world = self.world
        born = np.concatenate([b.born for b in world.bodies]) if world.bodies else np.zeros(0)
        table = np.tile(born, (len(self.rows), 1))
        for k, row in enumerate(self.rows):
            table[k, : len(row)] = row
        attributes = {
            "scheme": "MoreauJean, contacts found while it moves",
            "step": world.engine.run.step,
            "bodies": len(world.bodies),
            "tolerance": world.tolerance,
            "searches": world.search.made,
            "inaccurate_steps": len(self.left),
        }
        self._say_left()
        self._say_strange()
        return Trajectory(
            world.name,
            np.array(self.times),
            np.hstack([table, np.array(self.whole), np.array(self.seen)]),
            self._columns(),
            attributes,
            WorldPicture(world, self),
        )

    def _columns(self) -> Columns:
        """Those of the last run of this world where they would be the same: ten thousand bodies have 130 000."""
        world = self.world
        of = (tuple(b.name for b in world.bodies), self.sensors)
        if world.columns is None or world.columns[0] != of:
            states = [
                Column(f"{name}.{quantity}", unit, STATE) for name in of[0] for quantity, unit in world.space.columns
            ]
            whole = [*_WHOLE, *(column for own in self.sensors for column in own.columns())]
            world.columns = of, Columns([*states, *whole])
        found: Columns = world.columns[1]
        return found

    def _say_left(self) -> None:
        if self.left:
            left, when = max(self.left)
            asked, fix = "their certificate wants", "give a shorter step"
            if self.world.tolerance > 0.0:
                asked = f"asked (tolerance {self.world.tolerance:.3g} m/s, at most {self.world.sweeps} sweeps)"
                fix = "give more sweeps, a shorter step or a larger tolerance; tolerance=0 certifies each step"
            many = counted(len(self.left), "step is", "steps are")
            text = (
                f"world {self.world.name!r}: {many} less accurate than {asked}; "
                f"the worst, at {when:.6g} s, left {left:.3g} m/s: {fix}"
            )
            warnings.warn(ModelWarning(text), stacklevel=4)

    def _say_strange(self) -> None:
        """At the end of a run, for bodies may come late."""
        world = self.world
        n = world.shapes.n
        found = world.surfaces.strange(world.shapes.material[:n].tolist())
        found += world.groups.strange(world.shapes.group[:n].tolist())
        if found:
            warnings.warn(ModelWarning(f"world {world.name!r}: {'; '.join(found)}"), stacklevel=4)


class WorldPicture:
    """What is drawn of a world's run, while it is there: the origin of its trajectories.

    What stands is drawn where it was recorded.
    """

    def __init__(self, world: Any, recorded: WorldRecording) -> None:
        self.name, self.space = world.name, world.space
        self.bodies = list(world.bodies)
        self.links = {"spring": list(world.springs.all), "joint": list(world.joints.all)}
        self.times = np.array(recorded.times)
        self.present = _table([bodies for bodies, _ in recorded.present], len(self.bodies))
        there = _table([standing for _, standing in recorded.present], len(world.standing))
        self.standing = []
        for k, s in enumerate(world.standing):
            seen = [row[k] if k < len(row) else s.place(world.shapes) for row in recorded.standing]
            values = _planes(seen) if s.solid is None else _poses(seen)
            values[~there[:, k]] = np.nan
            drawn = ("ground", s.name, ()) if s.solid is None else ("body", s.name, _drawn_parts(s))
            self.standing.append((*drawn, values))

    @property
    def drawing(self) -> Self:
        """Itself."""
        return self

    def __call__(self, record: Samples, rows: Sequence[int]) -> Picture:
        """Bodies and what stands at some rows of a record."""
        which = np.asarray(rows, dtype=int)
        then = np.clip(np.searchsorted(self.times, record.time[which], side="right") - 1, 0, None)
        drawn = []
        for number, body in enumerate(self.bodies):
            name, solids = body.name, _drawn_parts(body)
            states = np.column_stack([record[f"{name}.{quantity}"][which] for quantity, _ in self.space.columns])
            shown = tuple(f"{name}.position[{k}]" for k in range(self.space.dimension))
            poses = self.space.poses(states)[:, :7]
            poses[~self.present[then, number], :3] = np.nan
            drawn.append(Drawn("body", name, poses, solids, shown=shown))
        drawn += [Drawn(kind, name, values[then], solids) for kind, name, solids, values in self.standing]
        ends = {body.name: d.values for body, d in zip(self.bodies, drawn, strict=False)}
        drawn += [_between(kind, item, ends, len(which)) for kind, items in self.links.items() for item in items]
        planar = self.space.dimension == 2
        return Picture(record.time[which], drawn, planar, up="y" if planar else "z")


def _table(rows: Sequence[Sequence[bool]], count: int) -> NDArray[np.bool_]:
    """What is there row by row, of so many things: what a row does not know came later."""
    found = np.zeros((len(rows), count), dtype=bool)
    for own, row in zip(found, rows, strict=True):
        own[: len(row)] = row
    return found


def _planes(places: Sequence[tuple[Any, Any]]) -> NDArray[np.float64]:
    """Normals and offsets (n, 4) of a plane that stands."""
    return np.array([[*axes[:, 2], axes[:, 2] @ at] for at, axes in places])


def _poses(places: Sequence[tuple[Any, Any]]) -> NDArray[np.float64]:
    """Places and quaternions (n, 7) of what stands."""
    from scipy.spatial.transform import Rotation

    turns = Rotation.from_matrix(np.array([axes for _, axes in places])).as_quat()[:, [3, 0, 1, 2]]
    return np.hstack([np.array([at for at, _ in places]), turns])


def _between(kind: str, item: Any, poses: dict[str, NDArray[np.float64]], rows: int) -> Drawn:
    """A spring between its places, a joint from the centre of one body through its place to that of the other."""
    from scipy.spatial.transform import Rotation

    points = []
    for body, place in zip((item.first, item.second), item.places, strict=True):
        if body is None:
            points.append([np.tile(place, (rows, 1))])
            continue
        pose = poses[body.name]
        end = pose[:, :3] + Rotation.from_quat(pose[:, [4, 5, 6, 3]]).apply(place)
        points.append([end, pose[:, :3]])
    one, other = points
    ends = [one[0], other[0]] if kind == "spring" else [*one[::-1], *other[1:]]
    shown = tuple(column.name for column in item.columns())
    return Drawn(kind, item.name, np.hstack(ends), shown=shown)


def _drawn_parts(body: Any) -> tuple[DrawnSolid, ...]:
    """The solids of a body, or of what stands, in its frame."""
    solids = [own for own, _, _ in body.solid.placed] if isinstance(body.solid, Compound) else [body.solid]
    pairs = zip(solids, body.parts, strict=True)
    return tuple(DrawnSolid.of(solid, solid.sizes, part.at, quaternion_of(part.axes)) for solid, part in pairs)
