"""Which models make their steps in a function of their own, and why others do not."""

from collections.abc import Iterator, Sequence
from itertools import chain

from nsdgen.abi import Cone, KernelRole, Quantity
from nsdgen.derive.kernel import Kernel, KernelModule
from nsdgen.record.model_record import ModelRecord

# each is written out in the function: with more the text is long and the calls saved are few beside the work
MOST_INSTANCES = 8
MOST_UNKNOWNS = 8  # of a system
MOST_ROWS = 8  # of a stage


def reason_against(module: KernelModule, record: ModelRecord) -> str:
    """Why the steps of a model are the general stepper's alone, a few words; empty where it has a function for them."""
    return next(chain(_of_the_model(record), _of_the_stages(module, record)), "")


def _of_the_model(record: ModelRecord) -> Iterator[str]:
    """What speaks against it whatever its stages are."""
    if any(record.stages[k].at != "step" for k in record.stages_of_a_step):
        yield "goes from event to event"
    if record.repeats:
        yield "stages are repeated until nothing is violated"
    if not record.systems:
        yield "no system"
    if len(record.systems) + len(record.relations) - len(record.blocks) - len(record.outputs) > MOST_INSTANCES:
        yield f"more than {MOST_INSTANCES} systems and relations"


def _of_the_stages(module: KernelModule, record: ModelRecord) -> Iterator[str]:
    stages = record.stages_of_a_step
    for number in stages:
        options = record.stages[number]
        if options.skipped or options.unique:
            yield "a stage is skipped where a condition holds"
        if options.activation_at != "step":
            yield "relations come into play within Newton's method"
        if any(c.n_unknown[number] > MOST_UNKNOWNS for c in record.system_classes):
            yield f"more than {MOST_UNKNOWNS} unknowns of a system"
        rows = sum(record.relation_classes[r.cls].n_multiplier[number] for r in record.relations)
        if rows > MOST_ROWS:
            yield f"more than {MOST_ROWS} rows"
        yield from _of_the_relations(module, record, number)
        yield from _of_the_cones(module, record, number, len(stages))


def _kernels(module: KernelModule, cls: int, role: KernelRole, stage: int) -> list[Kernel]:
    return [k for k in module.classes[cls].kernels if k.role == role and k.stage == stage]


def _of_the_relations(module: KernelModule, record: ModelRecord, stage: int) -> Iterator[str]:
    offset = len(record.system_classes)
    for r in record.relations:
        if not _kernels(module, offset + r.cls, KernelRole.EVALUATE, stage):
            continue
        if not all(_kernels(module, record.systems[p].cls, KernelRole.LINEARIZE, stage) for p in r.participants):
            yield "a relation acts in a stage that its system sits out"
        if any(
            out.quantity == Quantity.REACTION_X and out.participant != out.participant2
            for k in _kernels(module, offset + r.cls, KernelRole.LINEARIZE, stage)
            for out in k.outputs
        ):
            yield "a reaction couples the unknowns of two systems"


def _systems_met(module: KernelModule, record: ModelRecord, relation: int, stage: int) -> set[int]:
    """The systems through which a relation meets others: its output or reaction has derivatives there."""
    r = record.relations[relation]
    return {
        r.participants[out.participant]
        for k in _kernels(module, len(record.system_classes) + r.cls, KernelRole.LINEARIZE, stage)
        for out in k.outputs
        if out.quantity in (Quantity.OUTPUT_X, Quantity.REACTION_LAMBDA) and out.entries
    }


def _numbered_in_order(module: KernelModule, record: ModelRecord, relations: Sequence[int], stage: int) -> bool:
    """Whether the general stepper's graph numbers relations that meet as the model does: it goes from one to those that
    meet it, system by system (``runtime/_interaction_graph.pxi``)."""
    met = {i: _systems_met(module, record, i, stage) for i in relations}
    found, looked_at = list(relations[:1]), set[int]()
    for i in found:
        for system in record.relations[i].participants:
            if system in met[i] and system not in looked_at:
                looked_at.add(system)
                found += [other for other in relations if system in met[other] and other not in found]
    return found == list(relations)


def problems_of(
    module: KernelModule, record: ModelRecord, relations: Sequence[int], stage: int
) -> list[tuple[int, ...]]:
    """The relations of each one-step problem of a stage: with bounds, in an affine stage, those that meet, directly or
    through others; else all of them."""
    offset = len(record.system_classes)
    classes = [s.cls for s in record.systems] + [offset + record.relations[i].cls for i in relations]
    kernels = [k for cls in classes for k in _kernels(module, cls, KernelRole.LINEARIZE, stage)]
    cones = {cone for i in relations for cone, _ in record.relation_classes[record.relations[i].cls].cones[stage]}
    if Cone.BOX not in cones or max(cones) >= Cone.COULOMB_2D or not all(k.affine for k in kernels):
        return [tuple(relations)]
    islands: list[tuple[set[int], tuple[int, ...]]] = []
    for i in relations:
        met = _systems_met(module, record, i, stage)
        joined = [island for island in islands if island[0] & met]
        islands = [island for island in islands if not island[0] & met]
        islands.append((met.union(*(s for s, _ in joined)), tuple(sorted([i, *(j for _, r in joined for j in r)]))))
    return sorted(relations for _, relations in islands)


def _of_the_cones(module: KernelModule, record: ModelRecord, stage: int, stages: int) -> Iterator[str]:
    """Rows with bounds and friction are numbered as the general stepper does where all of them meet on one system."""
    numbers = [i for i, r in enumerate(record.relations) if record.relation_classes[r.cls].n_multiplier[stage]]
    classes = {i: record.relation_classes[record.relations[i].cls] for i in numbers}
    cones = {i: {cone for cone, _ in c.cones[stage]} for i, c in classes.items()}
    friction = any(Cone.COULOMB_2D <= cone <= Cone.ROLLING for found in cones.values() for cone in found)
    boxed = any(Cone.BOX in found for found in cones.values())
    if any(Cone.TRACED in found for found in cones.values()):
        yield "impacts are traced"
    if friction and stages > 1:
        yield "friction in one of several stages"
    problems = problems_of(module, record, numbers, stage) if friction or boxed else []
    if any(not _share_a_system(module, record, relations, stage) for relations in problems):
        yield "rows with bounds or friction do not meet on one system"
    elif not all(_numbered_in_order(module, record, relations, stage) for relations in problems):
        yield "rows with bounds or friction are numbered in another order"
    if len(problems) > 1 and any(all(Cone.BOX not in cones[i] for i in relations) for relations in problems):
        yield "rows without bounds do not meet those with bounds"
    if boxed and not friction and not all(c.always_active for c in classes.values()):
        yield "rows with bounds may be out of play"


def _share_a_system(module: KernelModule, record: ModelRecord, relations: Sequence[int], stage: int) -> bool:
    """Whether relations all meet on one system, or there is one that meets none."""
    return len(relations) == 1 or bool(set.intersection(*(_systems_met(module, record, i, stage) for i in relations)))
