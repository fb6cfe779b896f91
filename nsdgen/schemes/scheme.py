"""Schemes: time discretisations, each a symbolic transformation stated in a few lines.

A scheme is a frozen dataclass. Its numeric options are fields made by :func:`option`; ``system`` and ``relation`` state
the step of a class through :class:`~nsdgen.schemes.system_step.SystemStep` and
:class:`~nsdgen.schemes.relation_step.RelationStep`. Everything else (Jacobians, code, the stepper) is generic.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import sympy as sp

from nsdgen.base.checks import check_choices, check_complete, check_dataclass, real_number
from nsdgen.errors import ParameterError
from nsdgen.schemes.program import Newton, Repeat, StageOptions, flat
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP, DiscreteRelation, DiscreteSystem, SchemeOption, SystemStage
from nsdgen.schemes.system_step import SystemStep
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.families.system_class import SystemClass
from nsdgen.symbolic.relations.relation_class import RelationClass


def _plain(value: Any) -> Any:
    """A number of any kind (NumPy's, SymPy's, a fraction) as one of Python's; what is none as it is, for ``check``."""
    try:
        return value if type(value) in (int, float) else real_number(value)
    except (TypeError, ValueError):
        return value


def option(default: float | None, low: float, high: float) -> Any:
    """The field of a numeric option of a scheme: a run value in [low, high], changed without recompiling.

    ``None`` where the scheme leaves it out of its ``options`` unless it is given.
    """
    return field(default=default, metadata={"range": (low, high)})


@dataclass(frozen=True)
class Scheme(ABC):
    """A time discretisation. Subclasses are frozen dataclasses; ``newton`` are the options of Newton's method."""

    separates_impacts: ClassVar[bool] = False
    """Whether impacts have a stage of their own, in which no force acts, as ``instantaneous`` laws want it."""

    newton: Newton = field(default_factory=Newton, kw_only=True)

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """The bare scheme; raises ``ArgumentError`` without ``system``, ``ModelError`` where it is no dataclass."""
        check_complete(cls)
        check_dataclass(cls, Scheme, "scheme")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        self.check()

    @property
    def name(self) -> str:
        """The scheme's name as it appears in headers and files."""
        return type(self).__name__

    @property
    def options(self) -> tuple[SchemeOption, ...]:
        """Numeric options: run values, changed without recompiling."""
        bare = [name for name, value in vars(type(self)).items() if isinstance(value, dataclasses.Field)]
        if bare:
            raise ParameterError(
                f"{bare[0]} is no field yet",
                where=f"scheme {self.name}",
                fix="write @dataclass(frozen=True) above the class",
            )
        return tuple(
            SchemeOption(f.name, own_symbol("run", f.name), _plain(getattr(self, f.name)), *f.metadata["range"])
            for f in dataclasses.fields(self)
            if "range" in f.metadata
        )

    @property
    def stages(self) -> tuple[StageOptions | Repeat, ...]:
        """The stages and repeated groups in order; one stage, called ``step``, unless the scheme says otherwise."""
        return (StageOptions("step", self.newton),)

    @abstractmethod
    def system(self, step: SystemStep) -> None:
        """State the step of a class of systems."""

    def relation(self, step: RelationStep) -> None:
        """State the step of a class of relations between systems under this scheme; refuses all of them by default."""
        raise step.refused("this scheme is for systems without relations")

    @property
    def run(self) -> tuple[sp.Symbol, ...]:
        """The symbols of the run values in the order of the run array: h, then the options."""
        return (STEP, *(option.symbol for option in self.options))

    def discretise(self, cls: SystemClass) -> DiscreteSystem:
        """The step of a class of systems; raises ``ModelError`` where the scheme has none for it."""
        step = SystemStep(cls, self.name, self.options, [stage.name for stage in flat(self.stages)])
        self.system(step)
        found = step.finish()
        if cls.lent is None:
            return found
        # The equations are those of the class; Newton's matrix is regular, and what it solves for has rounding alone.
        mass = replace(cls.terms["mass"], values=cls.terms["mass"].values + cls.lent)
        heavier = self.discretise(replace(cls, terms={**cls.terms, "mass": mass}, lent=None))
        pairs = zip(found.stages, heavier.stages, flat(self.stages), strict=True)
        return replace(found, stages=tuple(_with_matrix_of(*pair) for pair in pairs))

    def discretise_relation(self, cls: RelationClass, participants: Sequence[DiscreteSystem]) -> DiscreteRelation:
        """The step of a class of relations; ``participants`` are renamed where there are several."""
        step = RelationStep(cls, self.name, self.options, [stage.name for stage in flat(self.stages)], participants)
        phases = cls.law.expansion is None or "expansion" in {stage.name for stage in flat(self.stages)}
        if cls.law.instantaneous and not (self.separates_impacts and phases):
            raise step.refused(
                f"{type(cls.law).__name__} is about impacts alone: use nsd.D1Minus or nsd.EventDriven, "
                "or the law nsd.NewtonImpact"
            )
        self.relation(step)
        return step.finish()

    def check(self) -> None:
        """Raise ``ParameterError`` for an unknown word, and an option outside its range or read by nothing."""
        check_choices(self, f"scheme {self.name}")
        read = {o.name for o in self.options}
        for f in dataclasses.fields(self):
            given = getattr(self, f.name)
            if "range" in f.metadata and f.name not in read and given != f.default:
                raise ParameterError(
                    f"{f.name}={given!r} would change nothing: the words beside it leave it out",
                    where=f"scheme {self.name}",
                    fix=f"leave {f.name} out, or see its page for the words with which it is used",
                )
        for o in self.options:
            if not isinstance(o.value, int | float) or isinstance(o.value, bool):
                raise ParameterError(
                    f"{o.name} = {o.value!r} is not a number",
                    where=f"scheme {self.name}",
                    fix="give a number; it may be changed run by run through options={...}",
                )
            if not o.min <= o.value <= o.max:
                raise ParameterError(
                    f"{o.name} = {o.value} lies outside [{o.min:g}, {o.max:g}]",
                    where=f"scheme {self.name}",
                    fix="give a value between these",
                )


def _with_matrix_of(stage: SystemStage | None, other: SystemStage | None, options: StageOptions) -> SystemStage | None:
    """A stage with Newton's matrix of another one; not where iterations are counted, for they need more with it."""
    if stage is None or other is None or options.newton.fixed_iterations or stage.residual == other.residual:
        return stage
    matrix = other.approximate_iteration_matrix
    if matrix is None:
        matrix = jacobian(other.residual, other.unknown)
    return replace(stage, approximate_iteration_matrix=matrix)
