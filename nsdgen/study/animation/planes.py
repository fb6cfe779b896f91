"""Planes of a film: ground and walls, each ruled with lines that end where others cut it off (as ``planes.js``)."""

from collections.abc import Sequence

import numpy as np

from nsdgen.study.animation.picture import Values

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
