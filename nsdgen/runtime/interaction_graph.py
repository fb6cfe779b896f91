"""The interaction graph of a model: which systems share a matrix, and how its relations are eliminated."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nsdgen.abi import ClassKind, KernelRole, Quantity
from nsdgen.record.model_record import ModelRecord

CROWD = 200  # relations on one group: beyond, only neighbours in the list count for the order


def elimination_order(
    count: int, groups: Sequence[Sequence[int]], beside: Sequence[tuple[int, int]] | np.ndarray = ()
) -> list[int]:
    """``count`` nodes in an order of small fill.

    Each of ``groups`` lists nodes that all share blocks, ``beside`` further pairs that do.
    """
    from nsdgen.solvers.linalg.ordering import minimum_degree

    pairs = [np.zeros((0, 2), dtype=np.intp)]
    for members in groups:
        nodes = np.unique(np.asarray(members, dtype=np.intp))
        if 1 < len(nodes) <= CROWD:
            pairs.append(np.stack(np.meshgrid(nodes, nodes), axis=-1).reshape(-1, 2))
        elif len(nodes) > CROWD:
            in_turn = np.column_stack([nodes[:-1], nodes[1:]])
            pairs += [in_turn, in_turn[:, ::-1]]
    if len(beside):
        shared = np.asarray(beside, dtype=np.intp)
        pairs += [shared, shared[:, ::-1]]
    keys = np.unique(np.concatenate(pairs) @ np.array([count, 1]))
    start = np.searchsorted(keys // max(count, 1), np.arange(count + 1))
    return [int(i) for i in minimum_degree(start, keys % max(count, 1))]


def column_order(start: Sequence[int], row: Sequence[int]) -> list[int]:
    """The columns of a sparse matrix, compressed, in an order of small fill where pivots stay on the diagonal."""
    n = len(start) - 1
    return elimination_order(
        n, (), np.column_stack([np.repeat(np.arange(n), np.diff(start)), np.asarray(row, np.intp)])
    )


def groups_of(record: ModelRecord, table: Any, stage: int) -> list[list[int]]:
    """The systems of a stage, in groups that reactions couple through drho_i/dw_j with i != j."""
    has_stage = [
        any(k.role == KernelRole.LINEARIZE and k.stage == stage for k in table.classes[c].kernels)
        for c in range(len(record.system_classes))
    ]
    present = [i for i, s in enumerate(record.systems) if has_stage[s.cls]]
    leader = {i: i for i in present}

    def find(i: int) -> int:
        while leader[i] != i:
            i = leader[i]
        return i

    coupled = [_couples(table, len(record.system_classes) + c, stage) for c in range(len(record.relation_classes))]
    for relation in record.relations:
        for a, b in coupled[relation.cls]:
            first, second = find(relation.participants[a]), find(relation.participants[b])
            leader[max(first, second)] = min(first, second)
    groups: dict[int, list[int]] = {}
    for i in present:
        groups.setdefault(find(i), []).append(i)
    return list(groups.values())


def _couples(table: Any, cls: int, stage: int) -> list[tuple[int, int]]:
    assert table.classes[cls].kind == ClassKind.RELATION
    return [
        (out.participant, out.participant2)
        for info in table.classes[cls].kernels
        if info.role == KernelRole.LINEARIZE and info.stage == stage
        for out in info.outputs
        if out.quantity == Quantity.REACTION_X and out.participant != out.participant2
    ]
