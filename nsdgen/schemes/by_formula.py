"""Forces and terms by formula, without multipliers: weighed between the ends of a step like those of systems."""

from __future__ import annotations

from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP

__all__ = ["weighed_by_formula"]


def weighed_by_formula(step: RelationStep) -> None:
    """rho = h theta g(t_next) + h (1 - theta) g(t_k), with the option ``theta`` of the scheme."""
    theta = step.options.theta
    step.reaction(
        *(
            STEP * (theta * late + (1 - theta) * early)
            for late, early in zip(step.reactions(step.end), step.reactions(step.last), strict=True)
        )
    )
    step.observe_own("force")
    step.formulas(output="rho = h theta g(t_next, q, v) + h (1 - theta) g(t_k, q_k, v_k)", observe="force at t_next")
