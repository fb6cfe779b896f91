"""Operators of a description as functions of arrays, before there is a scheme or a run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import mpmath
import numpy as np

from nsdgen.base.operator_group import OperatorGroup
from nsdgen.runtime._binding import KernelTable
from nsdgen.runtime.callable_operators import CallableOperator, operators_of_instance
from nsdgen.symbolic.description.model_description import ModelDescription
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.families.system_class import Operator, SystemClass
from nsdgen.symbolic.graph.running_error import evaluate
from nsdgen.symbolic.relations.relation_class import RelationClass

Group = OperatorGroup[CallableOperator]

Named = Mapping[str, np.ndarray]
"""Arrays by the names of operands: t, q, v, or q_1, v_1, q_2, ... of several participants."""

Wanted = Callable[[SystemClass | RelationClass], Sequence[Operator]]
"""The operators that are wanted of each class."""

Tabulate = Callable[[ModelDescription, Wanted], Any]
"""What makes kernels of them: the pipeline's ``operator_kernels``."""


@dataclass(frozen=True)
class InstanceOperators:
    """The operators of every system and relation of a description, in its order."""

    systems: tuple[Group, ...]
    relations: tuple[Group, ...]

    @staticmethod
    def value(group: Group, name: str, at: Named, shape: tuple[int, ...]) -> np.ndarray:
        """An operator at these operands, in a shape; zero where the instance has none of this name."""
        if name not in group:
            return np.zeros(shape)
        operator = group[name]
        return operator(*(at[operand] for operand, _ in operator.arguments)).reshape(shape)


def operators_of_description(
    description: ModelDescription, wanted: Wanted, tabulate: Tabulate, parameters: Mapping[str, float] | None = None
) -> InstanceOperators:
    """The operators that are ``wanted``, at the values of every instance.

    ``parameters`` are values by name in place of those of the model.
    """
    table = KernelTable(tabulate(description, wanted))
    changed = parameters or {}
    given = {s: changed.get(s.name, p.value) for s, p in description.parameters.items()}

    def groups(instances: Sequence[Any], offset: int) -> tuple[Group, ...]:
        found = []
        for instance in instances:
            with mpmath.workdps(30):
                values = [float(evaluate(as_expression(a.value), given)) for a in instance.arguments]
            names = [a.name for a in instance.arguments]
            own = partial(tuple, values)
            found.append(operators_of_instance(instance.name, table, offset + instance.cls, own, names))
        return tuple(found)

    return InstanceOperators(
        groups(description.systems, 0), groups(description.relations, len(description.system_classes))
    )
