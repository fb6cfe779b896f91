"""Everything that a family, a relation, a law or a scheme of one's own is made of (``docs/how-to/extend.md``).

================  ================================================================================================
to write a        start from
================  ================================================================================================
family            :class:`System`: describe it as a :class:`SystemClass`, or with the words of a known family:
                  :func:`first_order_class`, :func:`mechanical_class`
relation          :class:`Relation`, :class:`OutputRelation`, or :class:`nsdgen.Contact`; described by
                  :class:`RelationClass`, :class:`OutputClass`, :class:`GapClass`
law               :class:`Law`: rows, and a :class:`Cone` with bounds or a natural map
scheme            :class:`Scheme`, which states a :class:`SystemStep` and a :class:`RelationStep`
================  ================================================================================================

In expressions of a scheme, ``STEP`` is h, ``T_K`` and ``T_NEXT`` the ends of the step, ``MODE`` the mode of a relation,
and :class:`Branch` a choice that is differentiated branch by branch.
"""

from nsdgen.abi import Cone
from nsdgen.schemes.participant_step import ParticipantStep
from nsdgen.schemes.program import Cut, Newton, Repeat, StageOptions
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.scheme import Scheme, option
from nsdgen.schemes.stages import MODE, STEP, T_K, T_NEXT, Completion
from nsdgen.schemes.system_step import Instant, SystemStep, blend
from nsdgen.symbolic.expressions.entry import column, enter_matrix, own_symbol
from nsdgen.symbolic.expressions.nodes import Branch, let
from nsdgen.symbolic.expressions.scope import Scope, function_symbols
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.configuration import Configuration, PositionAndQuaternion
from nsdgen.symbolic.families.first_order import first_order_class
from nsdgen.symbolic.families.mechanical import mechanical_class
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.families.system_class import SystemClass, Term, Variables
from nsdgen.symbolic.laws.law import Law, Slot, coefficient
from nsdgen.symbolic.relations.gap_class import GapClass
from nsdgen.symbolic.relations.output_relation import OutputClass, OutputRelation
from nsdgen.symbolic.relations.relation import Place, Relation
from nsdgen.symbolic.relations.relation_class import Participant, RelationClass

__all__ = [
    "MODE",
    "NOW",
    "STEP",
    "T_K",
    "T_NEXT",
    "Branch",
    "Completion",
    "Cone",
    "Configuration",
    "Cut",
    "GapClass",
    "Instant",
    "Law",
    "Newton",
    "OutputClass",
    "OutputRelation",
    "Participant",
    "ParticipantStep",
    "Place",
    "PositionAndQuaternion",
    "Relation",
    "RelationClass",
    "RelationStep",
    "Repeat",
    "Scheme",
    "Scope",
    "Slot",
    "StageOptions",
    "System",
    "SystemClass",
    "SystemStep",
    "Term",
    "Variables",
    "blend",
    "coefficient",
    "column",
    "enter_matrix",
    "first_order_class",
    "function_symbols",
    "let",
    "mechanical_class",
    "option",
    "own_symbol",
]
