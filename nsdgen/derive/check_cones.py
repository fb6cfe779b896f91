"""The cones a scheme gives a relation: that they exist, and fit its multipliers and bounds."""

from collections.abc import Mapping, Sequence

from nsdgen.abi import Cone, block_height, bound_count
from nsdgen.errors import DerivationError, ModelError
from nsdgen.schemes.stages import RelationStage


def check_cones(stage: RelationStage, *, where: str) -> None:
    """Refuse cones that do not exist, or that take other numbers of rows or bounds than the stage gives.

    Raises ``DerivationError``, naming the block.
    """
    for cone, rows in stage.cones:
        if cone not in list(Cone):
            raise DerivationError(
                f"there is no cone {cone!r}",
                where=where,
                fix="use nsdgen.abi.Cone: " + ", ".join(f"{c.name} = {c.value}" for c in Cone),
            )
        height = block_height(cone, rows)
        if rows != height or rows < 1:
            raise DerivationError(
                f"the cone {Cone(cone).name} has {rows} rows",
                where=where,
                fix=f"give it {height}, one block for each contact" if rows > 0 else "leave blocks without rows out",
            )
    total = sum(rows for _, rows in stage.cones)
    if total != len(stage.multiplier):
        raise DerivationError(
            f"the cones have {total} rows for {len(stage.multiplier)} multipliers",
            where=where,
            fix="give each multiplier its cone, block after block",
        )
    given = 0 if stage.bounds is None else stage.bounds.rows
    wanted = sum(bound_count(cone, rows) for cone, rows in stage.cones)
    if given != wanted:
        raise DerivationError(
            f"the scheme gives {given} bounds for cones that take {wanted}",
            where=where,
            fix="set RelationStage.bounds, block after block, as nsdgen.abi.Cone says",
        )


def check_impacts(stages: Mapping[str, Sequence[RelationStage | None]]) -> None:
    """Refuse traced impacts beside contacts of other laws: all that close together take part in one impact.

    ``stages`` are those of the model for each relation class, by its name; schemes with equal stages share them.
    Raises ``ModelError``.
    """
    for together in zip(*stages.values(), strict=True):
        kinds = {
            name: {cone for cone, _ in stage.cones}
            for name, stage in zip(stages, together, strict=True)
            if stage is not None
        }
        traced = [name for name, cones in kinds.items() if Cone.TRACED in cones]
        others = [name for name, cones in kinds.items() if cones - {Cone.TRACED, Cone.EQUALITY}]
        if traced and others:
            raise ModelError(
                f"another law than that of {traced[0]!r}, which traces impacts",
                where=f"relation {others[0]!r}",
                fix="give all contacts under this scheme nsd.MultipleImpact, or none; schemes that "
                "are to stand beside each other need other options of Newton's method",
            )
