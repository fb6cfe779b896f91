"""Options of Newton's method within one stage of a step."""

from dataclasses import dataclass
from math import inf

from nsdgen.base.checks import MOST_COUNTED, check_choices, choice, finite_number, whole_number
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ParameterError


@named_arguments
@dataclass(frozen=True)
class Newton:
    """When Newton's method stops and what happens when it does not.

    ``tolerance`` is relative: every row of the residual and of the law's natural map is
    divided by the magnitude of its own terms. ``measure="dynamics"`` tests the residual
    only. ``measure="absolute"`` tests, in its own unit, the Euclidean norm of the residual of each system, the
    reactions being those of the iteration: what it froze is not taken anew. Laws are not looked at, so
    that gradients may be those of the last iterate but one; any tolerance above 0 will do.
    ``fixed_iterations`` makes exactly that many iterations without a test (an affine
    stage needs, and makes, one).
    ``on_limit="keep"`` accepts the last iterate of the full steps at ``max_iterations`` (the column ``kept``
    in the trajectory shows it). ``line_search="on_failure"`` retries a step that did not
    converge with backtracking on the largest scaled row; fixed iterations never do.
    """

    tolerance: float = 1e-11
    max_iterations: int = 50
    measure: str = choice("all", "dynamics", "absolute")
    fixed_iterations: int | None = None
    on_limit: str = choice("raise", "keep")
    line_search: str = choice("on_failure", "never")

    def __post_init__(self) -> None:
        object.__setattr__(self, "tolerance", finite_number(self.tolerance, where="Newton, tolerance"))
        absolute = self.measure == "absolute"
        if not 0 < self.tolerance < (inf if absolute else 1):
            raise ParameterError(
                f"Newton tolerance {self.tolerance} lies outside (0, {'oo' if absolute else 1})",
                fix="give it in the unit of the residual"
                if absolute
                else "it is relative to the terms of each row; 1e-11 is the default",
            )
        for name in ("max_iterations", "fixed_iterations"):
            if (count := getattr(self, name)) is not None or name == "max_iterations":
                object.__setattr__(self, name, whole_number(count, 1, MOST_COUNTED, where=f"Newton, {name}"))
        check_choices(self, "Newton")
