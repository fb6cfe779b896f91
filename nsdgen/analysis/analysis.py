"""``model.analysis``: what relative degrees, index sets and one-step matrices say of a model under its schemes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nsdgen.analysis.equations import equations_of
from nsdgen.analysis.relative_degree import Degrees, relative_degrees
from nsdgen.analysis.step_matrices import OneStepMatrix, one_step_matrices
from nsdgen.record.model_record import ModelRecord


@dataclass(frozen=True)
class Analysis:
    """Degrees of all outputs, one-step matrices of all stages, what was left out and what does not fit."""

    model: str
    degrees: Degrees
    matrices: tuple[OneStepMatrix, ...]
    omitted: Mapping[str, str]
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The report, line by line."""
        found = []
        for o in self.degrees.outputs:
            degree = "none" if o.degree is None else str(o.degree)
            level = "" if o.level is None or not o.degree else f", at the start in I_0 to I_{o.level}"
            found.append(f"relative degree of {o.output}: {degree}{level}")
        if self.degrees.outputs:
            count, uniform = len(self.degrees.outputs), self.degrees.uniform
            common = "relative degrees differ" if uniform is None else f"uniform relative degree {uniform}"
            found.append(f"{common}; the Markov parameters have generic rank {self.degrees.rank} of {count}")
        for m in self.matrices:
            about = m.reason and f" ({m.reason})"
            rows = f"{len(m.matrix)}x{len(m.matrix)}"
            found.append(
                f"one-step matrix of stage {m.stage}: {m.at_start} at the start, {m.sampled} over "
                f"{len(m.times)} sampled steps, {rows}{about}"
                if m.times
                else f"one-step matrix of stage {m.stage}: none seen{about}"
            )
        found += [f"not analysed: {name}, {reason}" for name, reason in self.omitted.items()]
        return found + [f"warning: {text}" for text in self.warnings]


def analyse(description: Any, compiled: Any) -> Analysis:
    """The analysis of a described and compiled model; makes steps of its run, raises nothing for those that fail."""
    equations = equations_of(description, compiled.record.start)
    degrees = relative_degrees(equations)
    matrices, several = one_step_matrices(compiled)
    warnings = [*_warnings(compiled.record, degrees, matrices), *([several] if several else [])]
    return Analysis(compiled.record.name, degrees, matrices, equations.omitted, tuple(warnings))


def _warnings(record: ModelRecord, degrees: Degrees, matrices: tuple[OneStepMatrix, ...]) -> list[str]:
    found = []
    of_gaps = {
        r.name
        for r in record.relations
        if record.relation_classes[r.cls].gap is not None or record.relation_classes[r.cls].zero_rows
    }
    for o in degrees.outputs:
        relation = o.output.rpartition(".")[0]
        if o.degree is None:
            found.append(
                f"no multiplier reaches {o.output}, in up to {len(o.derivatives) - 1} derivatives: its law "
                "cannot be satisfied by them"
            )
        elif o.degree >= 2 and relation not in of_gaps and "sliding_rate" not in o.output:
            found.append(
                f"{o.output} has relative degree {o.degree}: schemes for first-order systems are for 0 and 1; "
                "multipliers grow without bound as the step shrinks. Write it as a nsd.Contact of a "
                "mechanical system, or let the law be about a derivative of the output"
            )
    if degrees.outputs and degrees.rank < sum(o.degree is not None for o in degrees.outputs):
        found.append("the Markov parameters are dependent for all values of the symbols: multipliers are not unique")
    for scheme in record.schemes:
        options = {o.name: o.value for o in scheme.options}
        low = [name for name in ("theta", "gamma") if name in options and options[name] < 0.5]
        if low and scheme.choices and any(o.degree in (0, 1) for o in degrees.outputs):
            found.append(
                f"{scheme.name} with {' and '.join(f'{n} = {options[n]:g}' for n in low)}: below 1/2 "
                "errors of the start, and stiff parts, grow"
            )
    found += [
        f"the one-step matrix of stage {m.stage} is not P0: a step may have several solutions, or none"
        for m in matrices
        if m.sampled == "none" and not m.tried
    ]
    return found
