"""Polyhedra: volume, centre of mass and inertia of closed surfaces of triangles, flat faces of hulls."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import ModelError

__all__ = ["filled", "flat_faces"]

_FLAT = 1e-9
"""Of the sine of the angle between triangles of one face, and of the size of a hull."""

_MOST_CORNERS = 64
"""Of a face: as many as ``_supports.pxd`` has room for."""

_Numbers = NDArray[np.float64]
_Whole = NDArray[np.intp]


def filled(vertices: _Numbers, faces: NDArray[np.int_]) -> tuple[float, _Numbers, _Numbers]:
    """Volume [m^3], centre of mass [m], inertia [m^2] about it of unit mass (3, 3), of a closed surface of triangles.

    Each triangle makes a tetrahedron with a middle place; signs make what is counted twice vanish.
    """
    middle = vertices.mean(axis=0)
    corners = (vertices - middle)[faces]
    six = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    volume = float(six.sum()) / 6
    summed = corners.sum(axis=1)
    centre = six @ summed / 24 / volume
    second = np.einsum("i,ij,ik->jk", six, summed, summed)  # of a tetrahedron with its fourth corner at 0
    second += np.einsum("i,ikj,ikl->jl", six, corners, corners)
    second = second / 120 / volume - np.outer(centre, centre)
    return volume, middle + centre, np.trace(second) * np.eye(3) - second


def flat_faces(vertices: _Numbers, faces: NDArray[np.int_], where: str) -> tuple[_Whole, _Whole, _Numbers]:
    """The faces of a convex hull: where the loop of each starts, all loops, normals; triangles in a plane are one.

    Loops run counterclockwise seen from outside. Raises ``ModelError`` for faces with too many corners.
    """
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    size = float(np.abs(vertices - vertices[0]).max())
    heights = np.einsum("ij,ij->i", normals, a)
    left, loops, starts, found = set(range(len(faces))), [], [0], []
    while left:
        first = min(left)
        others = np.array(sorted(left))
        same = (normals[others] @ normals[first] > 0) & (
            np.linalg.norm(np.cross(normals[others], normals[first]), axis=1) < _FLAT
        )
        same &= np.abs(heights[others] - heights[first]) < _FLAT * size
        group = [first, *(k for k in others[same].tolist() if k != first)]
        left -= set(group)
        loop = _loop(faces[group])
        if len(loop) > _MOST_CORNERS:
            raise ModelError(
                f"has a face with {len(loop)} corners",
                where=where,
                fix=f"give at most {_MOST_CORNERS}, or a cylinder where it is meant to be round",
            )
        loops.extend(loop)
        starts.append(len(loops))
        found.append(normals[first])
    return np.array(starts), np.array(loops), np.array(found)


def _loop(triangles: NDArray[np.int_]) -> list[int]:
    """The edge of triangles in a plane, as one loop."""
    edges = {(int(t[k]), int(t[(k + 1) % 3])) for t in triangles for k in range(3)}
    following = {i: j for i, j in edges if (j, i) not in edges}
    first = min(following)
    loop = [first]
    while following[loop[-1]] != first:
        loop.append(following[loop[-1]])
    return loop
