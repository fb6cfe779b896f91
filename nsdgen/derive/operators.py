"""Operators: the quantities of a model that people derive by hand, each a kernel of its own.

They are functions of their own arguments (t, q, v, x, lambda), not of a scheme, and a class says itself which
ones it has. A function of a body's configuration means its value at the normalised quaternion, and its
derivative with respect to q contains that normalisation:
grad_q h~ = grad h(x, p/|p|) diag(I, (I - p^ p^T)/|p|) (contact_gradient.tex).
"""

from collections.abc import Callable, Sequence

import sympy as sp

from nsdgen.abi import ClassKind, KernelRole, Quantity, Role
from nsdgen.derive.kernel import Input, Kernel, KernelClass, KernelModule, make_kernel, make_output
from nsdgen.symbolic.description.model_description import ModelDescription
from nsdgen.symbolic.expressions.nodes_of import replaced
from nsdgen.symbolic.families.system_class import Operator, SystemClass
from nsdgen.symbolic.relations.relation_class import RelationClass


def operator_kernels(cls: SystemClass | RelationClass) -> list[Kernel]:
    """A kernel for every operator of a class of systems or relations."""
    return [_kernel(cls, operator) for operator in cls.operators()]


def operator_module(
    description: ModelDescription, wanted: Callable[[SystemClass | RelationClass], Sequence[Operator]]
) -> KernelModule:
    """The operators that are ``wanted`` of every class of a description, and nothing else."""
    systems = [
        KernelClass(c.name, ClassKind.SYSTEM, 1, tuple(_kernel(c, o) for o in wanted(c)))
        for c in description.system_classes
    ]
    relations = [
        KernelClass(c.name, ClassKind.RELATION, len(c.participants), tuple(_kernel(c, o) for o in wanted(c)))
        for c in description.relation_classes
    ]
    return KernelModule(description.name, (*systems, *relations))


def _kernel(cls: SystemClass | RelationClass, operator: Operator) -> Kernel:
    operands = tuple(Input(name, Role.OPERAND, tuple(symbols)) for name, symbols in operator.operands)
    parameters = (Input("parameters", Role.PARAMETERS, cls.parameters),) if cls.parameters else ()
    values = operator.values
    if isinstance(cls, RelationClass) and cls.memory:  # of what no run remembers yet
        values = replaced(values, dict.fromkeys(cls.memory, sp.S.Zero))
    output = make_output(operator.name, Quantity.OPERATOR, values)
    # Operands stay in the signature also where a special model does not use them.
    return make_kernel(
        operator.name, KernelRole.OPERATOR, -1, (*operands, *parameters), [output], operator.meaning, prune=False
    )
