"""The stages of a model: those of its schemes, one after the other.

No relation joins systems under different schemes, so their stages are independent of each other. Schemes
with the same stages (two that differ in theta, say) share them; all others keep their own, with their own
Newton options. What depends on run values, when a stage is skipped, is a scheme's own as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self, TypeVar

import sympy as sp

from nsdgen.abi import KernelRole, Quantity, Role
from nsdgen.derive.kernel import Input, Kernel, make_kernel, make_output
from nsdgen.errors import DerivationError
from nsdgen.record.model_record import RepeatRecord, StageRecord
from nsdgen.schemes.own_steps import block_stages
from nsdgen.schemes.program import Repeat, StageOptions, flat
from nsdgen.schemes.scheme import Scheme
from nsdgen.schemes.stages import T_K, T_NEXT
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.nodes import Branch

T = TypeVar("T")
Item = StageOptions | Repeat


@dataclass
class StageProgram:
    """``places[i][k]`` is the number in the model of stage k of scheme i, blocks after the schemes.

    ``skips`` are kernels that skip stages.
    """

    stages: tuple[StageRecord, ...] = ()
    repeats: tuple[RepeatRecord, ...] = ()
    places: tuple[tuple[int, ...], ...] = ()
    skips: tuple[Kernel, ...] = ()
    _members: list[list[int]] = field(default_factory=list)
    _options: list[StageOptions] = field(default_factory=list)

    @classmethod
    def of(cls, schemes: Sequence[Scheme], blocks: Sequence[str] = ()) -> Self:
        """The stages of these schemes, in order; then those of the blocks: first all sample, then each computes."""
        program = cls()
        known: dict[tuple[Item, ...], tuple[int, ...]] = {}
        for i, scheme in enumerate(schemes):
            steps = tuple(item for item in scheme.stages if not _own(item))
            if steps not in known or any(item.skip_if is not None for item in flat(steps)):
                known[steps] = program._enter(steps)
            shared = iter(known[steps])
            program.places += (
                tuple(
                    number
                    for item in scheme.stages
                    for number in (program._enter((item,)) if _own(item) else [next(shared) for _ in flat((item,))])
                ),
            )
            for number in program.places[-1]:
                program._members[number].append(i)
        first = len(program._options)
        for part in zip(*(block_stages(name) for name in blocks), strict=True):
            program._enter(part)
        program.places += tuple((first + b, first + len(blocks) + b) for b in range(len(blocks)))
        owners = [None] * first + 2 * list(range(len(blocks)))
        program.stages = tuple(map(_record, program._options, program._members, owners))
        program.skips = tuple(
            _skip(k, o, schemes[program._members[k][0]])
            for k, o in enumerate(program._options)
            if o.skip_if is not None
        )
        return program

    def spread(self, scheme: int, values: Sequence[T], empty: T) -> tuple[T, ...]:
        """What belongs to the stages of a scheme as one entry for every stage of the model."""
        of_stage = dict(zip(self.places[scheme], values, strict=False))
        return tuple(of_stage.get(k, empty) for k in range(len(self.stages)))

    def _enter(self, items: Sequence[Item]) -> tuple[int, ...]:
        """New stages at the end of the model; their numbers."""
        first = len(self._options)
        for item in items:
            start = len(self._options)
            self._options += flat((item,))
            if isinstance(item, Repeat):
                self.repeats += (
                    RepeatRecord(
                        start,
                        len(self._options),
                        item.tolerance,
                        item.maximum,
                        item.minimum,
                        item.on_limit,
                        item.from_start,
                    ),
                )
        self._members += [[] for _ in range(len(self._options) - first)]
        return tuple(range(first, len(self._options)))


def _own(item: Item) -> bool:
    """Stages at the start are never shared: what a scheme starts from is its own business."""
    return isinstance(item, StageOptions) and item.at == "start"


def _record(o: StageOptions, schemes: Sequence[int], block: int | None) -> StageRecord:
    n = o.newton
    return StageRecord(  # a block has no scheme: it is told h by the first
        o.name,
        tuple(schemes) or (0,),
        n.tolerance,
        n.max_iterations,
        n.measure,
        n.fixed_iterations,
        n.on_limit,
        n.line_search,
        o.activation_at,
        o.at,
        o.skip_if is not None,
        o.without_relations,
        o.unique,
        block,
    )


def _skip(number: int, stage: StageOptions, scheme: Scheme) -> Kernel:
    """The kernel that says whether a stage is skipped; raises ``DerivationError`` for what it cannot read."""
    inputs = [Input("time", Role.TIME, (T_K, T_NEXT)), Input("run", Role.RUN, scheme.run)]
    value = sp.Matrix([Branch(sp.S.One, as_expression(stage.skip_if), sp.S.Zero, sp.true)])
    try:
        return make_kernel(
            f"skip_{number + 1}",
            KernelRole.SKIP,
            number,
            inputs,
            [make_output("skip", Quantity.SKIP, value)],
            f"whether stage {stage.name} is skipped",
        )
    except DerivationError as error:
        error.where, error.fix = (
            f"scheme {scheme.name}, stage {stage.name!r}, skip_if",
            "a condition on h, the options of the scheme, T_K and T_NEXT",
        )
        raise
