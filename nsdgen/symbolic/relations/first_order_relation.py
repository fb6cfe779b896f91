"""Relations on first-order systems."""

from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.families.copies import SystemCopy, prototype_of
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.relations.output_relation import OutputRelation


@named_arguments
class FirstOrderRelation(OutputRelation):
    """y = h(t, x, lambda) with r_i = g_i(t, x, lambda) added to the right-hand side of first-order system i.

    The arguments are those of :class:`~nsdgen.symbolic.relations.output_relation.OutputRelation`.
    """

    def reaction_rows(self, system: System | SystemCopy, where: str) -> int:
        """The number of states; raises ``ModelError`` for a system with velocities besides."""
        if len(system.functions) != prototype_of(system).equations:
            raise ModelError(
                f"reacts on {system.name!r}, which is not a first-order system",
                where=where,
                fix="use nsd.Contact or nsd.Bilateral for mechanical systems, or nsd.OutputRelation",
            )
        return prototype_of(system).equations
