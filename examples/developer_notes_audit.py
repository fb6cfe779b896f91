"""The audit of the developer notes: 260 formulas of five documents, each stated as a claim and decided.

    nsdgen verify examples/developer_notes_audit.py --json FILE      one record per claim
    python examples/developer_notes_audit.py                         the table; status 0 when nothing has changed

A claim says what the notes say, not what they should say, and names the place. What is refuted comes with what would
be right, and that is decided as well. The verdicts are kept in docs/audit: a run is compared with them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from developer_notes import (
    contact_frame,
    contact_gradient,
    friction,
    lagrangian,
    lie_groups,
    moreau_jean,
    newton_euler,
    one_step_problem,
    projection,
    quartic,
    quaternion_body,
    quaternion_exponential,
    quaternion_rates,
    quaternions,
    theta_gamma,
    theta_gamma_full,
    variational,
)

from nsdgen.verify import Claim

__all__ = ["ORDER", "SUBJECTS", "VERDICTS", "claims"]

SUBJECTS = (
    newton_euler,  # NE: equations of a body, schemes, constraints
    quaternions,  # Q: algebra of quaternions and rotations
    quaternion_rates,  # Q: rates and angular velocities
    quaternion_exponential,  # Q: exponential and its differential
    contact_gradient,  # GR: gradient of a contact through the normalised quaternion
    contact_frame,  # CT: wrenches and velocities at a contact
    projection,  # PR: projection of positions
    quaternion_body,  # VI: a body with modified inertia
    variational,  # VI: a variational integrator with contact
    theta_gamma,  # TG: the standard theta-gamma scheme
    theta_gamma_full,  # TG: the full one
    lie_groups,  # SO: SO(3) and matrix Lie algebras
    lagrangian,  # LG, CF: Lagrangian systems, the cam follower
    moreau_jean,  # MJ, SP: Moreau-Jean and Schatzman-Paoli
    one_step_problem,  # OS: assembly of the one-step problem
    friction,  # AC: Alart-Curnier functions
    quartic,  # QF: the quartic of sliding friction
)

#: The families as the catalogue of formulas lists them, with the numbers of each run.
ORDER = (
    ("NE", 1, 17),
    ("Q", 1, 42),
    ("GR", 1, 11),
    ("CT", 1, 10),
    ("PR", 1, 2),
    ("CT", 11, 11),
    ("VI", 1, 53),
    ("TG", 1, 35),
    ("SO", 1, 28),
    ("LG", 1, 6),
    ("MJ", 1, 9),
    ("SP", 1, 6),
    ("CF", 1, 2),
    ("LG", 7, 8),
    ("OS", 1, 15),
    ("AC", 1, 9),
    ("QF", 1, 12),
)

VERDICTS = Path(__file__).resolve().parents[1] / "docs" / "audit" / "developer_notes_audit.verdicts"


def claims() -> list[Claim]:
    """All claims in the order of the catalogue; ``KeyError`` where a formula is not stated."""
    stated = {claim.id: claim for subject in SUBJECTS for claim in subject.claims}
    return [stated[f"{family}-{number:02}"] for family, first, last in ORDER for number in range(first, last + 1)]


if __name__ == "__main__":
    from nsdgen.cli.main import main

    sys.exit(main(["verify", __file__, *sys.argv[1:], "--expect", str(VERDICTS)]))
