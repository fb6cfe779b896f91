"""Whether a family keeps its word: functions, equations, names and class of one system, before others build on them."""

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from nsdgen.errors import ModelError, at_place
from nsdgen.symbolic.expressions.entry import label_of
from nsdgen.symbolic.expressions.nodes_of import FreeSymbols
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.expressions.time import NOW, time
from nsdgen.symbolic.families.stated_terms import twice
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.families.system_class import SystemClass, Term

_MOTION = ("rhs", "force")
"""Terms whose rows are the equations of motion, in the words of first-order and of mechanical systems."""


def check_system(system: System) -> None:
    """Raise ``ModelError`` for a system without a name, functions of time or a number of equations."""
    kind = type(system).__name__
    name = getattr(system, "name", None)
    if not isinstance(name, str):
        raise ModelError(
            f"its name is {name!r}, not a text",
            where=f"a system of class {kind}",
            fix="set self.name in the constructor",
        )
    where = f"system {name!r}"
    functions = _property(system, "functions", where)
    if not isinstance(functions, Mapping):
        raise ModelError(
            f"functions is a {type(functions).__name__}",
            where=where,
            fix="give a dict: its functions of time and the symbols they become",
        )
    for function, symbol in functions.items():
        if not isinstance(function, AppliedUndef | sp.Derivative):
            raise ModelError(
                f"functions holds {function!r}, which is no function of time",
                where=where,
                fix="the keys are dynamicsymbols and their derivatives",
            )
        if not isinstance(symbol, sp.Symbol) or not symbol.is_real:
            raise ModelError(
                f"functions gives {function} the value {symbol!r}, which is no real symbol",
                where=where,
                fix="function_symbols(...) makes them, or own_symbol(kind, name)",
            )
    if (symbol := twice(functions.values())) is not None:
        raise ModelError(
            f"functions gives the symbol {symbol} twice", where=where, fix="give every function of time its own symbol"
        )
    count = _property(system, "equations", where)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ModelError(
            f"equations is {count!r}",
            where=where,
            fix="give the number of equations of motion, a whole number of at least 1",
        )


def labels_of(system: System) -> tuple[str, ...]:
    """The names of the initial values, one for each function of time; raises ``ModelError`` for another number."""
    where, groups = f"system {system.name!r}", system.describe_names()
    if not isinstance(groups, Sequence) or any(isinstance(g, str) or not isinstance(g, Sequence) for g in groups):
        raise ModelError(
            f"describe_names() gives {groups!r}",
            where=where,
            fix="give a tuple of tuples, one tuple for each group: (('x', 'y'),)",
        )
    labels = tuple(name for group in groups for name in group)
    if len(labels) != len(system.functions):
        raise ModelError(
            f"describe_names() gives {len(labels)} names for {len(system.functions)} functions of time",
            where=where,
            fix="give one for each function of time, in their order",
        )
    return labels


def initial_numbers(system: System, given: Mapping[Any, Any], count: int, *, model: str) -> Sequence[Any]:
    """The ``count`` initial values of a system, one for each function of time; raises ``ModelError`` for others."""
    values = system.initial_values(given, model=model)
    if not isinstance(values, Sequence) or len(values) != count:
        found = f"{len(values)} values" if isinstance(values, Sequence) else f"{values!r}"
        raise ModelError(
            f"initial_values(...) gives {found} for {count} functions of time",
            model=model,
            where=f"system {system.name!r}",
            fix="give a list with one for each, in their order",
        )
    return values


def described(system: System, scope: Scope) -> SystemClass:
    """The class of a system, as it describes itself; raises ``ModelError`` where it is not one of this system."""
    where = f"system {system.name!r}"
    with at_place(where):
        cls = system.describe(scope)
    if not isinstance(cls, SystemClass):
        found = "None" if cls is None else f"a {type(cls).__name__}"
        raise ModelError(
            f"describe(scope) gives {found}, not a SystemClass",
            where=where,
            fix="return first_order_class(...), mechanical_class(...) or SystemClass(...)",
        )
    own = tuple(system.functions.values())
    if cls.functions != own:
        raise ModelError(
            f"functions has the symbols {_listed(own)}, the class {_listed(cls.functions)}",
            where=where,
            fix="make the groups of the class from the symbols of functions, in the same order",
        )
    in_scope = set(scope.parameters.values())
    strange = [p for p in cls.parameters if p not in in_scope]
    if strange:
        raise ModelError(
            f"parameters holds {strange[0]}, which is no parameter of the model as this system sees it",
            where=where,
            fix="scope.used([expressions]) picks them, scope.parameters holds their symbols",
        )
    known = FreeSymbols()
    for name, term in cls.terms.items():
        _check_symbols(cls, term, known, f"{where}, term {name!r}")
    for name in _MOTION:
        if name in cls.terms and cls.terms[name].values.rows != system.equations:
            raise ModelError(
                f"equations is {system.equations}, {name} has {cls.terms[name].values.rows} rows",
                where=where,
                fix=f"make equations the number of rows of {name}",
            )
    return cls


def _check_symbols(cls: SystemClass, term: Term, free: FreeSymbols, where: str) -> None:
    """Refuse a term that reads what is no operand of it, or no symbol of its class at all."""
    held = set().union(*(free(e) for e in term.values.todok().values()))
    operands = {NOW} if "t" in term.of else set()
    operands |= {s for role in term.of for s in cls.group(role)}
    if time in held:
        functions = [f for e in term.values.todok().values() for f in e.atoms(AppliedUndef, sp.Derivative)]
        raise ModelError(
            f"holds {min(functions, key=str) if functions else time}, as users write it",
            where=where,
            fix="enter the user's expressions: enter_matrix(values, {**scope.parameters, **self.functions}, where=...)",
        )
    for symbol in sorted(held - operands - set(cls.parameters), key=lambda s: str(s.name)):
        role = "t" if symbol == NOW else next((g.role for g in cls.variables if symbol in g.symbols), None)
        if role is not None:
            raise ModelError(
                f"holds {label_of(symbol)}, which is none of its operands {', '.join(term.of)}",
                where=where,
                fix=f"add it: of=(..., {role!r})",
            )
        raise ModelError(
            f"holds {label_of(symbol)}, which is none of its parameters and no variable of the class",
            where=where,
            fix="enter the user's expressions (enter_matrix), and list the parameters they "
            "hold: parameters=scope.used([expressions])",
        )


def _property(system: System, name: str, where: str) -> Any:
    """An attribute that is no method."""
    found = getattr(system, name)
    if callable(found):
        raise ModelError(f"{name} is a method", where=where, fix=f"make it a property: write @property above {name}")
    return found


def _listed(symbols: Sequence[sp.Symbol]) -> str:
    return ", ".join(label_of(s) for s in symbols) or "none"
