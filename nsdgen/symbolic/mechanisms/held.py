"""Joints of a tree that equations hold: what they keep are coordinates, too, so that their forces are multipliers.

A bearing rubs under the force of its joint, and the force of a joint is a column of the run only where something solves
for it. So such a joint gets all six motions. Those that it keeps are small, and zero up to what a scheme leaves.
"""

from dataclasses import dataclass

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.joints.freedom import BallMotion, Chain, JointMotion


@dataclass(frozen=True)
class HeldMotion(JointMotion):
    """A motion along or about an axis that the equations of the joint hold at zero."""


def with_held(chain: Chain, where: str) -> Chain:
    """The motions of a joint and those that it keeps: first ways, then turns, beside the first turn of its own.

    There no three axes of turns lie in a plane while the joint holds. Raises ``ModelError`` where no axes of the
    joint's frame are at right angles to those about which it turns.
    """
    slid = {m.axis for m in chain if isinstance(m, JointMotion) and m.turn == 0}
    ways = tuple(HeldMotion(f"off_{'xyz'[i]}", i, slide=sp.S.One) for i in range(3) if i not in slid)
    if any(isinstance(m, BallMotion) for m in chain):
        return (*ways, *chain)
    frame, here, first = sp.eye(3), sp.eye(3), len(chain)
    directions: list[sp.Matrix] = []
    for k, motion in enumerate(chain):
        if isinstance(motion, sp.MatrixBase):
            frame = frame * motion
        elif isinstance(motion, JointMotion) and motion.turn != 0:
            if not directions:
                first, here = k + 1, frame
            directions.append(frame[:, motion.axis])
    if not directions:
        here = frame
    left = [i for i in range(3) if all(here[:, i].dot(d) == 0 for d in directions)]
    if len(left) + len(directions) != 3:
        raise ModelError(
            "no axis of its frame is at right angles to those about which it turns: its moments are not known",
            where=where,
            fix="write this model with the bodies and joints themselves",
        )
    turns = tuple(HeldMotion(f"tilt_{'xyz'[i]}", i, turn=sp.S.One) for i in left)
    return (*ways, *chain[:first], *turns, *chain[first:])
