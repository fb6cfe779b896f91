"""Failures of a step as errors: what the stepper left, in the words and with the names of the model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nsdgen.abi import Cone
from nsdgen.errors import NonFinite, NotConverged, SingularMatrix, SolverError, StepError
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.step_record import Layout, cut_names

_REASONS = {1: "infeasible", 2: "ray", 3: "inconsistent", 4: "not converged"}
_WORDS = {
    1: "no multiplier satisfies it together with the other relations in play",
    2: "pivoting left along a ray: no multiplier was found that satisfies it",
    3: "its equality contradicts the other relations",
    4: "no multiplier could be certified",
}
_GAPS = (
    "look for constraints that contradict each other, as a motor and a joint that holds what it turns, or a gap that "
    "cannot be kept, or a gap that has jumped in time or place, which no velocity closes, or something without mass "
    "about the axis it turns about; a mechanism that moves by its geometry "
    "alone jams once equations of velocities have let its joints part: take a scheme that holds positions as well "
    "(docs/how-to/mechanisms.md, 'Mechanisms that jam')"
)
_JAMS = (
    "what rubs, and what strikes or presses at the same instant, may leave no jump of velocities at all (Painleve's "
    "paradox where things strike): lower its coefficient, or what is to be given back; else look for constraints that "
    "contradict each other"
)
_PAINLEVE = (
    "while something that rubs slides there may be no finite forces at all (Painleve's paradox): lower its "
    "coefficient, or use a scheme that makes steps, which finds an impulse; else look for constraints that contradict "
    "each other"
)
_AT_ANOTHER_PLACE = (
    "choose nsd.Rattle(), or gradient_at='predicted' with positions held as well (docs/how-to/mechanisms.md, "
    "'Mechanisms that jam'): constraints then act along gradients that do not change with the iterate, which passes "
    "where they lose rank; or reduce the step"
)
_OUTPUTS = (
    "look for an output that its law wants where no multiplier can bring it: a source that forces a current against a "
    "diode, or a voltage across two of them, bounds that cross; a small resistance or conductance in the output often "
    "is what is missing"
)
_UNMOVED = (
    "its multiplier does not move this output: where multipliers act at the start of a step alone, none moves the "
    "states of its end. Give the output a term of its multiplier (a D, a small resistance or conductance), or have "
    "them act at its end, as a number of the scheme says"
)
_UNMOVED_START = "; at the start of a run the states are given: give initial values with which the law holds"
_LOOK = (
    "look for a division by zero, an overflow, a root or logarithm out of its range, or a derivative that is infinite "
    "there, as that of sqrt(Abs(x)) at 0"
)
_NAMED = 6  # relations that a message names: more are no help
ONE_STEP = 2  # of ``_data.pxd``'s codes
_REMEMBERED, _QUANTITY = 2, 3  # details of numbers that are not finite
_NONFINITE_PROBLEM = 5  # of the one-step solver's statuses


@dataclass(frozen=True)
class _StepFailure:
    """A failure of the stepper (``_data.pxd``) with the record that names what it is about, and when it was."""

    record: ModelRecord
    stage: int
    item: int
    row: int
    detail: int
    unmoved: bool
    value: float
    when: str
    step: int | None
    iteration: int
    seen: str

    @property
    def system(self) -> str:
        """The system that it is about."""
        return f"system {self.record.systems[self.item].name!r}"

    @property
    def relation(self) -> str:
        """The relation that it is about."""
        return f"relation {self.record.relations[self.item].name!r}"

    @property
    def unknown(self) -> str:
        """The unknown that it is about, by the name that its user gave it."""
        owner = self.record.systems[self.item]
        name = self.record.system_classes[owner.cls].unknown[self.stage][self.row]
        own = {theirs: ours for theirs, ours, _ in owner.own_labels}
        return f"unknown {f'{owner.name}.{own.get(name, name)}'!r}"

    @property
    def is_algebraic(self) -> bool:
        """Whether the system has algebraic equations."""
        return bool(self.record.system_classes[self.record.systems[self.item].cls].algebraic)

    @property
    def row_of(self) -> tuple[str, str]:
        """Whose row it is and which, where ``detail`` tells relations from systems."""
        return (self.relation, f"row {self.row}") if self.detail else (self.system, f"the row of {self.unknown}")

    def kernels(self, of_relation: bool) -> str:
        """The kernels whose numbers are asked for, by the names of the emitted text."""
        if of_relation:
            name = self.record.relation_classes[self.record.relations[self.item].cls].name
            return f"kernels evaluate and linearize of class {name!r}"
        return (
            f"kernels residual and linearize of class "
            f"{self.record.system_classes[self.record.systems[self.item].cls].name!r}"
        )

    @property
    def remedy(self) -> str:
        """What to do about a number that is not finite: a smaller step helps where an iteration led there only."""
        if self.iteration > 1:
            return f"Newton's method left for where it is not defined: reduce the step; {_LOOK}"
        if not self.step:
            return f"it is so for the initial values and parameters, and a smaller step does not mend it: {_LOOK}"
        return (
            f"it is so where the last step ended, and a smaller step only comes closer: {_LOOK}; "
            "nsd.Model(stop_when=...) ends a run before"
        )


def failure_error(
    record: ModelRecord, failure: Mapping[str, Any], time: float, step: int | None, seen: str = ""
) -> StepError:
    """The error for a failure of the stepper, with names; ``step`` is ``None`` at the start, ``seen`` is the state."""
    stage = record.stages[failure["stage"]].name
    begin = f"the start, t = {time:.9g}" if step is None else f"step {step + 1} from t = {time:.9g}"
    found = _StepFailure(
        record,
        failure["stage"],
        failure["item"],
        failure["row"],
        failure["detail"],
        bool(failure["unmoved"]),
        failure["value"],
        f"{begin}, stage {stage!r}, iteration {failure['iteration']}",
        step,
        failure["iteration"],
        seen,
    )
    error = _ERRORS[failure["code"]](found)
    error.model = record.name
    return error


def _singular(f: _StepFailure) -> StepError:
    if f.detail:
        return SingularMatrix(
            f"the iteration matrix W has no factors that are accurate enough at {f.when} (last column: {f.unknown})",
            where=f.system,
            fix="give the unknowns units in which they are of similar size",
        )
    return SingularMatrix(
        f"the iteration matrix W is singular at {f.when}: the column of {f.unknown} depends on those before it, "
        "and the rows of the relations in play do not determine it",
        where=f.system,
        fix="its mass may lose rank there, or its algebraic equations no longer determine what they are to: look at "
        "the trajectory so far"
        if f.is_algebraic
        else "check that the mass matrix is regular for these parameters (a joint that moves no mass, and that no "
        "relation drives, has none; nor has a thin rod that nothing keeps from turning about its axis), or "
        "change the step",
    )


def _one_step(f: _StepFailure) -> StepError:
    if f.detail == _NONFINITE_PROBLEM:
        return NonFinite(
            f"its coefficients are not finite at {f.when} ({f.kernels(True)}, or a W of its systems that "
            "is hardly regular)",
            where=f.relation,
            fix=f.remedy,
        )
    cls = f.record.relation_classes[f.record.relations[f.item].cls]
    of_gaps = cls.about_gaps or cls.pushes
    of_forces = f.record.stages[f.stage].at in ("rate", "event")
    of_motion = _rubbing(f) if of_forces and _rubs(f.record) else _beside(f) + _GAPS
    error = SolverError(
        f"the one-step problem has no solution at {f.when}: {_WORDS[f.detail]} (row {f.row}, residual "
        f"{f.value:.3g}){f.seen}",
        where=f.relation,
        fix=of_motion if of_gaps else _of_outputs(f),
    )
    error.reason, error.rows = _REASONS[f.detail], (f.row,)
    return error


def _of_outputs(f: _StepFailure) -> str:
    if not f.unmoved:
        return _OUTPUTS
    return _UNMOVED + _UNMOVED_START if f.step is None else _UNMOVED


def _beside(f: _StepFailure) -> str:
    """The relations that hold the same systems, which are where a contradiction is looked for first."""
    relations = f.record.relations
    held = set(relations[f.item].participants)
    beside = [repr(r.name) for r in relations if r is not relations[f.item] and held & set(r.participants)]
    if not beside:
        return ""
    names = ", ".join(beside[:_NAMED]) + (f" and {len(beside) - _NAMED} more" if len(beside) > _NAMED else "")
    return f"beside it {names} act on what it holds: "


def _rubbing(f: _StepFailure) -> str:
    """What may be wrong where something rubs: of events the last stage alone is about forces."""
    stages = [number for number, stage in enumerate(f.record.stages) if stage.at == "event"]
    return _JAMS if f.stage in stages[:-1] else _PAINLEVE


def _rubs(record: ModelRecord) -> bool:
    """Whether anything rubs: rows with bounds that other rows may give, or cones of several rows."""
    return any(cone >= Cone.BOX for c in record.relation_classes for stage in c.cones for cone, _ in stage)


def _not_converged(f: _StepFailure) -> StepError:
    place, what = f.row_of
    of_terms = "" if f.record.stages[f.stage].measure == "absolute" else " of its terms"
    return NotConverged(
        f"Newton's method did not converge: {what} is still off by {f.value:.3g}{of_terms} at {f.when}",
        where=place,
        fix=_AT_ANOTHER_PLACE
        if _turns_with_the_iterate(f)
        else "reduce the step, raise newton=nsd.Newton(max_iterations=...), take gradients where they do not "
        "change with the iterate if the scheme offers it (gradient_at='predicted'), or accept the state with "
        "on_limit='keep'",
    )


def _turns_with_the_iterate(f: _StepFailure) -> bool:
    """Whether constraints hold along gradients at the end of the step, which is what is looked for."""
    chosen = {choice for number in f.record.stages[f.stage].schemes for choice in f.record.schemes[number].choices}
    held = any(c.zero_rows for c in f.record.relation_classes)
    return held and ("gradient_at", "predicted") not in chosen and any(name == "gradient_at" for name, _ in chosen)


def _not_finite(f: _StepFailure) -> StepError:
    if f.detail in (_REMEMBERED, _QUANTITY):
        name = cut_names(f.record)[f.row] if f.detail == _QUANTITY else Layout.of(f.record).columns[f.row].name
        return NonFinite(f"{name} is no number after {f.when}", fix=f"reduce the step, or {_LOOK}")
    place, what = f.row_of
    return NonFinite(f"{what} is not finite at {f.when} ({f.kernels(bool(f.detail))})", where=place, fix=f.remedy)


def _rank_lost(f: _StepFailure) -> StepError:
    return NotConverged(
        f"constraints lose rank at {f.when} (pivot {f.value:.3g} of the scaled H M^-1 H^T): rounding would decide "
        "which branch the mechanism takes, as a parallelogram that lies flat may fold, for the motion that came there "
        "does not go on smoothly: it is nearly at rest, or a force jumps",
        where=f.relation,
        fix=_beside(f) + "take an rtol of 1e-3 at most; nsd.Rattle passes such positions as the velocities say",
    )


def _repeat_limit(f: _StepFailure) -> StepError:
    what = "it came into play" if f.detail else f"a violation of {f.value:.3g} is left"
    return NotConverged(
        f"{what} after the last repetition at {f.when}",
        where=f.relation,
        fix="allow more repetitions, or accept it with on_limit='keep'",
    )


def _no_memory(f: _StepFailure) -> StepError:
    return StepError(
        f"no memory for the one-step problem at {f.when}",
        where=f.system if f.detail else f.relation,
        fix="a system with very many relations couples them all: divide it, or give fewer relations",
    )


def _undetermined(f: _StepFailure) -> StepError:
    error = SolverError(
        f"its multipliers are not determined at {f.when} (row {f.row}): several satisfy it",
        where=f.relation,
        fix="give them in initial={...}, or have the scheme begin with multipliers of zero if it offers that",
    )
    error.reason, error.rows = "not unique", (f.row,)
    return error


def _held_range(f: _StepFailure) -> StepError:
    kind, number, _, slot = f.record.held_slots[f.item]
    owner = (f.record.systems if kind == "system" else f.record.relations)[number]
    return NonFinite(
        f"{slot.name} is {f.value:g} at {f.when}, which a block holds or the run sets, and that is outside its range",
        where=f"{kind} {owner.name!r}",
        fix="bound what the block holds, e.g. nsd.sampled(...) within sympy.Max and sympy.Min",
    )


def _empty_box(f: _StepFailure) -> StepError:
    return NonFinite(
        f"the box of row {f.row}, with the upper bound {f.value:g}, is empty at {f.when}",
        where=f.relation,
        fix="keep its lower bound below the upper one: a level as sympy.Max(level, 0)",
    )


def _step_too_short(f: _StepFailure) -> StepError:
    return NotConverged(
        f"the motion is not integrated to its tolerances: steps of {f.value:.3g} s are hardly, or not, accurate "
        f"enough at {f.when}",
        fix="look for a jump or a pole of the forces there, or a position in which constraints lose rank, which "
        "nsd.Rattle passes; raise rtol, or use a scheme that makes steps",
    )


def _event_limit(f: _StepFailure) -> StepError:
    classes = [f.record.relation_classes[r.cls] for r in f.record.relations]
    of_gaps = [False for s in f.record.systems for _ in f.record.system_classes[s.cls].cuts]
    of_gaps += [cls.about_gaps for cls in classes for _ in cls.cuts]
    name = cut_names(f.record)[f.item]
    if name.endswith(".jumps"):
        fix = "write each branch of the gap that has a kink as a gap of its own: together they hold it there"
    elif of_gaps[f.item]:
        fix = (
            "raise rest_rate, so that events that accumulate end sooner, raise most_events, or use a scheme with steps"
        )
    else:
        fix = (
            "raise most_events, or reduce the step, where so many are meant; where it only switches to and fro, put a "
            "small resistance or damping into what is switched, or use a scheme that makes steps"
        )
    return NotConverged(f"more than {f.value:.0f} events in {f.when}, the last one where {name} is zero", fix=fix)


def _no_motion(f: _StepFailure) -> StepError:
    name, steps = cut_names(f.record)[f.item], "use a scheme that makes steps"
    why, fix = {
        0: (
            f"where {name} is zero each piece of the laws ends there at once, and events that accumulate have no limit",
            f"put a small resistance, compliance or damping into the output, or {steps}",
        ),
        1: (f"by all that were tried more is borne than can be where {name} looks", steps),
        2: (
            "rows contradict each other, as where states do not fit what loops of sources and capacitors say of them",
            f"start with states that fit, put a small resistance into the loop, or {steps}: its first has states jump",
        ),
    }[f.detail]
    return NotConverged(f"no motion goes on in {f.when}: {why}", fix=fix)


def _at_once(f: _StepFailure) -> StepError:
    name = f.record.blocks[f.item].name
    again = f"comes true again {f.value:.3g} s after it did" if f.detail else "comes true again by what follows from it"
    return NotConverged(
        f"its condition {again}, in {f.when}: it would act without end",
        where=f"block {name!r}",
        fix="let what it sets lead away from its condition, by a margin: two thresholds apart for what goes on and "
        "off. What bounces until it rests, or slides along a threshold, is a relation with a law",
    )


def _overlap(f: _StepFailure) -> StepError:
    owners = [r for r in f.record.relations if f.record.relation_classes[r.cls].gap is not None]
    return NotConverged(
        f"the gap is {f.value:.6g} after what blocks have set, in {f.when}: it must not be negative",
        where=f"relation {owners[f.item].name!r}",
        fix="let blocks reset to states that are apart, or set allow_penetration=True in the model",
    )


_ERRORS: Mapping[int, Callable[[_StepFailure], StepError]] = {
    1: _singular,
    ONE_STEP: _one_step,
    3: _not_converged,
    4: _not_finite,
    5: _rank_lost,
    6: _repeat_limit,
    7: _no_memory,
    8: _undetermined,
    9: _held_range,
    10: _step_too_short,
    11: _event_limit,
    12: _no_motion,
    14: _at_once,
    15: _overlap,
    16: _empty_box,
}
"""By the codes of ``_data.pxd``."""
