"""What relations by output pass on in an instant, for schemes that part motion and impacts.

In an impact finite forces do nothing. A row y_i(t, q, v, lambda) takes part in it where its multiplier has no bound
and y_i says something of velocities and nothing of multipliers: a coupling, a clutch that turns one way. It then obeys
its law with impulses p in place of forces,

    y_i(t, q, v) in the law's cone with p_i,   M (v - v_k) = (dg/dlambda) p

where bounds other than infinity are zero. A row that holds its own multiplier is a spring or a damper: its force is
finite wherever y is.

What is recorded of an instant belongs to its state: a later stage that moves it, an impact or a projection, records
forces and outputs again, and finds the multipliers of finite forces that follow velocities for those it leaves.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.slack import SHARE, through_masses
from nsdgen.schemes.stages import STEP
from nsdgen.schemes.stated_step import suffixed
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
    if len(after) == 1:
        after[0].observe_own("force")
        return
    labels = step.cls.labels[len(step.cls.multipliers) :]
    step.memory("force", units=[unit for _, unit in labels], names=[name for name, _ in labels])
    for stage in after:
        stage.remember(force=stage.term("force", stage.ended))


def follows_velocities(step: RelationStep) -> bool:
    """Whether an output by (q, v, lambda) changes where impacts change velocities alone."""
    return not step.cls.terms["output"].free_symbols.isdisjoint(_rates(step))


def record_output(first: RelationStep, found: sp.Matrix, *later: tuple[RelationStep, sp.Matrix | None]) -> None:
    """Record the output and, where later stages move what it reads, the multipliers at the end, ``lam_end[0]``.

    ``found`` are those of the stage ``first``. Each later stage comes with those that it finds, or keeps them.
    """
    if not later:
        first.observe_own("output", {**first.ended, **dict(zip(first.cls.multipliers, found, strict=True))})
        return
    shown = "recorded" if first.has("recorded") else "output"
    labels = first.cls.labels[len(first.cls.multipliers) :]
    output = first.memory("output", units=[unit for _, unit in labels], names=[name for name, _ in labels])
    lam = kept_multipliers(first)
    for stage, own in ((first, found), *later):
        known = dict(zip(stage.cls.multipliers, lam if own is None else own, strict=True))
        stage.remember(output=stage.term(shown, {**stage.ended, **known}))
        if own is not None:
            stage.remember(end=own)
        if stage is not first:
            stage.initial_memory(output=output, **({} if own is None else {"end": lam}))


def kept_multipliers(step: RelationStep) -> sp.Matrix:
    """Those at the end of the step as they are remembered."""
    own = step.cls.labels[: len(step.cls.multipliers)]
    return step.memory("end", len(own), [unit for _, unit in own], [suffixed(name, "end") for name, _ in own])


def answer(stage: RelationStep, name: str, struck: Instant, rounds: bool) -> sp.Matrix:
    """State the multipliers with which the law holds where impacts have led, in place of those that are remembered.

    ``name`` is what they are called. A row without velocities and multipliers keeps its own: y + (mu - lambda) obeys
    a monotone law where mu = lambda. With ``rounds`` so does that of a brake that sticks, whose y is rounding.
    """
    output, own, lam = stage.cls.terms["output"], stage.cls.multipliers, kept_multipliers(stage)
    later = multipliers_at_end(stage, sp.Matrix(own), name)
    struck = {**struck, **later}
    rows = stage.term("output", struck)
    for i, y in enumerate(output):
        if y.free_symbols.isdisjoint({*_rates(stage), *own}):
            rows[i] += later[own[i]] - lam[i]
        elif rounds and own[i] not in y.free_symbols:
            rows[i] += STEP * SHARE * _mobility(stage, i) * (later[own[i]] - lam[i])
    stage.output(rows)
    stage.bounds(struck)
    return sp.Matrix([later[s] for s in own])


def struck_instant(stage: RelationStep) -> Instant:
    """The end of the step with the velocities that a stage of impacts solves for."""
    return {**stage.ended, **{s: s for s in _rates(stage)}}


def _rates(step: RelationStep) -> list[sp.Symbol]:
    return [s for p in step.participants for s in p.group("v")]


def _mobility(stage: RelationStep, i: int) -> sp.Expr:
    """|(dy_i/dv) D^-1 (dg/dlambda_i)|, D the diagonal of the mass."""
    y, lam = stage.cls.terms["output"][i : i + 1, :], [stage.cls.multipliers[i]]
    turned = [jacobian(y, p.group("v")) for p in stage.participants]
    found = through_masses(stage, turned, [jacobian(g, lam) for g in stage.cls.reactions])
    known = dict(zip(stage.cls.multipliers, kept_multipliers(stage), strict=True))
    return sp.Abs(found.xreplace({**stage.ended, **known}))


def says_something(step: RelationStep) -> None:
    """Raise ``ModelError`` for rows without velocities and multipliers, whose force would hold a configuration."""
    ranges, moving = _ranges(step.cls), {*_rates(step), *step.cls.multipliers}
    for i, y in enumerate(step.cls.terms["output"]):
        if y.free_symbols.isdisjoint(moving) and (ranges is None or ranges[i] != (0, 0)):
            raise step.refused(
                f"y[{i}] says nothing of velocities or multipliers, and its force has no bound: write "
                "it as a nsd.Contact or nsd.Bilateral"
            )


def multipliers_at_end(stage: RelationStep, multiplier: sp.Matrix, name: str) -> dict[sp.Symbol, sp.Symbol]:
    """State the multipliers of a later stage, recorded as ``lam_<name>[0]``; those of the class and these."""
    own = stage.cls.labels[: multiplier.rows]
    end = stage.multiplier(
        name, multiplier.rows, [unit for _, unit in own], [suffixed(label, name) for label, _ in own]
    )
    return dict(zip(multiplier, end, strict=True))


def pass_on(step: RelationStep, name: str, after: str) -> sp.Matrix | None:
    """State what a relation by output does in a stage of impacts, whose first unknowns are v; ``name`` the impulses.

    Gives the multipliers after it, called ``after``, of what passes nothing on and follows velocities. Beside rows
    that do others keep theirs. Raises ``ModelError`` for a relation of which it is not known what it passes on.
    """
    rows = _rows(step)
    if not rows and follows_velocities(step):
        found = answer(step, after, struck_instant(step), rounds=True)
        step.reaction(*(sp.zeros(p.unknown.rows, 1) for p in step.participants))
        step.formulas(output="y = h(t, q, v, mu), rho = 0")
        return found
    if not rows:
        return None
    impulse = step.multiplier(name, len(rows))
    output = step.term("output", struck_instant(step))
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
    return None


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
    moving = {*step.cls.multipliers, *_rates(step)}
    if any(not G.free_symbols.isdisjoint(moving) for G in found):
        raise step.refused(
            "its reaction is not linear in multipliers that pass impulses on, or depends on velocities: "
            "use nsd.MoreauJean"
        )
    return found
