"""Ranges of coefficients at the model's own parameter values, checked before anything is derived.

A restitution that is a number is checked by its law, and every run checks the values it starts with;
this is the check of the defaults in between.
"""

import math
from collections.abc import Mapping, Sequence

import sympy as sp

from nsdgen.errors import ParameterError
from nsdgen.symbolic.description.model_description import RelationInstance
from nsdgen.symbolic.expressions.parameter import Parameter


def check_ranges(
    relations: Sequence[RelationInstance], parameters: Mapping[sp.Symbol, Parameter], *, model: str
) -> None:
    """Raise ``ParameterError``, naming the relation, where a coefficient lies outside its range."""
    known: dict[sp.Expr, float] = {}
    for relation in relations:
        for argument in relation.arguments:
            if isinstance(argument.value, float) or argument.min is argument.max is None:
                continue
            if argument.value not in known:
                known[argument.value] = _number(argument.value, parameters)
            value = known[argument.value]
            low = -math.inf if argument.min is None else argument.min
            high = math.inf if argument.max is None else argument.max
            if value < low or value > high:  # what has no value here is left to the run
                raise ParameterError(
                    f"{argument.name} is {value:.6g}, outside [{low:g}, {high:g}]",
                    model=model,
                    where=f"relation {relation.name!r}",
                    fix="change the parameter it comes from",
                )


def _number(expr: sp.Expr, parameters: Mapping[sp.Symbol, Parameter]) -> float:
    """The value of an expression of parameters, NaN where it has none."""
    if expr in parameters:
        return parameters[expr].value
    try:
        return float(expr.xreplace({s: sp.Float(p.value) for s, p in parameters.items()}))
    except (TypeError, ValueError, ArithmeticError):
        return math.nan
