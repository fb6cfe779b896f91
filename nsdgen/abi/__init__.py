"""The binary interface between generated modules and the runtime, seen from Python.

The C side is ``nsdgen/abi/include/nsdgen_abi.h``; a test ties the two together. Nothing is
imported here: both the symbolic side and the runtime may read this file.
"""

from enum import IntEnum

MAJOR = 3  # another layout of kernels or record: what was compiled for one is refused by the other
MINOR = 0  # what was added since: an older module loads all the same
CAPSULE = "nsdgen.abi"
"""Name of the capsule that a generated module holds as ``__nsdgen__``."""


class Role(IntEnum):
    """What an array that a kernel reads holds; ``1 << role`` is its bit in ``depends``."""

    UNKNOWN = 0
    MULTIPLIER = 1
    STATE = 2
    MEMORY = 3
    FROZEN_STEP = 4
    FROZEN_ITERATION = 5
    TIME = 6
    RUN = 7
    PARAMETERS = 8
    MODE = 9
    INITIAL = 10
    OPERAND = 11


_OF_ITERATIONS = 1 << Role.UNKNOWN | 1 << Role.MULTIPLIER | 1 << Role.FROZEN_ITERATION
_OF_STEPS = 1 << Role.STATE | 1 << Role.MEMORY | 1 << Role.TIME | 1 << Role.MODE


def level_of(depends: int, frozen: int = 1) -> int:
    """How often a value with these dependences changes: 0 per run, 1 per step, 2 per iteration.

    ``frozen`` is how often what the step freezes does.
    """
    if depends & _OF_ITERATIONS:
        return 2
    return 1 if depends & _OF_STEPS else frozen if depends >> Role.FROZEN_STEP & 1 else 0


class Quantity(IntEnum):
    """What an array that a kernel writes holds."""

    OPERATOR = 0
    RESIDUAL = 1
    ITERATION_MATRIX = 2
    OUTPUT = 3
    OUTPUT_X = 4
    OUTPUT_LAMBDA = 5
    REACTION = 6
    REACTION_X = 7
    REACTION_LAMBDA = 8
    UNKNOWN = 9
    STATE = 10
    MEMORY = 11
    OBSERVED = 12
    MODE = 13
    FROZEN_STEP = 14
    FROZEN_ITERATION = 15
    VIOLATION = 16
    PARAMETERS = 17
    BOUNDS = 18
    CUT = 19
    SKIP = 20
    RESIDUAL_SCALE = 21
    OUTPUT_SCALE = 22
    REACTION_SCALE = 23


class KernelRole(IntEnum):
    """When the stepper calls a kernel. Unknown roles are ignored by the runtime."""

    OPERATOR = 0
    RESIDUAL = 1
    LINEARIZE = 2
    EVALUATE = 3
    START = 4
    INITIAL = 5
    ADVANCE = 6
    OBSERVE = 7
    ACTIVATION = 8
    FREEZE_STEP = 9
    FREEZE_START = 10
    FREEZE_ITERATION = 11
    VIOLATION = 12
    ARGUMENTS = 13
    BOUNDS = 15
    INITIAL_MEMORY = 16
    ENTRY = 17
    SKIP = 18
    CUT = 19


class Flag(IntEnum):
    """Facts about an output array that the runtime acts on, proved by the derivation."""

    VANISHES = 1
    """Zero wherever the multiplier is: a relation out of play need not be evaluated."""
    AFFINE = 2
    """Affine in unknowns and multipliers, without jumps, and its derivatives here are exact."""


class Play(IntEnum):
    """What an activation says of its relation; further modes are in play as well."""

    OUT = 0
    IN = 1
    AT_REST = 2
    """In play beside others; where nothing else is, there is nothing to solve for."""


class ClassKind(IntEnum):
    """What a class of kernels describes."""

    SYSTEM = 0
    RELATION = 1
    MODEL = 2


class Cone(IntEnum):
    """The cone that a block of multiplier rows lives in; rows of a friction block: normal first.

    What a block takes from the bounds of its relation, block after block: BOX lower and upper
    bound of each row, COULOMB_2D and COULOMB_3D the friction coefficient, ROLLING the friction and
    the rolling friction coefficient, TRACED restitution, stiffness and exponent of each row, the others nothing.
    """

    EQUALITY = 0
    COMPLEMENTARITY = 1
    BOX = 2
    """-y in N_[l,u](lambda), row by row."""
    COULOMB_2D = 3
    """Normal and tangent: 2 rows."""
    COULOMB_3D = 4
    """Normal and two tangents: 3 rows."""
    ROLLING = 5
    """Normal, two tangents, two rolling moments: 5 rows."""
    TRACED = 6
    """Contacts that share one impact, traced along its impulses with all others; beside them only EQUALITY."""


NO_SLIP = 1e100
"""A friction coefficient from which on nothing slides; the range of an argument that may be infinite ends here."""


def bound_count(cone: int, rows: int) -> int:
    """How many bounds a block of so many rows in a cone takes from its relation's bounds kernel."""
    return {Cone.BOX: 2 * rows, Cone.COULOMB_2D: 1, Cone.COULOMB_3D: 1, Cone.ROLLING: 2, Cone.TRACED: 3 * rows}.get(
        Cone(cone), 0
    )


def block_height(cone: int, rows: int) -> int:
    """How many rows a block of this cone has: as many as it is given, but one contact for the cones of friction."""
    return {Cone.COULOMB_2D: 2, Cone.COULOMB_3D: 3, Cone.ROLLING: 5}.get(Cone(cone), rows)
