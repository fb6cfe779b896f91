"""Films and pictures of a run, drawn with matplotlib: GIF, MP4 where ffmpeg is installed, PNG frame by frame.

Ground and walls are ruled with lines that end where others cut it off (as in ``planes.js``).
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nsdgen.errors import ParameterError
from nsdgen.study.animation.picture import Drawn, DrawnSolid, Picture, Values
from nsdgen.study.optional import require

_COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#e08214", "#8073ac")
_THIN = {"line": 3.0, "joint": 1.5, "spring": 1.5}  # points: a mechanism is seen, and what joins it stays behind
_EYE = np.array([0.42, -0.83, 0.37])  # to the eye: from above, the front and a little from the right
_ROUND = 16  # segments of a circle: what shows at the size of a film
_COILS = 80  # points of a coil, ten a turn


def film(runs: Sequence[Picture], path: Path, title: str, rate: int) -> list[Path]:
    """Write the pictures as a film of ``rate`` frames a second, or as numbered PNG files; the files written.

    Raises ``ParameterError`` where matplotlib, or for MP4 ffmpeg, is not there.
    """
    require("matplotlib", "plots", "drawing a film")
    from matplotlib.animation import FFMpegWriter, FuncAnimation, PillowWriter
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.8), dpi=100)
    FigureCanvasAgg(figure)
    axes: Any = figure.add_axes((0, 0, 1, 1), projection="3d")
    corners = corners_of(runs)
    eye = np.array([0.0, -1.0, 0.0]) if runs[0].planar else _EYE

    def draw(k: int) -> None:
        low, high = corners(k)
        axes.clear()
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
        axes.set_box_aspect(high - low)
        axes.set_axis_off()
        axes.set_proj_type("ortho" if runs[0].planar else "persp")
        axes.view_init(*np.rad2deg([np.arctan2(eye[2], np.hypot(*eye[:2])), np.arctan2(eye[1], eye[0])]))
        axes.text2D(0.02, 0.95, f"{title}   t = {runs[0].time[k]:.3f} s", transform=axes.transAxes)
        for number, run in enumerate(runs):
            _draw(axes, run, k, 0.35 if number else 1.0, (low, high))
        for line in ruled(
            [_row(d, k) for d in runs[0].drawn if d.kind == "ground" and _is_there(d, k)], low, high, eye
        ):
            axes.plot(*line.T, color="#9aa5b5", linewidth=0.6)

    count = len(runs[0].time)
    if path.suffix.lower() == ".png":
        files = [path.with_name(f"{path.stem}_{k:04d}.png") for k in range(count)]
        for k, file in enumerate(files):
            draw(k)
            figure.savefig(file)
        return files
    if path.suffix.lower() == ".mp4" and not FFMpegWriter.isAvailable():
        raise ParameterError(
            "an MP4 film needs the program ffmpeg, which is not installed",
            where="animate",
            fix="install ffmpeg, or write a .gif or an .html page",
        )
    writer = (FFMpegWriter if path.suffix.lower() == ".mp4" else PillowWriter)(fps=rate)
    FuncAnimation(figure, draw, frames=count, init_func=lambda: []).save(path, writer=writer)  # type: ignore[arg-type]
    return [path]


def corners_of(runs: Sequence[Picture]) -> Callable[[int], tuple[Values, Values]]:
    """What a frame shows: all that moves, or around bodies that stay together while they go far (as ``drawn.js``)."""
    whole = _bounds(runs)
    bodies = np.array([d.values[:, :3] for d in runs[0].drawn if d.kind == "body"])
    if len(bodies) < 2:
        return lambda k: whole
    if not np.isfinite(bodies).all():  # some come later, or are taken out
        return lambda k: whole
    middle, size = bodies.mean(axis=0), float(np.linalg.norm(whole[1] - whole[0]))
    together = 2 * max(map(_reach, runs[0].drawn)) + float(np.linalg.norm(np.ptp(bodies, axis=0), axis=1).max())
    if 4 * together > size:
        return lambda k: whole
    return lambda k: (middle[k] - together / 2, middle[k] + together / 2)


def _bounds(runs: Sequence[Picture]) -> tuple[Values, Values]:
    """Corners of all that moves, no side shorter than a fifth of the longest."""
    points = [_places(d) for run in runs for d in run.drawn if d.kind not in ("ground", "arrow")]
    every = np.concatenate(points) if points else np.zeros((1, 3))
    known = every[np.isfinite(every).all(axis=1)]
    every = known if len(known) else np.zeros((1, 3))
    low, high = every.min(axis=0), every.max(axis=0)
    least = 0.2 * max(float((high - low).max()), 1e-9)
    missing = np.maximum(least - (high - low), 0) / 2
    return low - missing, high + missing


def _places(drawn: Drawn) -> Values:
    if drawn.kind == "body":
        return np.concatenate([drawn.values[:, :3] + side * _reach(drawn) for side in (-1, 1)])
    if drawn.kind == "circle":
        return np.concatenate([drawn.values[:, :3] + s * drawn.values[:, 3:4] * [1, 0, 1] for s in (-1, 1)])
    return drawn.values.reshape(-1, 3)


def _reach(drawn: Drawn) -> float:
    """How far the solids of a body reach from its place [m]."""
    return max([0.0, *(float(np.linalg.norm(_faces(solid)[0], axis=1).max()) for solid in drawn.solids)])


def _draw(axes: Any, run: Picture, k: int, alpha: float, corners: tuple[Values, Values]) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    faces: list[Values] = []
    shades: list[Any] = []
    size = float(np.linalg.norm(corners[1] - corners[0]))
    arrows = [np.linalg.norm(d.values[:, 3:], axis=1) for d in run.drawn if d.kind == "arrow"]
    strongest = max([0.0, *(float(np.nan_to_num(a).max()) for a in arrows)])
    for number, item in enumerate(run.drawn):
        now, colour = _row(item, k), _COLOURS[number % len(_COLOURS)]
        if item.kind == "body" and _is_there(item, k):
            for solid in item.solids:
                own, at = _faces(solid)
                placed = now[:3] + _turned(now[3:7], own)
                faces += np.split(placed, at[1:])
                shades += [*_shades(colour, placed[at], placed[at + 1], placed[at + 2], alpha)]
        elif item.kind == "arrow" and strongest and np.linalg.norm(now[3:]) > 1e-6 * strongest:
            strength = float(np.linalg.norm(now[3:]))
            vector = now[3:] / strength * 0.2 * size * np.sqrt(strength / strongest)
            axes.quiver(*now[:3], *vector, color="#d73027", alpha=alpha, linewidth=2)
        elif item.kind == "circle":
            angle = np.linspace(0, 2 * np.pi, 49) + now[4]
            ring = now[:3] + now[3] * np.stack([np.cos(angle), 0 * angle, np.sin(angle)], axis=1)
            axes.plot(*np.vstack([now[:3], ring]).T, color=colour, alpha=alpha, linewidth=2)
        elif item.kind == "points":
            axes.plot(*now.reshape(-1, 3).T, "o", color="#8a94a3", alpha=alpha, markersize=6)
        elif item.kind in _THIN:
            points = now.reshape(-1, 3)
            line = _coil(points, 0.015 * size) if item.kind == "spring" else points
            shown = "#8a94a3" if item.kind == "joint" else colour
            axes.plot(*line.T, color=shown, alpha=alpha, linewidth=_THIN[item.kind], solid_capstyle="round")
    if faces:
        axes.add_collection3d(Poly3DCollection(faces, facecolors=shades, edgecolors="none"))


def _row(drawn: Drawn, k: int) -> Values:
    """What is drawn in frame k; the last there is, as that of a plane that stands."""
    found: Values = drawn.values[min(k, len(drawn.values) - 1)]
    return found


def _is_there(drawn: Drawn, k: int) -> bool:
    return bool(np.isfinite(_row(drawn, k)).all())


def _shades(colour: str, first: Values, second: Values, third: Values, alpha: float) -> Values:
    """Faces with these three corners (n, 3) as a light from above and the front has them (n, 4)."""
    normal = np.cross(second - first, third - first)
    length = np.linalg.norm(normal, axis=1)
    light = np.where(length > 0.0, np.abs(normal @ [0.35, -0.5, 0.8]), 1.0) / np.where(length > 0.0, length, 1.0)
    full = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.column_stack([full * (0.55 + 0.45 * light[:, None]), np.full(len(light), alpha)])


def _coil(points: Values, wide: float) -> Values:
    """A coil of eight turns between the first and the last point."""
    along = points[-1] - points[0]
    side = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    side /= np.linalg.norm(side) or 1.0
    other = np.cross(along, side) / (np.linalg.norm(along) or 1.0)
    share = np.linspace(0, 1, _COILS)[:, None]
    angle, radius = 16 * np.pi * share, wide * ((share > 0.05) & (share < 0.95))
    return points[0] + share * along + radius * (np.cos(angle) * side + np.sin(angle) * other)


def _turned(quaternion: Any, vectors: Values) -> Values:
    """Vectors (n, 3) turned by a quaternion, scalar first."""
    w, axis = quaternion[0], np.asarray(quaternion[1:])
    twice = 2 * np.cross(axis, vectors)
    return vectors + w * twice + np.cross(axis, twice)


def _faces(solid: DrawnSolid) -> tuple[Values, Values]:
    """Corners (n, 3) of all faces of a solid in the frame of its body, and where each face begins."""
    polygons = list(_polygons(solid))
    return np.asarray(solid.at) + _turned(solid.turned, np.concatenate(polygons)), np.cumsum(
        [0, *map(len, polygons[:-1])]
    )


def _polygons(solid: DrawnSolid) -> Iterator[Values]:
    """The faces of a solid about its centre."""
    s = solid.sizes
    if solid.kind == "cuboid":
        corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * s
        yield from (
            corners[list(f)]
            for f in ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
        )
    elif solid.kind == "mesh":
        vertices = np.reshape(s, (-1, 3))
        yield from (vertices[list(f)] for f in solid.faces)
    else:
        yield from _turned_round(*_profile(solid))


def _profile(solid: DrawnSolid) -> tuple[Values, Values]:
    """Of a solid of revolution: points (radius, z) from bottom to top, and the scale of x, y, z."""
    s, one = solid.sizes, np.ones(3)
    if solid.kind in ("sphere", "ellipsoid"):
        angle = np.linspace(-np.pi / 2, np.pi / 2, _ROUND // 2 + 1)
        scale = one * s[0] if solid.kind == "sphere" else np.asarray(s)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1), scale
    radius, half = s[0], s[1] / 2
    if solid.kind == "cylinder":
        return np.array([[0, -half], [radius, -half], [radius, half], [0, half]]), one
    if solid.kind == "roundcone":
        return np.array([[0, -half], [radius, -half], [0, half]]), one
    angle = np.linspace(0, np.pi / 2, _ROUND // 4 + 1)
    cap = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1) + [0, half]
    return np.concatenate([(cap * [1, -1])[::-1], cap]), one


def _turned_round(profile: Values, scale: Values) -> Iterator[Values]:
    angles = np.linspace(0, 2 * np.pi, _ROUND + 1)
    rings = np.array([[[r * np.cos(a), r * np.sin(a), z] for a in angles] for r, z in profile]) * scale
    for below, above in itertools.pairwise(rings):
        for i in range(_ROUND):
            yield np.array([below[i], below[i + 1], above[i + 1], above[i]])


_LINES = 8  # of a plane about as wide as what moves, in each direction


def ruled(planes: Sequence[Values], low: Values, high: Values, eye: Values) -> list[Values]:
    """Segments (2, 3) of the planes that are seen from far away in the direction ``eye``, around a box.

    ``planes`` (4,) each: normal n and offset o, bodies where n . x >= o; ``low``, ``high`` are corners of the box.
    """
    size = float(np.linalg.norm(high - low))
    halves = [plane / np.linalg.norm(plane[:3]) for plane in planes]
    walls = [h for h in halves if np.where(h[:3] > 0, low, high) @ h[:3] > h[3] - 0.05 * size]
    spacing = 2.0 ** np.ceil(np.log2(size)) / _LINES
    found: list[Values] = []
    for half in halves:
        normal = half[:3]
        if normal @ eye < -1e-3:
            continue
        others = [w for w in walls if w[:3] @ normal < 0.999]
        sides = [a for a in np.eye(3) if abs(a @ normal) < 0.5]
        box = [np.append(a, a @ low - 0.1 * size) for a in sides]
        box += [np.append(-a, -(a @ high) - 0.1 * size) for a in sides]
        level = np.cross([0.0, 0.0, 1.0], normal) if abs(normal[2]) < 0.999 else np.array([1.0, 0.0, 0.0])
        level /= np.linalg.norm(level)
        steep = np.cross(normal, level)
        both = abs(normal[2]) > 0.5 or normal @ eye < 1e-3  # of a wall level lines will do, unless it is a line itself
        for along, across in ((level, steep), (steep, level))[: 1 + both]:
            middle = across @ (low + high) / 2
            for k in np.arange(np.floor((middle - size) / spacing), np.ceil((middle + size) / spacing) + 1):
                foot = normal * half[3] + across * k * spacing
                found += _within(foot, along, [*others, *box])
    return found


def _within(foot: Values, along: Values, halves: Sequence[Values]) -> list[Values]:
    """The part of a line that lies in all half spaces, as none or one segment."""
    least, most = -np.inf, np.inf
    for half in halves:
        slope, room = float(half[:3] @ along), float(half[:3] @ foot - half[3])
        if abs(slope) < 1e-12:
            if room < 0.0:
                return []
        elif slope > 0.0:
            least = max(least, -room / slope)
        else:
            most = min(most, -room / slope)
    return [np.array([foot + least * along, foot + most * along])] if least < most < np.inf and least > -np.inf else []
