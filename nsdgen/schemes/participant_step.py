"""A system as a relation of the scheme sees it in one stage of the step."""

from dataclasses import dataclass

import sympy as sp

from nsdgen.errors import DerivationError
from nsdgen.schemes.stages import DiscreteSystem, SystemStage
from nsdgen.schemes.stated_columns import one_of
from nsdgen.symbolic.relations.relation_class import Participant


@dataclass(frozen=True)
class ParticipantStep:
    """A participant in one stage: its class as the relation sees it and its step, in the same symbols."""

    participant: Participant
    scheme: DiscreteSystem
    number: int
    where: str = ""

    @property
    def stage(self) -> SystemStage:
        """The participant's own stage; raises ``DerivationError`` where it has none."""
        found = self.scheme.stages[self.number]
        if found is None:
            raise DerivationError(
                "a relation in a stage that its system sits out",
                where=f"system class {self.participant.system.name!r}",
                fix="state the system's unknowns in this stage",
            )
        return found

    @property
    def unknown(self) -> sp.Matrix:
        """The unknowns of the stage."""
        return sp.Matrix(self.stage.unknown)

    def state(self, name: str) -> sp.Matrix:
        """A group of the carried state, by the name the scheme gave it; raises ``DerivationError`` for others."""
        symbols = one_of(self.scheme.groups, name, "state", self.where)
        return sp.Matrix(len(symbols), 1, symbols)

    @property
    def states_k(self) -> sp.Matrix:
        """The first-order states behind the velocities v_k, maybe none."""
        v_k = self.state("v_k")
        return v_k[v_k.rows - self.participant.system.configuration.states :, :]

    def moved(self, twist: sp.Matrix) -> sp.Matrix:
        """q_k moved by a twist."""
        return sp.Matrix(self.participant.system.configuration.moved(list(self.state("q_k")), list(twist)))

    def group(self, role: str) -> tuple[sp.Symbol, ...]:
        """The class's own symbols of a group."""
        return self.participant.group(role)
