"""The derived operators of a model as expressions: ``model["ball"].force`` with its symbols and parameter values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mpmath
import sympy as sp
from sympy.core.function import AppliedUndef

from nsdgen.abi import KernelRole, Role
from nsdgen.base.operator_group import OperatorGroup
from nsdgen.derive.kernel import Kernel
from nsdgen.errors import ParameterError
from nsdgen.symbolic.description.number_arguments import holds_number
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import label_of
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.nodes import Let
from nsdgen.symbolic.graph.computed import expanded
from nsdgen.symbolic.graph.running_error import evaluate

if TYPE_CHECKING:
    from nsdgen.derive.derive import Derivation
    from nsdgen.symbolic.description.model_description import ModelDescription


@dataclass(frozen=True)
class SymbolicOperator:
    """A derived quantity as a matrix over the symbols of its arguments and parameters.

    ``arguments`` maps the names of its arguments (t, q, v, x, lambda) to their symbols, in the order in
    which the compiled operator takes them; ``operator["q"]`` gives those of q. ``parameters`` holds the values
    of the instance. ``symbol("m")`` finds any of them by its label.
    """

    name: str
    instance: str
    matrix: sp.Matrix
    arguments: Mapping[str, tuple[sp.Symbol, ...]]
    parameters: Mapping[sp.Symbol, float]

    def __getitem__(self, argument: str) -> tuple[sp.Symbol, ...]:
        if argument not in self.arguments:
            raise ParameterError(
                f"{self.name} has no argument {argument!r}",
                where=self.instance,
                fix=f"its arguments are {', '.join(self.arguments)}",
            )
        return self.arguments[argument]

    @property
    def labels(self) -> dict[str, sp.Symbol]:
        """All symbols by label."""
        own = [s for symbols in self.arguments.values() for s in symbols]
        return {label_of(s): s for s in (*self.parameters, *own)}

    def symbol(self, label: str) -> sp.Symbol:
        """The symbol of an argument or a parameter with this label."""
        if label not in self.labels:
            raise ParameterError(
                f"{self.name} holds no symbol {label!r}", where=self.instance, fix=f"it holds {', '.join(self.labels)}"
            )
        return self.labels[label]

    def jacobian(self, wrt: str) -> sp.Matrix:
        """d operator / d argument, entry by entry; the operator must be a column."""
        if self.matrix.cols != 1:
            raise ParameterError(
                f"{self.name} is a matrix of shape {self.matrix.shape}",
                where=self.instance,
                fix="Jacobians are taken of columns",
            )
        return jacobian(self.matrix, self[wrt])

    def translated(self, expression: Any) -> Any:
        """An expression over the user's own symbols, with those of equal labels replaced by the operator's.

        Unknown functions of time are those of the model as it was written: x, and x.diff(), which is labelled x_dot.
        """
        known, labels = set(self.labels.values()), self.labels
        functions: dict[Any, str] = {}
        for f in expression.atoms(AppliedUndef):
            functions |= {f: str(f.func), sp.Derivative(f, *f.args): f"{f.func}_dot"} if len(f.args) == 1 else {}
        expression = expression.xreplace({f: labels[name] for f, name in functions.items() if name in labels})
        own = [s for s in expression.free_symbols if s not in known]
        return expression.subs({s: labels[s.name] for s in own if s.name in labels}, simultaneous=True)


def operators_of(
    description: ModelDescription, derivation: Derivation, instance: str
) -> OperatorGroup[SymbolicOperator]:
    """The operators of one instance of a model; raises ``ParameterError`` with the names there are."""
    record = derivation.record
    instances = [(r.name, r.cls, d.arguments) for r, d in zip(record.systems, description.systems, strict=True)]
    offset = len(record.system_classes)
    instances += [
        (r.name, r.cls + offset, d.arguments) for r, d in zip(record.relations, description.relations, strict=True)
    ]
    found = next((i for i in instances if i[0] == instance), None)
    if found is None:
        raise ParameterError(
            f"the model has no system or relation {instance!r}",
            model=description.name,
            fix=f"it has {', '.join(name for name, _, _ in instances)}",
        )
    given = {s: p.value for s, p in description.parameters.items()}
    own = [as_expression(a.value) for a in found[2]]
    with mpmath.workdps(30):
        values = [float(evaluate(value, given)) for value in own]
    kernels = [k for k in derivation.module.classes[found[1]].kernels if k.role == KernelRole.OPERATOR]
    return OperatorGroup(instance, {k.name: _operator(k, instance, values, own) for k in kernels})


def _operator(kernel: Kernel, instance: str, values: Sequence[float], exact: Sequence[sp.Expr]) -> SymbolicOperator:
    """The operator with symbols called by their labels, as people write them, and without names of subexpressions.

    Numbers that the instance was written with stand in it as numbers; ``exact`` are its arguments before rounding.
    """
    out = kernel.outputs[0]
    symbols = [s for a in kernel.inputs for s in a.symbols]
    labels = [label_of(s) for s in symbols]
    shown = {
        s: sp.Symbol(label, **s.assumptions0) if labels.count(label) == 1 else s
        for s, label in zip(symbols, labels, strict=True)
    }
    parameters = [s for a in kernel.inputs if a.role == Role.PARAMETERS for s in a.symbols]
    written = {s: value for s, value in zip(parameters, exact, strict=bool(parameters)) if holds_number(s)}
    matrix = sp.zeros(out.rows, out.cols)
    for i, j, entry in out.entries:
        matrix[i, j] = _without_names(expanded(as_expression(entry))).xreplace({**shown, **written})
    arguments = {
        a.name.rstrip("_"): tuple(shown[s] for s in a.symbols) for a in kernel.inputs if a.role == Role.OPERAND
    }
    known = {shown[s]: value for s, value in zip(parameters, values, strict=bool(parameters)) if s not in written}
    return SymbolicOperator(kernel.name, instance, matrix, arguments, known)


def _without_names(node: Any) -> Any:
    """The expression with every ``Let`` replaced by its value."""
    if not node.has(Let):
        return node
    if isinstance(node, Let):
        return _without_names(node.args[1])
    return node.func(*(_without_names(a) for a in node.args))
