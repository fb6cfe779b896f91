"""Linear systems E x' = A x + B u + e + r, y = C x + D u, from matrices of numbers and functions of time.

Numbers are data: every entry that is a number becomes a parameter of the model, called ``plant.A[0,1]`` by its
place, so that another matrix of the same pattern runs with the same compiled code.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import sympy as sp
from sympy.core.function import AppliedUndef

from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import enter_matrix
from nsdgen.symbolic.expressions.scope import Scope, display
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.families.first_order import first_order_class
from nsdgen.symbolic.families.matrix_data import MatrixData, state_space_matrices
from nsdgen.symbolic.families.mechanical import beside_motion
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.families.system_class import SystemClass, Term


@named_arguments
class LinearSystem(System):
    """The system E x' = A x + B u + e + r with the outputs y = C x + D u; r are the reactions of relations on it.

    ``A`` and ``E`` are n x n, ``B`` is n x m, ``C`` p x n, ``D`` p x m, ``e`` has n entries: nested lists, NumPy
    arrays, SciPy sparse matrices, or SymPy matrices whose entries may depend on ``nsd.time`` and parameters. E defaults
    to the identity, the others to zero. ``states``, ``inputs``, ``outputs`` are names (states also functions of time);
    ``inputs={"u": expression}`` gives inputs as functions of time and parameters, ``None`` or a list of names leaves
    them open. An open input is the symbol ``plant.u[0]``, which a block holds or a parameter is. ``units`` maps
    names to units. ``beside_motion`` is that of :class:`~nsdgen.symbolic.families.first_order.FirstOrderSystem`.

    Raises ``ModelError`` for shapes that do not fit, entries that are no finite real numbers, and names that repeat.
    """

    def __init__(
        self,
        name: str,
        A: Any,
        B: Any = None,
        C: Any = None,
        D: Any = None,
        E: Any = None,
        e: Any = None,
        *,
        states: Sequence[Any] | None = None,
        inputs: Sequence[str] | Mapping[str, Any] | None = None,
        outputs: Sequence[str] | None = None,
        units: Mapping[str, str] | None = None,
        beside_motion: bool = False,
    ) -> None:
        self.name, self.beside_motion = name, beside_motion
        where = f"system {name!r}"
        data = MatrixData(name)
        self.A = data.matrix("A", A)
        data.refuse_wrong_square("A", self.A)
        n = self.A.rows
        self.B = data.matrix("B", B, rows=n, cols=None if B is not None else 0)
        m = self.B.cols
        self.C = data.matrix("C", C, rows=None if C is not None else 0, cols=n)
        self.D = data.matrix("D", D, rows=self.C.rows, cols=m)
        self.E = data.mass("E", E, n) if E is not None else None
        self.e = data.matrix("e", e, rows=n, cols=1)
        self.numbers = data.numbers
        self.state_names = names_of("x", n, states, f"{where}, states")
        self.input_names = names_of("u", m, inputs, f"{where}, inputs")
        self.output_names = names_of("y", self.C.rows, outputs, f"{where}, outputs")
        self.units = dict(units or {})
        self._check_names(where)
        self._functions = state_functions(name, self.state_names, states)
        self.x = sp.ImmutableMatrix(self._functions)
        self.u = self._inputs(inputs, where)

    @classmethod
    def of(cls, name: str, state_space: Any, **options: Any) -> Self:
        """The system of a state-space object: ``scipy.signal.StateSpace``, ``control.StateSpace``, or alike.

        Looks at A, B, C, D, and where they are given at ``state_labels``, ``input_labels``, ``output_labels``, ``dt``.
        ``options`` are those of the constructor. Raises ``ModelError`` for what has no such matrices (a transfer
        function) and for systems in discrete time.
        """
        matrices, labels = state_space_matrices(state_space, f"system {name!r}")
        return cls(name, **matrices, **{**labels, **options})

    # -- what the user asks for -----------------------------------------------------------------

    def state(self, name: str) -> sp.Expr:
        """The state of this name as a function of time: for initial values and expressions of relations."""
        return self._functions[self._place(name, self.state_names, "state")]

    def input(self, name: str) -> sp.Expr:
        """The input of this name: its function of time, or its symbol where it is open."""
        return self.u[self._place(name, self.input_names, "input")]

    def output(self, name: str) -> sp.Expr:
        """The output of this name, an expression of states and inputs."""
        return self.y[self._place(name, self.output_names, "output")]

    @property
    def y(self) -> sp.ImmutableMatrix:
        """The outputs C x + D u, a column: expressions for outputs of relations, gaps and samples."""
        rows = len(self.output_names)
        return sp.ImmutableMatrix(rows, 1, sums(rows, [(self.C, self.x), (self.D, self.u)]))

    @property
    def open_inputs(self) -> tuple[sp.Symbol, ...]:
        """The inputs that are not given: symbols that something else of the model defines."""
        return tuple(u for u in self.u if isinstance(u, sp.Symbol) and u.name.startswith(f"{self.name}."))

    # -- what a family gives ----------------------------------------------------------------------

    @property
    def equations(self) -> int:
        """The number of states."""
        return len(self._functions)

    @property
    def functions(self) -> dict[sp.Expr, sp.Symbol]:
        """The states as functions of time, and the symbols they become."""
        return dict(zip(self._functions, (sp.Symbol(name, real=True) for name in self.state_names), strict=True))

    @property
    def own_parameters(self) -> Mapping[sp.Symbol, Any]:
        """The numbers of all matrices: symbols called by their place, ``plant.A[0,1]``."""
        return self.numbers

    def describe_names(self) -> tuple[tuple[str, ...], ...]:
        """The names of the states."""
        return (self.state_names,)

    def functions_named(self, name: str) -> list[sp.Expr]:
        """The states of a copy of this name."""
        return [sp.Function(f"{name}/{state}")(time) for state in self.state_names]

    def initial_values(self, given: Mapping[Any, Any], *, model: str) -> list[Any]:
        """One number for each state, 0 where none is given; ``plant.x`` as a key stands for all of them."""
        return initial_group(given, self.x, self.state_names, "states", model=model, system=self.name)

    def describe(self, scope: Scope) -> SystemClass:
        """The class of this system over fresh symbols; raises ``ModelError`` for an input that nothing defines."""
        where = f"system {self.name!r}"
        self._refuse_open(scope, where)
        symbols = {**scope.parameters, **self.functions}
        rhs, output, u = (
            enter_matrix(sp.Matrix(values), symbols, where=f"{where}, {what}")
            for what, values in (
                ("A x + B u + e", sums(len(self.x), [(self.A, self.x), (self.B, self.u)], self.e)),
                ("C x + D u", self.y),
                ("inputs", self.u),
            )
        )
        mass = enter_matrix(sp.Matrix(self.E), symbols, where=f"{where}, E") if self.E is not None else sp.eye(len(rhs))
        extra, recorded = {}, {}
        if self.input_names:
            extra["input"] = Term(u, ("t",), "u", "u(t)")
            recorded["input"] = self._labels(self.input_names)
        if self.output_names:
            extra["output"] = Term(output, ("t", "x"), "y", "C x + D u", ("x",))
            recorded["output"] = self._labels(self.output_names)
        used = scope.used([mass, rhs, *(term.values for term in extra.values())])
        found = first_order_class(
            self.name,
            used,
            tuple(self.functions.values()),
            mass,
            rhs,
            names=self.state_names,
            units=[self.units.get(n, "") for n in self.state_names],
            extra=extra,
            recorded=recorded,
        )
        return beside_motion(found) if self.beside_motion else found

    # -- how ------------------------------------------------------------------------------------

    def _labels(self, names: Sequence[str]) -> tuple[tuple[str, str], ...]:
        return tuple((n, self.units.get(n, "")) for n in names)

    def _place(self, name: str, names: Sequence[str], what: str) -> int:
        if name not in names:
            raise ModelError(
                f"has no {what} {name!r}",
                where=f"system {self.name!r}",
                fix=f"it has {', '.join(names)}" if names else f"it has no {what}s: an output wants C, an input B",
            )
        return names.index(name)

    def _check_names(self, where: str) -> None:
        names = [*self.state_names, *self.input_names, *self.output_names]
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            raise ModelError(
                f"two of its states, inputs and outputs are called {twice!r}",
                where=where,
                fix="give each a name of its own",
            )
        strange = next((n for n in self.units if n not in names), None)
        if strange is not None:
            raise ModelError(
                f"units of {strange!r}, which is no state, input or output",
                where=where,
                fix=f"it has {', '.join(names)}",
            )

    def _inputs(self, given: Any, where: str) -> sp.ImmutableMatrix:
        """Each input as a function of time and parameters, or as a symbol of this system."""
        values = list(given.values()) if isinstance(given, Mapping) else [None] * len(self.input_names)
        found = []
        for name, value in zip(self.input_names, values, strict=True):
            expr = (
                sp.Symbol(f"{self.name}.{name}", real=True)
                if value is None
                else as_expression(value, where=f"{where}, input {name!r}")
            )
            if not isinstance(expr, sp.Expr):
                raise ModelError(
                    f"{value!r} is no expression",
                    where=f"{where}, input {name!r}",
                    fix="give a function of time and parameters, or None to leave it open",
                )
            found.append(expr)
        return sp.ImmutableMatrix(len(found), 1, found)

    def _refuse_open(self, scope: Scope, where: str) -> None:
        for name, symbol in zip(self.input_names, self.u, strict=True):
            if symbol in self.open_inputs and symbol not in scope.parameters:
                raise ModelError(
                    f"nothing defines the input {name!r}",
                    where=where,
                    fix=f"give it as a function of time, inputs={{{name!r}: ...}}, let a block hold it "
                    "(nsd.Sampled), or list its symbol among the model's parameters",
                )


def sums(
    rows: int, products: Sequence[tuple[sp.MatrixBase, sp.MatrixBase]], constant: sp.MatrixBase | None = None
) -> list[sp.Expr]:
    """The rows of matrix times column, summed over several; takes as long as there are entries."""
    terms: list[list[sp.Expr]] = [[] if constant is None else [constant[i]] for i in range(rows)]
    for m, column in products:
        for (i, j), entry in m.todok().items():
            terms[i].append(entry * column[j])
    return [sp.Add(*row) for row in terms]


def initial_group(
    given: Mapping[Any, Any], group: sp.ImmutableMatrix, names: Sequence[str], what: str, *, model: str, system: str
) -> list[Any]:
    """The initial values of a group of functions of time, 0 where none is given.

    The column of all of them may be a key; raises ``ModelError`` for a vector of another length, and where an entry is
    given besides.
    """
    vector = next((given[key] for key in given if isinstance(key, sp.MatrixBase) and key == group), None)
    if vector is None:
        return [given.get(f, 0.0) for f in group]
    where = f"initial values of {system!r}"
    twice = [name for name, f in zip(names, group, strict=True) if f in given]
    if twice:
        raise ModelError(
            f"{twice[0]} is given by itself and in the vector of all {what}",
            model=model,
            where=where,
            fix="give it once",
        )
    if not hasattr(vector, "__len__") or len(vector) != len(group):
        raise ModelError(
            f"{vector!r} is no vector of {len(group)} {what}",
            model=model,
            where=where,
            fix=f"give one number for each of the {what}",
        )
    return list(vector)


def names_of(stem: str, count: int, given: Any, where: str) -> tuple[str, ...]:
    """The names of ``count`` quantities; x[0], x[1], ... where none are given."""
    if given is None:
        return tuple(f"{stem}[{i}]" for i in range(count))
    listed = [given] if isinstance(given, str | AppliedUndef) else list(given)
    if len(listed) != count:
        raise ModelError(
            f"{len(listed)} names for {count}", where=where, fix="give one name for each row or column of the matrices"
        )
    names = tuple(display(n) if isinstance(n, AppliedUndef) else n for n in listed)
    for name in names:
        if not isinstance(name, str) or not name.strip() or "/" in name or "." in name:
            raise ModelError(f"{name!r} is no name", where=where, fix="give texts without '/' and '.'")
    return names


def state_functions(name: str, names: Sequence[str], given: Any) -> tuple[sp.Expr, ...]:
    """The states as functions of time: those given, or ``plant/x`` for a name."""
    listed = [given] if isinstance(given, str | AppliedUndef) else list(given or names)
    return tuple(
        g if isinstance(g, AppliedUndef) else sp.Function(f"{name}/{n}")(time)
        for g, n in zip(listed, names, strict=True)
    )
