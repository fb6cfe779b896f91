"""What relations by output pass on in an instant, for schemes that part motion and impacts.

In an impact finite forces do nothing. A row y_i(t, q, v, lambda) takes part in it where its multiplier has no bound
and y_i says something of velocities and nothing of multipliers: a coupling, a clutch that turns one way. It then obeys
its law with impulses p in place of forces,

    y_i(t, q, v) in the law's cone with p_i,   M (v - v_k) = (dg/dlambda) p

where bounds other than infinity are zero. A row that holds its own multiplier is a spring or a damper: its force is
finite wherever y is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP
from nsdgen.schemes.system_step import Instant
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.relations.relation_class import RelationClass

Way = Callable[[RelationStep], None]
"""How a scheme states the step of a relation."""

_FREE, _PUSHES = (-sp.oo, sp.oo), (sp.S.Zero, sp.oo)


@dataclass(frozen=True)
class _ImpactRow:
    """A row that takes part in impacts: its number, and the range of its impulse."""

    number: int
    range: tuple[sp.Expr, sp.Expr]


def state_mechanics(step: RelationStep, gap: Way, output: Way, formula: Way, fix: str) -> None:
    """State a relation of mechanical systems by what it has: gaps or rates, an output and reactions, or a force."""
    if step.has("gap"):
        gap(step)
    elif step.has("output") and step.cls.reactions and all(p.group("v") for p in step.participants):
        output(step)
    elif step.has("force"):
        formula(step)
    else:
        raise step.refused(fix)


def ahead(step: RelationStep) -> Instant:
    """v_k + h a with the accelerations that a stage solves for, by the symbols of the participants."""
    return {
        s: k + STEP * a
        for p in step.participants
        for s, k, a in zip(p.group("v"), p.state("v_k"), p.unknown, strict=True)
    }


def record_force(step: RelationStep, *after: RelationStep) -> None:
    """Record a force by formula as it is after these stages, of which later ones, as impacts, may be skipped."""
    labels = step.cls.labels[len(step.cls.multipliers) :]
    step.memory("force", units=[unit for _, unit in labels], names=[name for name, _ in labels])
    for stage in after:
        stage.remember(force=stage.term("force", stage.ended))


def says_something(step: RelationStep) -> None:
    """Raise ``ModelError`` for rows without velocities and multipliers, whose force would hold a configuration."""
    velocities = {s for p in step.participants for s in p.group("v")}
    ranges = _ranges(step.cls)
    for i, y in enumerate(step.cls.terms["output"]):
        if y.free_symbols.isdisjoint({*velocities, *step.cls.multipliers}) and (ranges is None or ranges[i] != (0, 0)):
            raise step.refused(
                f"y[{i}] says nothing of velocities or multipliers, and its force has no bound: write "
                "it as a nsd.Contact or nsd.Bilateral"
            )


def multipliers_at_end(stage: RelationStep, multiplier: sp.Matrix) -> dict[sp.Symbol, sp.Symbol]:
    """State the multipliers of a second stage of motion, recorded as ``lam_end[0]``; those of the first and these."""
    own = stage.cls.labels[: multiplier.rows]
    names = [name.partition("[") for name, _ in own]
    end = stage.multiplier(
        "end",
        multiplier.rows,
        [unit for _, unit in own],
        [f"{stem}_end{bracket}{rest}" for stem, bracket, rest in names],
    )
    return dict(zip(multiplier, end, strict=True))


def pass_on(step: RelationStep, name: str = "impulse") -> None:
    """State what a relation by output does in a stage of impacts, whose first unknowns are v; ``name`` the impulses.

    Raises ``ModelError`` for a relation of which it is not known what it passes on.
    """
    rows = _rows(step)
    if not rows:
        return
    impulse = step.multiplier(name, len(rows))
    output = step.term("output", {**step.ended, **{s: s for p in step.participants for s in p.group("v")}})
    step.impose(
        sp.Matrix([output[row.number] for row in rows]),
        *((_cone(row), 1) for row in rows),
        bounds=[bound for row in rows if _cone(row) == Cone.BOX for bound in row.range],
    )
    step.reaction(
        *(
            (G.xreplace(step.ended) * impulse).col_join(sp.zeros(p.unknown.rows - G.rows, 1))
            for p, G in zip(step.participants, _directions(step, rows), strict=True)
        )
    )
    step.formulas(output="y = h(t, q, v) where forces have no bound, rho = dg/dlambda p")


def _cone(row: _ImpactRow) -> Cone:
    return {_FREE: Cone.EQUALITY, _PUSHES: Cone.COMPLEMENTARITY}.get(row.range, Cone.BOX)


def _rows(step: RelationStep) -> list[_ImpactRow]:
    """The rows of the relation that take part in impacts."""
    cls = step.cls
    says_something(step)
    ranges, found = _ranges(cls), []
    for i, y in enumerate(cls.terms["output"]):
        held = y.free_symbols & set(cls.multipliers)
        if cls.multipliers[i] in held or (ranges and ranges[i] == (0, 0)):
            continue
        if ranges is None or held:
            raise step.refused(
                "it may pass impulses on, but which ones is not known: use nsd.MoreauJean without a "
                "projection of velocities, a law with "
                "finite bounds, or equalities and complementarity without other multipliers in y"
            )
        found.append(_ImpactRow(i, ranges[i]))
    return found


def _ranges(cls: RelationClass) -> Sequence[tuple[sp.Expr, sp.Expr]] | None:
    """The impulses that each multiplier may be; bounds that depend on unknowns were made of slacks in pairs."""
    if "recorded" not in cls.terms:
        return cls.law.impulses(cls.height)
    own = cls.terms["recorded"].rows
    slacks, output = set(cls.multipliers[own:]), cls.terms["output"]
    known = all(
        len(output[i].free_symbols & slacks) > 1 or cls.multipliers[i] in output[i].free_symbols for i in range(own)
    )
    return [(sp.S.Zero, sp.S.Zero)] * cls.height if known else None


def _directions(step: RelationStep, rows: Sequence[_ImpactRow]) -> list[sp.Matrix]:
    """dg_i/dlambda of the rows that take part, a function of time and configuration."""
    taking_part = [step.cls.multipliers[row.number] for row in rows]
    found = [jacobian(g, taking_part) for g in step.cls.reactions]
    moving = {*step.cls.multipliers, *(s for p in step.participants for s in p.group("v"))}
    if any(not G.free_symbols.isdisjoint(moving) for G in found):
        raise step.refused(
            "its reaction is not linear in multipliers that pass impulses on, or depends on velocities: "
            "use nsd.MoreauJean"
        )
    return found
