"""Polyhedra: volume, centre of mass and inertia of closed surfaces of triangles, flat faces of hulls."""

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import ModelError

_FLAT = 1e-9
"""Of the sine of the angle between triangles of one face, and of the size of a hull."""

_THIN = 1e-12
"""Of the square of the longest edge: a triangle with less area has no normal."""

_RIDGE = 1e-6
"""Sine of the angle by which a surface turns away at an edge, so that it is one."""

_MOST_CORNERS = 64
"""Of a face: as many as ``_supports.pxi`` has room for."""

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
    left, loops, starts, found = np.arange(len(faces)), [], [0], []
    while len(left):
        first = left[0]
        same = (normals[left] @ normals[first] > 0) & (
            np.linalg.norm(np.cross(normals[left], normals[first]), axis=1) < _FLAT
        )
        same &= np.abs(heights[left] - heights[first]) < _FLAT * size
        same[0] = True  # also one without an area, and no normal
        group, left = left[same], left[~same]
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


# -- surfaces -----------------------------------------------------------------------------------


def together(vertices: _Numbers, faces: NDArray[np.int_], where: str) -> tuple[_Numbers, NDArray[np.int_]]:
    """Vertices, each once, and the faces over them: files that list triangles repeat them."""
    if not len(faces) or not np.isfinite(vertices).all():
        raise ModelError(
            "has no faces, or vertices that are not finite", where=where, fix="give a surface of triangles"
        )
    own, number = np.unique(vertices, axis=0, return_inverse=True)
    return own, number.reshape(-1)[faces]


def normals_of(vertices: _Numbers, faces: NDArray[np.int_], where: str) -> _Numbers:
    """Unit normals of triangles; raises ``ModelError`` for those that have no area."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    found = np.cross(b - a, c - a)
    area = np.linalg.norm(found, axis=1)
    longest = np.max([((p - q) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0)
    thin = np.flatnonzero(area <= _THIN * longest)
    if len(thin):
        raise ModelError(
            f"{len(thin)} of {len(faces)} triangles have no area, the first is number {thin[0]}",
            where=where,
            fix="leave them out, and merge vertices that are meant to be one",
        )
    normals: _Numbers = found / area[:, None]
    return normals


def _edges(faces: NDArray[np.int_]) -> dict[tuple[int, int], tuple[int, int]]:
    """Of each directed edge its face and number there."""
    return {(int(f[k]), int(f[(k + 1) % 3])): (i, k) for i, f in enumerate(faces) for k in range(3)}


def check_closed(faces: NDArray[np.int_]) -> str | None:
    """Why a surface of triangles is not closed; None where it is."""
    edges = _edges(faces)
    if len(edges) < 3 * len(faces):
        return f"{3 * len(faces) - len(edges)} edges are run through twice in one direction"
    alone = [edge for edge in edges if edge[::-1] not in edges]
    return f"{len(alone)} edges have a triangle on one side alone" if alone else None


def is_convex(faces: NDArray[np.int_], normals: _Numbers, beyond: _Numbers) -> bool:
    """Whether a closed surface is in one piece and without holes, and turns inwards at no edge but by rounding."""
    ends = len(np.unique(faces)) - faces.size // 2 + len(faces)  # Euler's number: 2 of a surface like that of a ball
    return ends == 2 and bool((np.einsum("ikj,ij->ik", beyond, normals) > -_RIDGE).all())


def around_edges(
    vertices: _Numbers, faces: NDArray[np.int_], normals: _Numbers, where: str
) -> tuple[NDArray[np.intc], _Numbers]:
    """What is beyond each edge of faces: 0 the same plane or a hollow, 1 a ridge, 2 nothing; and the way there.

    That is the direction in the neighbour's plane away from it. Raises ``ModelError`` where edges run twice one way.
    """
    edges = _edges(faces)
    if len(edges) < 3 * len(faces):
        raise ModelError(
            f"{3 * len(faces) - len(edges)} edges belong to two faces that run through them in one direction",
            where=where,
            fix="let all faces run counterclockwise seen from outside, and two meet at an edge at most",
        )
    kind, out = np.full((len(faces), 3), 2, dtype=np.intc), np.zeros((len(faces), 3, 3))
    for (i, j), (face, k) in edges.items():
        beyond = edges.get((j, i))
        if beyond is None:
            continue
        along = vertices[i] - vertices[j]  # as the neighbour runs
        away = np.cross(along / np.linalg.norm(along), normals[beyond[0]])
        kind[face, k], out[face, k] = away @ normals[face] > _RIDGE, away
    return kind, out


def box_tree(vertices: _Numbers, faces: NDArray[np.int_]) -> tuple[_Numbers, NDArray[np.intc]]:
    """Boxes (2 l, 6) around triangles, by twos along a curve that fills space (Morton), and the face of each leaf."""
    corners = vertices[faces]
    low, high = corners.min(axis=1), corners.max(axis=1)
    middle = (low + high) / 2
    size = float(np.ptp(middle, axis=0).max()) or 1.0
    cell = ((middle - middle.min(axis=0)) / size * 1023).astype(np.int64)
    code = np.zeros(len(faces), dtype=np.int64)
    for bit in range(10):
        for axis in range(3):
            code |= (cell[:, axis] >> bit & 1) << (3 * bit + axis)
    order = np.argsort(code, kind="stable")
    leaves = 1 << max(0, len(faces) - 1).bit_length()
    boxes = np.tile([np.inf] * 3 + [-np.inf] * 3, (2 * leaves, 1))
    boxes[leaves : leaves + len(faces)] = np.hstack([low, high])[order]
    first = leaves // 2
    while first:
        pairs = boxes[2 * first : 4 * first].reshape(first, 2, 6)
        boxes[first : 2 * first, :3], boxes[first : 2 * first, 3:] = (
            pairs[..., :3].min(axis=1),
            pairs[..., 3:].max(axis=1),
        )
        first //= 2
    faces_of = np.zeros(leaves, dtype=np.intc)
    faces_of[: len(faces)] = order
    return boxes, faces_of
