"""The cones of a relation, row by row and with the places of their bounds, as the solvers want them."""

from collections.abc import Iterable

from nsdgen.abi import Cone

FOLLOWS = -1  # the cone of a row that belongs to the block that began above it

Cones = Iterable[tuple[int, int]]


def cones_of(cones: Cones) -> list[int]:
    """The cone of each row; of a block of friction rows its first one bears it, the others follow."""
    rows: list[int] = []
    for cone, count in cones:
        whole = Cone.COULOMB_2D <= cone <= Cone.ROLLING
        rows += [cone] + [FOLLOWS] * (count - 1) if whole else [cone] * count
    return rows


def bounds_of(cones: Cones) -> list[int]:
    """For each value that a bounds kernel writes, its place among two values for each row.

    A box row has a lower and an upper bound, friction one coefficient, with rolling two, all
    in the places of the block's first row. A relation of traced impacts has three values for each row instead.
    """
    places: list[int] = []
    row = 0
    for cone, count in cones:
        if cone == Cone.BOX:
            places += range(2 * row, 2 * (row + count))
        elif cone in (Cone.COULOMB_2D, Cone.COULOMB_3D):
            places.append(2 * row)
        elif cone == Cone.ROLLING:
            places += [2 * row, 2 * row + 1]
        elif cone == Cone.TRACED:
            places += range(3 * row, 3 * (row + count))
        row += count
    return places
